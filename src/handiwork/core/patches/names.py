"""Names of files as diffs write them: with letters before them, a time behind them, or in quotes."""

from __future__ import annotations

import re

from .reader import Reader

NONE = "/dev/null"

_PREFIXES = (("a/", "b/"), ("b/", "a/"), ("i/", "w/"), ("c/", "i/"), ("c/", "w/"), ("o/", "w/"))
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*+)"')
_ESCAPE = re.compile(rb"\\([0-7]{1,3}|.)", re.DOTALL)
_LETTERS = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}


def name_of(reader: Reader, text: str) -> str:
    """The name that *text* of the reader's line begins with: up to a tab, or in quotes."""
    quoted = _QUOTED.match(text)
    return reader.path(_unquoted(quoted.group(1)) if quoted else text.partition("\t")[0])


def _unquoted(text: str) -> str:
    def plain(found: re.Match[bytes]) -> bytes:
        said = found.group(1)
        return bytes([int(said, 8) & 0xFF]) if said.isdigit() else _LETTERS.get(said, said)

    return _ESCAPE.sub(plain, text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogateescape")


def bare(old: str, new: str) -> tuple[str, str]:
    """Two names without the letters that git puts before them, where both have them."""
    for a, b in _PREFIXES:
        if (old == NONE or old.startswith(a)) and (new == NONE or new.startswith(b)):
            return (old if old == NONE else old[len(a) :]), (new if new == NONE else new[len(b) :])
    return old, new


def names_of(reader: Reader, both: str) -> tuple[str, str]:
    """The one name, twice, of a line `diff --git a/NAME b/NAME`."""
    if quoted := _QUOTED.match(both):
        old, rest = _unquoted(quoted.group(1)), both[quoted.end() + 1 :]
        second = _QUOTED.match(rest)
        pair = bare(old, _unquoted(second.group(1)) if second else rest)
    else:
        half = len(both) // 2
        pair = bare(both[:half], both[half + 1 :])
    if pair[0] != pair[1]:
        reader.at -= 1
        reader.fail("the names differ", "add the lines `--- PATH` and `+++ PATH`")
    return reader.path(pair[0]), reader.path(pair[1])
