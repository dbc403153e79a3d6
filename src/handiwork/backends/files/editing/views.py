"""A text seen with less care, line by line: where a text stands that was copied a little wrongly.

What may be disregarded are things that can't change what a text means: line ends, white space
before them, and which quotes stand for quotes. Indentation is never among them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

_QUOTES = str.maketrans({**dict.fromkeys("“”„‟", '"'), **dict.fromkeys("‘’‚‛", "'")})
_ENDS = re.compile(r"\r(?=\n)")
# The look behind keeps it linear: a run of blanks is tried once, not once for each of them.
_TRAILING = re.compile(r"(?<![ \t])[ \t]++\r?(?=\n|\Z)|\r(?=\n)")


@dataclass(frozen=True, slots=True)
class Care:
    """How a text is compared: what is disregarded, and what to say when that made it match."""

    note: str
    trailing: bool = False
    quotes: bool = False

    def plain(self, text: str) -> str:
        """*text* without what is disregarded."""
        text = (_TRAILING if self.trailing else _ENDS).sub("", text) if self.trailing or "\r" in text else text
        return text.translate(_QUOTES) if self.quotes and not text.isascii() else text


ENDS = Care("line ends were read as those of the file")
QUOTES = Care("quotes were read as those of the file, which look alike", quotes=True)
TRAILING = Care("white space at the ends of lines was disregarded", trailing=True)
BOTH = Care(f"{TRAILING.note}; {QUOTES.note}", trailing=True, quotes=True)


@dataclass(frozen=True, slots=True)
class View:
    """What is left of a text, and the way back: before `cuts[n]`, `lost[n]` characters were left out."""

    text: str
    cuts: list[int]
    lost: list[int]

    def back(self, at: int) -> int:
        """The place in the whole text of a place in this one."""
        before = bisect_left(self.cuts, at)
        return at + (self.lost[before - 1] if before else 0)


def view(text: str, care: Care) -> View:
    """*text* as it is seen with *care*. Linear."""
    cuts, lost, gone = list[int](), list[int](), 0
    for found in (_TRAILING if care.trailing else _ENDS).finditer(text) if care.trailing or "\r" in text else ():
        cuts.append(found.start() - gone)
        gone += found.end() - found.start()
        lost.append(gone)
    return View(care.plain(text), cuts, lost)


def places(text: str, wanted: str, *, step: int = 0) -> Iterator[int]:
    """Where *wanted* stands in *text*; the next is looked for *step* characters on, or behind it."""
    at = text.find(wanted)
    while at >= 0:
        yield at
        at = text.find(wanted, at + (step or len(wanted)))


def line_at(text: str, at: int) -> int:
    """The number of the line, from 1, of a place in *text*."""
    return text.count("\n", 0, at) + 1


def usual_end(text: str) -> str:
    """The line end that most lines of *text* have."""
    return "\r\n" if 2 * text.count("\r\n") > text.count("\n") else "\n"
