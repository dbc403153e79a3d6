"""Hunks, which both forms of patches have: headers with @@, and lines with marks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TypeAlias

from .changes import Hunk, Lines
from .reader import Reader

IsOver: TypeAlias = Callable[[Reader], bool]

_NUMBERS = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_NO_MARK = "each line of a hunk begins with a space, + or -"


def read_hunks(reader: Reader, is_over: IsOver) -> Iterator[Hunk]:
    """The hunks of one file, up to where *is_over* sees its end. All but the first have a header."""
    reader.skip_blank()
    while not is_over(reader):
        yield _hunk(reader, is_over)
        reader.skip_blank()
        if not is_over(reader) and not reader.starts("@@"):
            reader.fail(_NO_MARK, "put a space before lines that stay, and @@ above each hunk")


def _hunk(reader: Reader, is_over: IsOver) -> Hunk:
    start, (anchors, numbers) = reader.at + 1, _header(reader)
    body = _counted(reader, numbers[1], numbers[3], is_over) if numbers else None
    lines = _marked(reader, is_over) if body is None else body
    _check(reader, start, lines)
    at_end = reader.shows("*** End of File")
    reader.at += at_end
    old_at, new_at = (numbers[0], numbers[2]) if numbers else (0, 0)
    return Hunk(lines, anchors, old_at, new_at, at_end, miscounted=bool(numbers) and body is None, line=start)


def _header(reader: Reader) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The anchors above a hunk, and what it claims: old line, how many, new line, how many."""
    anchors: list[str] = []
    numbers: tuple[int, ...] = ()
    while reader.starts("@@"):
        if reader.starts("@@@"):
            reader.fail("a diff of a merge has several old files", "make a diff against one of them")
        anchor = reader.line[2:].strip().removesuffix("@@").strip()
        if found := _NUMBERS.match(reader.line):
            numbers = tuple(int(n or 1) for n in found.groups())
        elif anchor not in ("", "..."):
            anchors.append(anchor)
        reader.at += 1
    return tuple(anchors), numbers


def _counted(reader: Reader, olds: int, news: int, is_over: IsOver) -> Lines | None:
    """The lines that the header counts; None, and nothing read, where there aren't as many."""
    start, lines = reader.at, list[tuple[str, str]]()
    while (olds > 0 or news > 0 or reader.starts("\\")) and not reader.ended:
        mark = _take(reader, lines)
        if not mark:
            break
        olds, news = olds - (mark in " -"), news - (mark in " +")
    if olds or news or (reader.line.strip() and reader.starts(" ", "+", "-") and not is_over(reader)):
        reader.at = start
        return None
    return tuple(lines)


def _marked(reader: Reader, is_over: IsOver) -> Lines:
    """The lines up to the next header, without empty ones before it: they may only part the two."""
    lines = list[tuple[str, str]]()
    while not is_over(reader) and not reader.starts("@@", "*** "):
        if not _take(reader, lines):
            reader.fail(_NO_MARK, "put a space before lines that stay")
    last = reader.at
    while lines and not reader.lines[last - 1].rstrip("\r"):
        lines.pop()
        last -= 1
    return tuple(lines)


def _take(reader: Reader, lines: list[tuple[str, str]]) -> str:
    """Take the next line of a hunk and give its mark, empty if it has none."""
    line = reader.line
    mark = line[:1] if line not in ("", "\r") else " "
    if mark == "\\":
        if not lines:
            reader.fail("there is no line before this one")
        # "\\ No newline at end of file", in whatever language
        lines[-1] = (lines[-1][0], lines[-1][1].removesuffix("\n"))
    elif mark in " +-":
        lines.append((mark, f"{line.removeprefix(mark)}\n"))
    else:
        return ""
    reader.at += 1
    return mark


def _check(reader: Reader, start: int, lines: Lines) -> None:
    if all(mark == " " for mark, _ in lines):
        reader.fail(f"the hunk of line {start} changes nothing", "add lines that begin with + or -")
    for other in "+-":
        side = [text for mark, text in lines if mark != other]
        if any(not text.endswith("\n") for text in side[:-1]):
            reader.fail(f"in the hunk of line {start} a line follows the one that was said to be the last")
