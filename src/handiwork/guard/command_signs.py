"""A call of a program, and what can be seen of it: the predicates of the table in `command_rules`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from .places import is_disk, is_system, is_vital, names, protected, squeeze


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


def vital(call: Call, path: str) -> bool:
    """Whether *path* is something that nobody survives the loss of: the system, a home, the whole workspace."""
    full = call.full(path)
    whole = full.removesuffix("/*").rstrip("/") or "/"
    return is_vital(full, call.home) or (bool(call.workspace) and whole == call.workspace.rstrip("/"))


def any_vital(call: Call) -> bool:
    """One of its operands is vital."""
    return any(vital(call, a) for a in call.operands())


def removes_vital(call: Call) -> bool:
    """It removes a vital folder with all that is in it."""
    return call.has("rR", "--recursive") and any_vital(call)


def finds_and_removes(call: Call) -> bool:
    """It searches a vital folder and removes or changes whatever it finds."""
    removing = "-delete" in call.args or bool({"-exec", "-execdir", "-ok"} & set(call.args))
    changes = "-delete" in call.args or bool(names("rm shred unlink chmod chown") & set(call.args))
    roots = [a for a in call.args[: _first_test(call.args)] if not a.startswith("-")]
    narrowed = any(a in ("-name", "-iname", "-path", "-mtime", "-regex", "-size") for a in call.args)
    return removing and changes and not narrowed and any(vital(call, r) for r in roots)


def _first_test(args: tuple[str, ...]) -> int:
    return next((i for i, a in enumerate(args) if a[:1] in "-(!" and a not in ("-L", "-H", "-P")), len(args))


def changes_tree(call: Call) -> bool:
    """It changes a vital folder with all that is in it."""
    return call.has("R", "--recursive") and any_vital(call)


def touches_disk(call: Call) -> bool:
    """It names a whole disk."""
    values = (a.partition("=")[2] or a for a in call.args)
    return any(is_disk(v) for v in values)


def formats(call: Call) -> bool:
    """It puts a new file system or partition table on a disk."""
    return touches_disk(call) and not call.has("l", "--list", "--help", "--version", "--no-act")


def _dd_target(call: Call) -> str:
    return next((a[3:] for a in call.args if a.startswith("of=")), "")


def dd(call: Call) -> bool:
    """It copies raw data over a disk or a system file."""
    target = call.full(_dd_target(call))
    return is_disk(target) or is_system(target)


def writes_bad(call: Call) -> bool:
    """It is redirected into a disk or a system file."""
    return any(_is_bad_target(call, w) for w in call.writes)


def _is_bad_target(call: Call, path: str) -> bool:
    full = call.full(path)
    return is_disk(full) or is_system(full) or full.startswith("/var/run/docker")


def overwrites(call: Call) -> bool:
    """Its last operand, which it writes, is a disk or a system file."""
    operands = call.operands()
    return bool(operands) and _is_bad_target(call, operands[-1])


def any_system(call: Call) -> bool:
    """One of its operands is a disk or a system file."""
    return any(_is_bad_target(call, a) for a in call.operands())


def edits_in_place(call: Call) -> bool:
    """It edits a system file where it lies."""
    return call.has("i", "--in-place") and any_system(call)


def downloads_over(call: Call) -> bool:
    """It saves what it downloads over a system file."""
    flags = ("-o", "-O", "-d", "-C", "--output", "--output-document", "--directory", "-P")
    pairs = zip(call.args, call.args[1:], strict=False)
    values = [b for a, b in pairs if a in flags]
    values += [a.partition("=")[2] for a in call.args if a.startswith(flags) and "=" in a]
    return any(_is_bad_target(call, v) for v in values if v)


def powers_off(call: Call) -> bool:
    """It powers off or restarts, and isn't only asked for help."""
    return not call.has("ck", "--help", "--version", "--dry-run")


def systemctl(call: Call) -> bool:
    """It brings the whole machine into another state."""
    verbs = names("poweroff reboot halt kexec emergency rescue soft-reboot isolate")
    return bool(verbs & set(call.operands()[:1]))


def bus(call: Call) -> bool:
    """It asks the login service to power off."""
    return bool(re.search(r"login1.*\b(?:PowerOff|Reboot|Halt|Suspend)", " ".join(call.args)))


_MINERS = names("xmrig cpuminer minerd kinsing kdevtmpfsi t-rex nbminer ethminer cgminer bfgminer lolminer")
_SETUID = re.compile(r"^[0-7]?[4-7][0-7]{3}$|^[ugoa]*\+[rwxXt]*s")
_OPEN = re.compile(r"^[0-7]?[0-7]{2}[2367]$|^[ugoa,]*[oa]?\+[rx]*w|^0*$")


def mode(call: Call) -> bool:
    """It gives a program its owner's rights, or opens a file that must stay closed."""
    operands = call.operands()
    if not operands:
        return False
    if _SETUID.match(operands[0]):
        return True
    files = [call.full(f) for f in operands[1:]]
    return any(is_system(f) or ("private key" in protected(f) or "SSH" in protected(f)) for f in files)


def install_setuid(call: Call) -> bool:
    """It installs a program with its owner's rights, or over the system."""
    modes = [b for a, b in zip(call.args, call.args[1:], strict=False) if a in ("-m", "--mode")]
    modes += [a[2:] for a in call.args if a.startswith("-m") and len(a) > 2]
    return any(_SETUID.match(m) for m in modes) or overwrites(call)


def listens_with_shell(call: Call) -> bool:
    """It hands a shell to whoever connects."""
    return call.has("ec", "--exec", "--sh-exec", "--lua-exec") and any(
        re.search(r"(?:^|/)(?:ba|da|z|k|a)?sh\b|cmd|powershell", a) for a in call.args
    )


def socat_shell(call: Call) -> bool:
    """One end of its connection is a program or a shell."""
    return any(re.match(r"(?i)(?:exec|system|shell):", a) for a in call.args)


def kills_all(call: Call) -> bool:
    """It signals every process there is."""
    return call.operands()[-1:] == ["-1"] or call.args[-1:] == ("-1",)


def mines(call: Call) -> bool:
    """It digs for coins."""
    return call.name in _MINERS or any(a.startswith(("stratum+tcp:", "stratum+ssl:")) for a in call.args)


def moves_vital(call: Call) -> bool:
    """It moves a vital folder away."""
    return len(call.operands()) > 1 and any(vital(call, a) for a in call.operands()[:-1])


def fills(call: Call) -> bool:
    """It makes a file that fills the disk."""
    sizes = re.findall(r"\b(\d+)([GTP])", " ".join(call.args))
    return any(int(n) >= 500 or unit in "TP" for n, unit in sizes)


def volume(call: Call) -> bool:
    """It destroys a volume or what says where its parts are."""
    return bool(names("destroy labelclear") & set(call.operands()[:1])) or call.has("", "--zero-superblock")


def unmounts_root(call: Call) -> bool:
    """It takes the root file system away."""
    return "/" in call.operands()


def account(call: Call) -> bool:
    """It gives an account an administrator's rights."""
    args = " ".join(call.args)
    return bool(re.search(r"(?:^| )-(?:aG|G|a -G) (?:sudo|wheel|root|admin|docker)\b|(?:^| )-d root\b", args))
