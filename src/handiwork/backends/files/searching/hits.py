"""Hits as text to read: grouped by file, numbered lines, long lines cut where they don't matter."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .matching import UNKNOWN, Row
from .page import Slice

# Characters of one answer. A page that would be longer ends sooner, and the next one begins there.
PAGE_CHARS = 60_000
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Shown:
    """The text of a page, and how many of its units (hits, or files) it holds."""

    text: str
    units: int


def show_lines(slices: list[Slice], prefix: str, context: int) -> Shown:
    """Each file's path, and below it its lines as `number: text` and their context as `number- text`."""
    budget = _Budget()
    for piece in slices:
        heading = show_path(prefix + piece.found.path)
        for block in _blocks(piece, context):
            if not budget.take([heading, *block] if heading else block):
                return budget.shown()
            heading = ""
    return budget.shown()


def show_files(slices: list[Slice], prefix: str, *, counts: bool = False) -> Shown:
    """One path a line; with *counts* each with its number of hits before it."""
    budget = _Budget()
    for piece in slices:
        path = show_path(prefix + piece.found.path)
        if not budget.take([f"{piece.found.count}: {path}" if counts else path]):
            break
    return budget.shown()


def show_path(path: str) -> str:
    """A path on one line: control characters and bytes that aren't UTF-8 as escapes."""
    return _UNPRINTABLE.sub(_escape, path)


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    if 0xDC80 <= code <= 0xDCFF:  # a byte that wasn't UTF-8
        return f"\\x{code - 0xDC00:02x}"
    return match.group().encode("unicode_escape").decode()


class _Budget:
    def __init__(self) -> None:
        self._lines: list[str] = []
        self._left = PAGE_CHARS
        self._units = 0

    def take(self, lines: list[str]) -> bool:
        """Take one unit; False when it doesn't fit any more. The first one always does."""
        size = sum(map(len, lines)) + len(lines)
        if self._units and size > self._left:
            return False
        self._lines += lines
        self._left -= size
        self._units += 1
        return True

    def shown(self) -> Shown:
        return Shown("\n".join(self._lines), self._units)


def _blocks(piece: Slice, context: int) -> Iterator[list[str]]:
    """The rows of each hit on the page with the context that belongs to it; none is shown twice."""
    rows = piece.found.rows
    starts = [i for i, row in enumerate(rows) if row.kind == "hit"][piece.first : piece.end]
    shown = 0
    for start in starts:
        end = next((i for i in range(start + 1, len(rows)) if rows[i].kind != "more"), len(rows))
        before = _before(rows, start, rows[start].number - context)
        after = _after(rows, end, rows[end - 1].number + context)
        yield [
            *(_line(row, "-") for row in before if row.number > shown),
            *(_line(row, ":") for row in rows[start:end]),
            *(_line(row, "-") for row in after),
        ]
        shown = (after or rows[start:end])[-1].number


def _before(rows: tuple[Row, ...], start: int, first: int) -> tuple[Row, ...]:
    """What stands before a hit, from line *first* on; a hit of an earlier page is context here."""
    begin = start
    while begin and rows[begin - 1].number >= first:
        begin -= 1
    return rows[begin:start]


def _after(rows: tuple[Row, ...], end: int, last: int) -> tuple[Row, ...]:
    stop = end
    while stop < len(rows) and rows[stop].kind == "context" and rows[stop].number <= last:
        stop += 1
    return rows[end:stop]


def _line(row: Row, sign: str) -> str:
    return f"{row.number}{sign} {row.text}{_cut_mark(row)}"


def _cut_mark(row: Row) -> str:
    """Which part of a long line this is, and where else it matches."""
    if row.length == UNKNOWN:
        return f" [cut: from byte {row.start + 1} of a line of more than a million bytes]"
    end = row.start + len(row.text)
    if row.length == len(row.text):
        return ""
    more = f", {row.outside - len(row.columns)} more" if row.outside > len(row.columns) else ""
    also = f"; also matches at column {', '.join(map(str, row.columns))}{more}" if row.columns else ""
    return f" [cut: columns {row.start + 1}-{end} of {row.length}{also}]"
