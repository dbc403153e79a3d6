"""Programs that aren't in the table: what their names and arguments say.

Most of them are somebody's build step or a harmless utility, so silence passes. What speaks of destruction,
names a secret or a disk, or carries a command of a known program, asks. Nothing here is refused.
"""

from __future__ import annotations

import re
from typing import Final

from ..places import is_disk, names
from ..shell.call import Call
from ..shell.marks import is_known, veiled
from ..shell.printers import printed
from .notes import described, is_harmless
from .signs import BREAKING_IN, MINING

_DESTROYS: Final = names(
    "delete destroy purge wipe erase drop terminate obliterate nuke factory-reset kill shutdown poweroff reboot"
    " halt deprovision uninstall unpublish revoke rm"
)
_DESTROYING_NAMES: Final = names(
    "wipe erase destroy nuke obliterate unlink shredder killall kill empty purge delete remove rm uninstall dropdb"
    " poweroff reboot halt shutdown teardown unshadow eraser"
)
_DESTROYING_FLAGS: Final = re.compile(
    r"--?(?:delete|purge|wipe|erase|destroy|drop|nuke|obliterate|kill|remove-all|delete-all|force-delete|rm|uninstall"
    r"|factory-reset|prune|terminate|shutdown|reboot|poweroff)(?:-[\w-]+)?(?:=|$)"
)
_CARRIED: Final = names(
    "rm dd shred mkfs sh bash zsh dash shutdown reboot chmod chown curl wget kill find git kubectl docker"
)
_EXECUTES: Final = frozenset(
    ("-c", "-e", "--exec", "--command", "--cmd", "--eval", "-x", "--run", "--on-change", "--shell")
)
_PARTS: Final = re.compile(r"[-:_.]+")
MOST_LOOKED_AT: Final = 12


def judge_stranger(call: Call) -> str:
    """Note what an unknown program might do; what it prints is made of what it reads."""
    shell = call.shell
    if "/" in call.word:
        call.touches("run_file", call.word)
    call.effect("run", call.name)
    _signs(call)
    if "--help" in call.args or "--version" in call.args:
        return veiled()
    if _sounds_destructive(call):
        call.effect("destroys", described(call))
    read = [_looked_at(call, arg) for arg in call.args[:40]]
    _carried(call)
    known = printed(call.name, call.args, call.stdin)
    if known is not None:
        return known
    return veiled(call.stdin, *(r for r in read if r), shell.stdin if call.stdin is None else None)


def _signs(call: Call) -> None:
    """What the words of a call give away by themselves."""
    if BREAKING_IN.search(call.name):
        call.effect("run_other", f"{call.name}, which sounds like breaking in")
    if MINING.search(" ".join([call.name, *call.args[:MOST_LOOKED_AT]])):
        call.effect("mining")
    if call.args[:1] == ["publish"]:
        call.effect("publish", described(call))


def _sounds_destructive(call: Call) -> bool:
    if call.word.startswith("/etc/init.d/") and {"stop", "restart", "disable"}.intersection(call.args):
        return True
    if _DESTROYING_NAMES.intersection(_PARTS.split(call.name)):
        return True
    operands = [a for a in call.args[:4] if not a.startswith("-")][:3]
    if any(_DESTROYS.intersection(_words(o)) for o in operands[:2] or operands):
        return True
    return any(_DESTROYING_FLAGS.match(a) for a in call.args[:20] if a.startswith("-"))


def _words(operand: str) -> list[str]:
    """The words of a subcommand; a path or a sentence isn't one."""
    return _PARTS.split(operand) if len(operand) < 40 and re.fullmatch(r"[A-Za-z][\w:.-]*", operand) else []


def _looked_at(call: Call, arg: str) -> str:
    """An argument that may be a file: a disk is worth a question, a secret, too."""
    value = arg.partition("=")[2] if arg.startswith("-") else arg
    if not value or not ("/" in value or "." in value or "_" in value) or not is_known(value):
        return value if not is_known(value) else ""
    full = call.shell.resolve(value)
    if full.startswith("/dev/") and is_disk(full):
        call.effect("device", full)
    return call.shell.reads(value)


def _carried(call: Call) -> None:
    """A known program among the arguments, or a text behind an option that says it is run."""
    args = call.args[:MOST_LOOKED_AT]
    for place, arg in enumerate(args):
        if arg in _EXECUTES and place + 1 < len(args) and re.search(r"\s", args[place + 1]):
            if not is_harmless(["sh", "-c", args[place + 1]], call.shell):
                call.effect("run_other", args[place + 1][:80])
                return
        elif arg.rpartition("/")[2] in _CARRIED and place + 1 < len(args) and not is_harmless(args[place:], call.shell):
            call.effect("run_other", " ".join(args[place:])[:80])
            return
