"""What ripgrep says, read as it comes, in bounded memory."""

from __future__ import annotations

import json
import os
import re
from base64 import b64decode
from collections.abc import Callable, Iterator
from typing import Any

from .matching import UNKNOWN, Group, Row, Span, cut_line, group_matches, line_begins, rows_of
from .page import FileHits, Page
from .query import Rank, Sweep

# A record longer than this isn't taken apart: its file has a line of megabytes. Bytes.
MAX_RECORD = 1 << 20
_HEAD_BYTES = 1024
_TAIL_BYTES = 1 << 16
# Behind the text of a line; a quote inside of that text would have a backslash before it.
_AFTER_TEXT = re.compile(
    rb'"\},"line_number":(?P<number>\d+),"absolute_offset":(?P<offset>\d+),"submatches":'
    rb'\[\{"match":\{"(?:text|bytes)":"(?P<match>(?:[^"\\]|\\.)*)"\},"start":(?P<start>\d+)'
)
_MATCH, _CONTEXT, _BEGIN, _END = b'{"type":"match"', b'{"type":"context"', b'{"type":"begin"', b'{"type":"end"'
_SUMMARY = b'"type":"summary"}'


class Records:
    """Cuts a stream of bytes at *end*. Of overlong records only the start is kept, and what follows the line's text."""

    def __init__(
        self,
        hear: Callable[[bytes], None],
        hear_overlong: Callable[[bytes, re.Match[bytes] | None], None],
        end: bytes = b"\n",
    ) -> None:
        self._hear, self._hear_overlong, self._end = hear, hear_overlong, end
        self._pending = bytearray()
        self._head = b""
        self._after_text: re.Match[bytes] | None = None

    def feed(self, chunk: bytes) -> None:
        *whole, rest = chunk.split(self._end)
        for part in whole:
            if self._pending:
                self._grow(part)
                self.end()
            elif part:
                self._hear(part)
        self._grow(rest)

    def _grow(self, more: bytes) -> None:
        self._pending += more
        if self._head or len(self._pending) > MAX_RECORD:
            self._head = self._head or bytes(self._pending[:_HEAD_BYTES])
            self._after_text = self._after_text or _AFTER_TEXT.search(bytes(self._pending))
            del self._pending[:-_TAIL_BYTES]

    def end(self) -> None:
        """Hand on what stands there without an end."""
        record, head, after_text = bytes(self._pending), self._head, self._after_text
        self._pending.clear()
        self._head, self._after_text = b"", None
        if head:
            self._hear_overlong(head, after_text)
        elif record:
            self._hear(record)


class Contents:
    """Puts the hits of `rg --json` on a page. With *split* one event may hold several hits."""

    def __init__(self, sweep: Sweep, page: Page, *, split: bool) -> None:
        self._sweep, self._page, self._split = sweep, page, split
        self._path: str | None = None
        self._mtime_ns = self._room = self._count = 0
        self._rows: list[Row] = []
        self._binary = 0
        self.searched: int | None = None
        self.complaints: list[str] = []

    @property
    def hits(self) -> int:
        """How many there are by now, with those of the file that is just being heard."""
        return self._page.hits + self._count

    def hear(self, record: bytes) -> None:
        if record.startswith(_MATCH):
            self._match(record)
        elif record.startswith(_CONTEXT):
            if self._path is not None and self._count <= self._room > 0:
                self._context(json.loads(record)["data"])
        elif record.startswith(_BEGIN):
            self._begin(json.loads(record)["data"])
        elif record.startswith(_END):
            self._finish_file(binary=json.loads(record)["data"]["binary_offset"] is not None)
        elif record.endswith(_SUMMARY):
            self.searched = json.loads(record)["data"]["stats"]["searches"]
        else:
            self.complaints.append(record.decode("utf-8", "replace"))

    def hear_overlong(self, head: bytes, after_text: re.Match[bytes] | None) -> None:
        """A match in a line of megabytes: what surrounds it is read from the file itself."""
        if not head.startswith(_MATCH) or self._path is None:
            return
        self._count += 1
        if self._count <= self._room:
            self._rows.append(_overlong_row(after_text, self._absolute()))

    def finish(self) -> None:
        """Keep what was found in the file at which the search was stopped."""
        self._finish_file(binary=False)

    def notes(self) -> Iterator[str]:
        if self._binary and self._sweep.single:
            yield "it is a binary file: search it with a command that understands its format"
        elif self.searched is not None:
            yield from self.complaints[:3]

    def _begin(self, data: Any) -> None:
        path = "" if self._sweep.single else _path(data["path"])
        self._rows, self._count = [], 0
        self._path = path if self._sweep.single or self._sweep.choice.fits(path) else None
        if self._path is not None:
            self._mtime_ns = _mtime_ns(self._absolute())
            self._room = self._page.room(path, self._mtime_ns)

    def _absolute(self) -> str:
        return self._sweep.root if self._sweep.single else os.path.join(self._sweep.root, self._path or "")

    def _match(self, record: bytes) -> None:
        if self._path is None:
            return
        if not self._split and self._count >= self._room:
            self._count += 1
            return
        data = json.loads(record)["data"]
        text = _text(data["lines"]).replace("\r\n", "\n")
        lines = text.removesuffix("\n").split("\n")
        begins = line_begins(lines)
        for group in list(group_matches(text, _spans(data))) or [Group(0, 0, [])]:
            self._count += 1
            if self._count <= self._room:
                self._rows += rows_of(group, lines, begins, data["line_number"])

    def _context(self, data: Any) -> None:
        line = _text(data["lines"]).rstrip("\r\n")
        self._rows.append(cut_line(data["line_number"], "context", line))

    def _finish_file(self, *, binary: bool) -> None:
        self._binary += binary
        if self._path is not None and self._count and not binary:
            self._page.add(FileHits(self._path, self._mtime_ns, self._count, tuple(self._rows)))
        self._path, self._count = None, 0


