"""What ripgrep found, as text to read: grouped by file, numbered lines, one page of it."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable
from typing import Any

MAX_WIDTH = 300
# A line of output longer than this is not taken apart: its file has a line of megabytes.
_MAX_LINE_BYTES = 4 << 20


class Lines:
    """Cuts a stream of bytes into lines for *hear*, in bounded memory."""

    def __init__(self, hear: Callable[[bytes], None]) -> None:
        self._hear = hear
        self._pending = bytearray()
        self._overlong = False

    def feed(self, chunk: bytes) -> None:
        *whole, rest = chunk.split(b"\n")
        for line in whole:
            self._grow(line)
            self.end()
        self._grow(rest)

    def _grow(self, more: bytes) -> None:
        if len(self._pending) + len(more) > _MAX_LINE_BYTES:
            self._overlong = True
        if not self._overlong:
            self._pending += more

    def end(self) -> None:
        """Hand on what stands there without a line end."""
        if self._pending:
            self._hear(bytes(self._pending[:1024]) + b"..." if self._overlong else bytes(self._pending))
        self._pending.clear()
        self._overlong = False


class ContentPage:
    """The hits from *offset* on, at most *limit*, with their context lines. Counts all of them."""

    def __init__(self, wanted: Callable[[str], bool], *, offset: int, limit: int) -> None:
        self._wanted, self._first, self._end = wanted, offset, offset + limit
        self._rows: list[str] = []
        self._before: list[str] = []
        self._path = ""
        self._shown_path = ""
        self._after = False
        self._hearers = {"begin": self._begin, "match": self._match, "context": self._context}
        self.total = self.files = 0
        self.complaints: list[str] = []

    def hear(self, line: bytes) -> None:
        if not line.startswith(b"{"):
            self.complaints.append(line.decode("utf-8", "replace"))
            return
        if line.endswith(b"..."):  # no JSON ends so: the start of an overlong line
            self._hit(f"a line longer than {_MAX_LINE_BYTES:,} bytes matches; it isn't shown")
            return
        event = json.loads(line)
        if event["type"] in self._hearers:
            self._hearers[event["type"]](event["data"])

    def text(self) -> str:
        return "\n".join(self._rows)

    def _begin(self, data: Any) -> None:
        self._path = _text(data["path"]).removeprefix("./")
        self._before.clear()
        self._after = False
        self.files += self._wanted(self._path)

    def _context(self, data: Any) -> None:
        row = f"{data['line_number']}- {_shortened(_text(data['lines']).rstrip(), 0)}"
        (self._rows if self._after else self._before).append(row)

    def _match(self, data: Any) -> None:
        number, text = data["line_number"], _text(data["lines"]).rstrip("\r\n")
        first = data["submatches"][0]["start"] if data["submatches"] else 0
        rows = [_shortened(line, first) for line in text.split("\n")]
        self._hit("\n".join(f"{n}: {row}" for n, row in enumerate(rows, number)))

    def _hit(self, row: str) -> None:
        if not self._wanted(self._path):
            return
        self.total += 1
        self._after = self._first < self.total <= self._end
        if self._after:
            if self._shown_path != self._path:
                self._rows.append(self._path)
                self._shown_path = self._path
            self._rows += [*self._before, row]
        self._before.clear()


class FilePage:
    """The names from *offset* on, at most *limit*, of the files that are wanted. Counts all of them."""

    def __init__(self, wanted: Callable[[str], bool], *, offset: int, limit: int) -> None:
        self._wanted, self._first, self._end = wanted, offset, offset + limit
        self._rows: list[str] = []
        self.total = 0
        self.complaints: list[str] = []

    @property
    def files(self) -> int:
        return self.total

    def hear(self, line: bytes) -> None:
        path = line.decode("utf-8", "replace").removeprefix("./")
        if path.startswith("rg: "):
            self.complaints.append(path)
        elif self._wanted(path):
            self.total += 1
            if self._first < self.total <= self._end:
                self._rows.append(path)

    def text(self) -> str:
        return "\n".join(self._rows)


def _text(data: dict[str, str]) -> str:
    """Text of ripgrep's JSON; what isn't UTF-8 comes as base64 and is read as Latin-1."""
    return data["text"] if "text" in data else b64decode(data["bytes"]).decode("latin-1")


def _shortened(line: str, match_byte: int) -> str:
    """A long line as the window around its match, with marks where it goes on."""
    if len(line) <= MAX_WIDTH:
        return line
    at = len(line.encode()[:match_byte].decode(errors="ignore"))
    start = max(0, min(at - MAX_WIDTH // 3, len(line) - MAX_WIDTH))
    end = start + MAX_WIDTH
    return f"{'[...]' * (start > 0)}{line[start:end]}{'[...]' * (end < len(line))}"
