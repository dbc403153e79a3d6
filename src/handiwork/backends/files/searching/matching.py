"""Finding a pattern in the bytes of one file, and cutting the lines that are shown of it.

The plain search runs this file as a program of its own, so that a pattern that never comes to an end
can be ended. Therefore: standard library only, and nothing of ours is imported.
"""

from __future__ import annotations

import codecs
import json
import re
import sys
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, BinaryIO, NamedTuple

WIDTH = 300
# The length of a line that is too long to be looked at as a whole; `start` then counts bytes.
UNKNOWN = -1
_MAX_COLUMNS = 5
_MARKS = (
    (codecs.BOM_UTF8, "utf-8", "surrogateescape"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "replace"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "replace"),
)

Span = tuple[int, int]


class Row(NamedTuple):
    """A line to show: `text` is what stands from character `start` (from 0) on, of `length` in all.

    `kind` is `hit`, `more` (a further line of the same hit) or `context`. `columns` (from 1) are those
    of the first matches outside the text, `outside` is how many those are in all.
    """

    number: int
    kind: str
    text: str
    start: int
    length: int
    columns: Sequence[int] = ()
    outside: int = 0


class Group(NamedTuple):
    """Matches that share lines: the first and the last line (from 0), and where the matches are."""

    first: int
    last: int
    spans: list[Span]


def cut_line(number: int, kind: str, line: str, starts: Sequence[int] = ()) -> Row:
    """A line, or the window around the first of the matches that start in it."""
    if len(line) <= WIDTH:
        return Row(number, kind, line, 0, len(line))
    at = starts[0] if starts else 0
    start = max(0, min(at - WIDTH // 3, len(line) - WIDTH))
    beyond = [s + 1 for s in starts if not start <= s < start + WIDTH]
    return Row(number, kind, line[start : start + WIDTH], start, len(line), beyond[:_MAX_COLUMNS], len(beyond))


def group_matches(text: str, spans: Iterable[Span]) -> Iterator[Group]:
    """Matches of *text* grouped by the lines they stand in; behind the last line end there is no line."""
    breaks = [m.start() for m in re.finditer("\n", text)]
    lines_end = len(text) if text.endswith("\n") or not text else len(text) + 1
    group: Group | None = None
    for start, end in spans:
        if start >= lines_end:
            break
        first, last = bisect_left(breaks, start), bisect_left(breaks, max(start, end - 1))
        if group and first <= group.last:
            group.spans.append((start, end))
            group = group._replace(last=max(last, group.last))
            continue
        if group:
            yield group
        group = Group(first, last, [(start, end)])
    if group:
        yield group


def rows_of(group: Group, lines: Sequence[str], begins: Sequence[int], number: int) -> Iterator[Row]:
    """The rows of one hit. *begins* says where the lines start in the text, *number* is that of its first."""
    for index in range(group.first, group.last + 1):
        begin, line = begins[index], lines[index]
        starts = [s - begin for s, end in group.spans if s < end and begin <= s <= begin + len(line)]
        yield cut_line(number + index, "hit" if index == group.first else "more", _readable(line), starts)


def line_begins(lines: Sequence[str]) -> list[int]:
    """Where each line starts in the text that they make with a newline between them."""
    begins, at = [], 0
    for line in lines:
        begins.append(at)
        at += len(line) + 1
    return begins


def decode(data: bytes) -> str | None:
    """The text of a file with plain newlines; None for binary data. Foreign bytes become surrogates."""
    codec, errors = "utf-8", "surrogateescape"
    for mark, named, how in _MARKS:
        if data.startswith(mark):
            data, codec, errors = data[len(mark) :], named, how
    text = data.decode(codec, errors)
    return None if "\0" in text else text.replace("\r\n", "\n")


def _readable(line: str) -> str:
    """A line that isn't UTF-8, as Latin-1: every byte is a character of it."""
    if line.isascii() or not re.search("[\udc80-\udcff]", line):
        return line
    return line.encode("utf-8", "surrogateescape").decode("latin-1")


class Finder:
    """One pattern for many files; a file without the text *needs* isn't looked at. Raises `re.error`."""

    def __init__(self, pattern: str, flags: int, *, needs: str, multiline: bool, context: int) -> None:
        self._pattern = re.compile(pattern, flags | (re.MULTILINE if multiline else 0))
        self._needs, self._multiline, self._context = needs, multiline, context

    def find(self, data: bytes, room: int) -> tuple[int, list[Row]] | None:
        """How many hits there are, and the rows of the first *room*; None for binary data."""
        text = decode(data)
        if text is None:
            return None
        if not text or self._needs not in text:
            return 0, []
        lines = text.removesuffix("\n").split("\n")
        groups = list(self._over_lines(text) if self._multiline else self._by_line(lines))
        return len(groups), list(self._rows(groups, room, lines)) if groups else []

    def _over_lines(self, text: str) -> Iterator[Group]:
        return group_matches(text, (m.span() for m in self._pattern.finditer(text)))

    def _by_line(self, lines: list[str]) -> Iterator[Group]:
        begin, search = 0, self._pattern.search
        for index, line in enumerate(lines):
            if search(line):
                spans = [(begin + m.start(), begin + m.end()) for m in self._pattern.finditer(line)]
                yield Group(index, index, spans)
            begin += len(line) + 1

    def _rows(self, groups: list[Group], room: int, lines: list[str]) -> Iterator[Row]:
        shown, begins = 0, line_begins(lines)
        for place, group in enumerate(groups[:room]):
            yield from self._context_rows(lines, max(shown, group.first - self._context), group.first)
            yield from rows_of(group, lines, begins, 1)
            following = groups[place + 1].first if place + 1 < len(groups) else len(lines)
            shown = min(group.last + 1 + self._context, following)
            yield from self._context_rows(lines, group.last + 1, shown)

    def _context_rows(self, lines: list[str], first: int, end: int) -> Iterator[Row]:
        return (cut_line(i + 1, "context", _readable(lines[i])) for i in range(first, end))


def main(asked: BinaryIO, answers: BinaryIO) -> None:
    """Serve: one line says what to look for; then batches, a line with sizes and rooms and then the bytes."""
    job = json.loads(asked.readline())
    try:
        finder = Finder(**job)
    except (re.error, OverflowError, RecursionError) as error:
        _answer(answers, {"error": str(error)})
        return
    _answer(answers, {})
    while batch := asked.readline():
        files = [(asked.read(size), room) for size, room in json.loads(batch)]
        for data, room in files:
            _answer(answers, finder.find(data, room))


def _answer(answers: BinaryIO, value: Any) -> None:
    answers.write(json.dumps(value).encode() + b"\n")
    answers.flush()  # at once: whoever waits can tell at which file we hang


if __name__ == "__main__":
    main(sys.stdin.buffer, sys.stdout.buffer)