class Names:
    """Puts the files of `rg --files --null` that have a rank on a page."""

    def __init__(self, sweep: Sweep, rank: Rank, page: Page) -> None:
        self._sweep, self._rank, self._page = sweep, rank, page
        self._root = sweep.root.rstrip("/") + "/"

    @property
    def hits(self) -> int:
        return 0

    def hear(self, record: bytes) -> None:
        path = os.fsdecode(record.removeprefix(b"./"))
        if self._sweep.choice.fits(path) and (rank := self._rank(path)) is not None:
            self._page.add(FileHits(path, _mtime_ns(self._root + path), rank=rank))


def _mtime_ns(path: str) -> int:
    """When a file was changed, in ns; 0 for one that is gone meanwhile."""
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0


def _path(data: dict[str, str]) -> str:
    raw = data["text"].encode() if "text" in data else b64decode(data["bytes"])
    return os.fsdecode(raw.removeprefix(b"./"))


def _text(data: dict[str, str]) -> str:
    """Text of ripgrep's JSON; what isn't UTF-8 comes as base64 and is read as Latin-1."""
    return data["text"] if "text" in data else b64decode(data["bytes"]).decode("latin-1")


def _spans(data: Any) -> list[Span]:
    """The matches in characters of the text with plain line ends; ripgrep counts bytes of the original."""
    found = [(m["start"], m["end"]) for m in data["submatches"]]
    lines = data["lines"]
    if "text" not in lines or lines["text"].isascii():
        raw = _text(lines)
        return [(s - raw.count("\r\n", 0, s), e - raw.count("\r\n", 0, e)) for s, e in found]
    raw_bytes = lines["text"].encode()
    return [(_characters(raw_bytes[:s]), _characters(raw_bytes[:e])) for s, e in found]


def _characters(prefix: bytes) -> int:
    return len(prefix.decode("utf-8", "ignore").replace("\r\n", "\n"))


def _overlong_row(found: re.Match[bytes] | None, path: str) -> Row:
    if found is None:
        return Row(0, "hit", (said := "(a match of thousands of characters in a line of millions)"), 0, len(said))
    start = int(found["start"])
    begin = max(start - 100, 0)
    try:
        with open(path, "rb") as file:
            file.seek(int(found["offset"]) + begin)
            around = file.read(300)
    except OSError:
        around = b""
    text = around.split(b"\n")[0].decode("utf-8", "ignore")
    if (match := json.loads(b'"%b"' % found["match"])[:100]) not in text:  # the file isn't UTF-8
        text, begin = match, start
    return Row(int(found["number"]), "hit", text, begin, UNKNOWN)
