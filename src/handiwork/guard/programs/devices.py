"""Programs that work on disks, volumes, file systems and mounts."""

from __future__ import annotations

from ..places import is_disk
from ..shell.call import Call
from .arguments import Arguments
from .entry import Program, Rule
from .notes import described, note_path

_LOOKS = (
    "-l",
    "--list",
    "-p",
    "--print",
    "-V",
    "--version",
    "-h",
    "--help",
    "-n",
    "--no-act",
    "--dry-run",
    "-J",
    "--json",
    "-i",
    "-d",
    "--dump",
    "-v",
)


def _formats(call: Call, arguments: Arguments) -> str:
    """A new file system, partition table or signature on a disk; on a file it is ordinary."""
    words = [a for a in call.args if not a.startswith("-")]
    disks = [w for w in words if is_disk(call.shell.resolve(w.partition("=")[2] or w))]
    if call.name in (
        "parted",
        "sfdisk",
        "fdisk",
        "gdisk",
        "hdparm",
        "smartctl",
        "nvme",
        "wipefs",
        "mdadm",
    ) and _only_looks(call, arguments):
        return ""
    for disk in disks:
        call.effect("disk", disk)
    for word in words if not disks else ():
        if word.startswith("/dev/"):
            call.effect("device", word)
        elif call.name.startswith(("mkfs", "mke2fs", "mkswap", "newfs")) and ("." in word or "/" in word):
            note_path(call, "write", word)
    return ""


def _only_looks(call: Call, arguments: Arguments) -> bool:
    """Whether the call only shows what is there."""
    verb = arguments.operands[:1]
    if call.name == "wipefs":
        return not arguments.has(("-a", "--all", "-o", "--offset", "-f", "--force")) or arguments.has(
            ("-n", "--no-act")
        )
    if call.name == "mdadm":
        return arguments.has(("-D", "--detail", "-E", "--examine", "-Q", "--query"))
    if call.name == "hdparm":
        return not any(a.startswith(_HARD) for a in call.args)
    if call.name in ("smartctl", "nvme"):
        return call.name == "smartctl" or verb[:1] not in _NVME_WRITES
    shows = call.name == "parted" and bool(_SHOWS.intersection(arguments.operands[1:2]))
    return shows or (arguments.has(_LOOKS) and not call.stdin)


_SHOWS = frozenset(("print", "unit", "align-check", "list", "version"))
_HARD = ("--security", "--write", "--trim", "--make-bad", "--yes", "-y", "-Y", "--fwdownload", "--dco")
_NVME_WRITES = [[v] for v in ("format", "sanitize", "write", "write-zeroes", "delete-ns", "create-ns", "reset", "dsm")]


def _umount(call: Call, arguments: Arguments) -> str:
    for path in arguments.operands:
        call.effect(
            "unmount_root" if call.shell.resolve(path) in ("/", "/usr", "/var", "/home", "/etc", "/boot") else "device",
            path,
        )
    if arguments.has(("-a", "--all")):
        call.effect("unmount_root")
    return ""


def _mount(call: Call, arguments: Arguments) -> str:
    if (
        arguments.operands
        or arguments.has(("-D", "-d", "--detach"))
        or (call.name != "losetup" and arguments.has(("-a", "--all")))
    ):
        call.effect("device", described(call))
    return ""


def _luks(call: Call, arguments: Arguments) -> str:
    destroys = {"luksFormat", "luksErase", "erase", "format", "reencrypt", "luksHeaderRestore"}
    for word in arguments.operands[1:] if arguments.operands and arguments.operands[0] in destroys else ():
        if is_disk(word) and not word.endswith(("X", "XY")):
            call.effect("disk", word)
    return ""


def _adb(call: Call, arguments: Arguments) -> str:
    if arguments.operands[:1] == ["shell"]:
        at = call.args.index("shell")
        call.runs(" ".join(call.args[at + 1 :]))
    return ""


