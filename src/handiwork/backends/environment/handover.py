"""What a command hands on to the next one: the shell itself tells it, on a descriptor of its own.

The shell tells its folder and its exported variables before and after the command's text, with nothing
but builtins. While the text runs the descriptor is closed, so that no program of it can tell in its stead.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping

from ...core.types import Command, ShellState

# What the carried variables may be together; the largest stay behind. Characters.
MOST_CARRIED = 64 * 1024

_TELL = r"{ printf '\0>' && command pwd -P && printf '\0' && command export -p && printf '\0<'; } 2>/dev/null >&9"
_UNSEEN = "{ set +x; } 2>/dev/null"
_RECORD = re.compile(rb"\0>([^\0]*)\n\0([^\0]*)\0<")
_PIECE = r"""'[^']*'|\$'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\]"""
_VARIABLE = re.compile(
    rf"^(?:declare -(?P<flags>\S+)|export) (?P<name>[A-Za-z_]\w*)(?:=(?P<value>(?:{_PIECE}| )*+))?$".encode(),
    re.MULTILINE | re.DOTALL,
)
_PIECES = re.compile(_PIECE.encode(), re.DOTALL)
_ESCAPE = re.compile(rb"\\([0-7]{1,3}|.)", re.DOTALL)
_IN_DOUBLE = re.compile(rb'\\([$`"\\])')
_NAMED = {b"a": b"\a", b"b": b"\b", b"E": b"\x1b", b"e": b"\x1b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t"}
_NAMED[b"v"] = b"\v"
# Of one shell, not of a session; and what would give the text of the next command another meaning.
_STAY = {"PWD", "SHLVL", "_", "IFS", "BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "BASH_XTRACEFD", "BASH_COMPAT", "PS4"}


def telling(text: str) -> str:
    """A shell text that runs *text* as it is and tells on descriptor 9 what it would hand on.

    Exit code, `exit`, `set -e` and traps of the text keep their meaning. Nothing is told by a shell that
    was killed or replaced by `exec`, whose folder is gone, or that left by `exit` with an EXIT trap of its own.
    """
    at_exit = shlex.quote(f"{_UNSEEN}; {_TELL}")
    return (
        f"{_TELL}; trap {at_exit} EXIT; eval {shlex.quote(text)} 9>&-; "
        f'{{ set +x -- "$?"; }} 2>/dev/null; {_TELL}; exit "$1"'
    )


def handed_on(told: bytes, command: Command) -> tuple[ShellState | None, bytes]:
    """What *told* says of the state after *command*, None if it doesn't; and what else was said there.

    A command that ends where it began hands on its folder by the name that it was given.
    """
    records = _RECORD.findall(told)
    beside = _RECORD.sub(b"", told).replace(b"\0>", b"")
    if len(records) < 2 or not records[-1][0]:  # some shells find no words for a folder that is gone
        return None, beside
    (began, before), (ended, after) = records[0], records[-1]
    folder = command.cwd if began == ended else os.fsdecode(ended)
    return ShellState(folder, _carried(command.env, before, after)), beside


def _carried(given: Mapping[str, str], before: bytes, after: bytes) -> dict[str, str]:
    """The session's variables once those that the command changed are laid over the *given* ones."""
    if before == after:
        return dict(given)
    old, new = exported(before), exported(after)
    changed = {name: value for name, value in new.items() if old.get(name) != value}
    gone = dict.fromkeys(old.keys() - new.keys(), "")
    return _bounded({**given, **changed, **gone})


def _bounded(variables: dict[str, str]) -> dict[str, str]:
    while sum(len(name) + len(value) for name, value in variables.items()) > MOST_CARRIED:
        variables.pop(max(variables, key=lambda name: len(variables[name])))
    return variables


def exported(listing: bytes) -> dict[str, str]:
    """The variables in what `export -p` of a shell prints, without arrays and functions."""
    found: dict[str, str] = {}
    for match in _VARIABLE.finditer(listing):
        name = match["name"].decode()
        flags = match["flags"] or b""
        if match["value"] is None or name in _STAY or b"a" in flags or b"A" in flags:
            continue
        value = os.fsdecode(b"".join(map(_unquoted, _PIECES.findall(match["value"]))))
        if not value.startswith("() {"):  # how some shells hand functions on
            found[name] = value
    return found


def _unquoted(piece: bytes) -> bytes:
    match piece[:1]:
        case b"'":
            return piece[1:-1]
        case b'"':
            return _IN_DOUBLE.sub(rb"\1", piece[1:-1])
        case b"\\":
            return piece[1:]
        case b"$" if piece[1:2] == b"'":
            return _ESCAPE.sub(_meant, piece[2:-1])
    return piece


def _meant(escape: re.Match[bytes]) -> bytes:
    sign = escape[1]
    return bytes([int(sign, 8) & 0xFF]) if sign.isdigit() else _NAMED.get(sign, sign)