PROGRAMS = (
    Program(
        "mkfs mke2fs mkswap mkdosfs mkntfs mkexfatfs wipefs sgdisk gdisk fdisk sfdisk cfdisk parted"
        " partprobe blkdiscard hdparm sdparm badblocks mdadm pvremove pvcreate"
        " nvme smartctl newfs partx kpartx resize2fs tune2fs debugfs e2label fsck e2fsck xfs_repair"
        " ntfsresize fatlabel xfs_growfs btrfstune bcache-super-show",
        values="-t -L -U -b -s -m -N -C --label --type",
        reader=_formats,
        dry="--help --version -V",
        allow=("fdisk -l", "parted -l", "mkfs.ext4 -V", "wipefs /dev/sda", "mkfs.ext4 disk.img", "fdisk -l /dev/sda"),
        ask=("mkfs.ext4 /dev/some_disk",),
        forbid=(
            "mkfs.ext4 /dev/sda1",
            "wipefs -a /dev/sdb",
            "parted /dev/sda mklabel gpt",
            "blkdiscard /dev/nvme0n1",
            "mdadm --zero-superblock /dev/sda1",
        ),
    ),
    Program(
        "cryptsetup",
        values="-c -s -h --cipher --key-file -d --type",
        rules=(
            Rule(
                "luksFormat|luksErase|erase|luksRemoveKey|luksKillSlot|reencrypt|format|luksAddKey"
                "|luksChangeKey|luksHeaderRestore|resize",
                "device",
            ),
            Rule("remove|close|luksClose|suspend|luksSuspend|open|luksOpen", "device"),
        ),
        reader=_luks,
        quiet=True,
        allow=("cryptsetup status x", "cryptsetup luksDump /dev/sda"),
        ask=("cryptsetup luksFormat /dev/sdXY",),
        forbid=("cryptsetup luksFormat /dev/sda1",),
    ),
    Program(
        "vgremove lvremove vgreduce lvreduce lvresize vgrename lvconvert",
        rules=(Rule("+1 !-t|--test", "disk"),),
        quiet=True,
        forbid=("vgremove vg0", "lvremove -f vg/lv"),
        allow=("vgremove --test vg0",),
    ),
    Program(
        "zpool zfs btrfs",
        values="-o -O -t",
        rules=(
            Rule("destroy|labelclear|rollback|offline|detach|split|remove !-n", "disk"),
            Rule("subvolume|device|balance|qgroup|filesystem delete|remove|destroy|del|resize", "disk"),
        ),
        quiet=True,
        allow=("zpool list", "zfs list", "btrfs filesystem df /"),
        forbid=("zpool destroy tank", "zfs destroy -r tank/x", "btrfs subvolume delete x"),
    ),
    Program(
        "diskutil",
        rules=(
            Rule(
                "^erase|zero|partition|eraseDisk|eraseVolume|zeroDisk|secureErase|partitionDisk"
                "|deleteVolume|reformat|randomDisk",
                "disk",
            ),
            Rule("apfs ^delete|deleteContainer|deleteVolume|eraseVolume", "disk"),
        ),
        quiet=True,
        allow=("diskutil list",),
        forbid=("diskutil eraseDisk JHFS+ X disk2",),
    ),
    Program(
        "dmsetup",
        rules=(Rule("remove|remove_all|wipe_table|suspend|clear|load|create", "device"),),
        quiet=True,
        allow=("dmsetup ls",),
        ask=("dmsetup remove x",),
    ),
    Program(
        "umount fusermount udisksctl eject",
        reader=_umount,
        quiet=True,
        ask=("umount /mnt/usb",),
        forbid=("umount -l /",),
    ),
    Program(
        "mount losetup sshfs bindfs mount.cifs mount.nfs",
        values="-t -o -L -U --types --options",
        reader=_mount,
        quiet=True,
        allow=("mount", "losetup -a"),
        ask=("mount /dev/sdb1 /mnt",),
    ),
    Program(
        "dislocker ddrescue testdisk photorec flashrom fwupdmgr esptool.py avrdude dfu-util fastboot odin",
        rules=(
            Rule(
                "^erase|erase_flash|format|oem|flashing|flash|write_flash|update|wipe",
                "device",
            ),
            Rule("-w", "device"),
        ),
        quiet=True,
        allow=("fastboot devices",),
        ask=("fastboot erase userdata", "esptool.py erase_flash"),
    ),
    Program(
        "adb",
        rules=(
            Rule("uninstall|reboot|root|remount|sideload|disable-verity|wait-for-device|backup|restore|push", "device"),
        ),
        reader=_adb,
        allow=("adb devices", "adb logcat", "adb shell ls"),
        ask=("adb uninstall x", "adb reboot"),
        forbid=("adb shell rm -rf /",),
    ),
)
