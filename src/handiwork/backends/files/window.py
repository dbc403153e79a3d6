"""A window of a text file: some lines, in constant memory, and where to read on.

A short file is read whole: then its lines are counted and its encoding is sure. Of a long one only
what is on the way to the window is looked at.
"""

from __future__ import annotations

import codecs
import io
from dataclasses import dataclass, replace
from typing import BinaryIO

from ...core.errors import UsageError
from .lines import Lines
from .text import Encoding, Newline, decode, newline_of, other_encoding, sniff

# Up to here counting the lines costs less than anybody notices. Bytes.
COUNTED_BYTES = 8 << 20
_HEAD_BYTES = 64 << 10
_SLACK = 8


@dataclass(frozen=True, slots=True)
class Place:
    """A position in a text. `line` counts from 1, or from -1 backwards; `column` from 1, in characters."""

    line: int
    column: int = 1


@dataclass(frozen=True, slots=True)
class Survey:
    """What a file is. `lines` is None where the file is too long to be counted; `size` is in bytes."""

    size: int
    encoding: Encoding
    newline: Newline
    lines: int | None


@dataclass(frozen=True, slots=True)
class Window:
    """Text from `first` on with its line ends made plain newlines; `next` is None at the end of the file.

    `stops` says why a text ends before its file does.
    """

    text: str
    first: Place
    last_line: int
    next: Place | None
    file: Survey
    stops: str = ""


def read_window(
    file: BinaryIO, name: str, start: Place, *, max_lines: int, max_bytes: int, counted: int = COUNTED_BYTES
) -> Window:
    """Up to *max_lines* lines and *max_bytes* of them as UTF-8, from *start*.

    A line is divided only where it alone is longer than that. Files up to *counted* bytes are read
    whole. Raises `UsageError` for a start behind the end and for what isn't text.
    """
    file, seen = _survey(file, name, counted)
    lines = Lines(file, seen.encoding.codec, len(seen.encoding.bom), seen.size)
    offset, start = _begin(lines, start, seen, name)
    block = _Block.at(file, offset, seen, max_bytes)
    return _window(block.decoded(seen, name), start, max_lines=max_lines, max_bytes=max_bytes)


def _survey(file: BinaryIO, name: str, counted: int) -> tuple[BinaryIO, Survey]:
    size = file.seek(0, io.SEEK_END)
    file.seek(0)
    if size > counted:
        return file, _glance(file.read(_HEAD_BYTES), size, name)
    data = file.read(counted + 1)
    whole = decode(data, name)
    lines = whole.text.count("\n") + (whole.text[-1:] not in ("", "\n"))
    return io.BytesIO(data), Survey(len(data), whole.encoding, newline_of(whole.text), lines)


def _glance(head: bytes, size: int, name: str) -> Survey:
    """What the start of a long file says of all of it."""
    encoding = sniff(head[:8192], name)
    body = head[len(encoding.bom) :]
    try:
        text = codecs.getincrementaldecoder(encoding.codec)().decode(body)
    except UnicodeDecodeError:
        encoding = other_encoding(encoding, body, name)
        text = body.decode(encoding.codec, "ignore")  # only its line ends are looked at
    return Survey(size, encoding, newline_of(text), None)


def _begin(lines: Lines, start: Place, seen: Survey, name: str) -> tuple[int, Place]:
    """The byte where the window begins, and its place counted as well as it can be."""
    if start.line < 0 and seen.lines is None:
        offset, found = lines.backward(-start.line)
        start = replace(start, line=-found if found == -start.line else 1)
    else:
        start = replace(start, line=_from_the_start(start.line, seen))
        offset, passed = lines.forward(start.line - 1)
        if passed < start.line - 1 or (passed and offset >= lines.end):
            raise UsageError(f"there is no line {start.line} in {name}", f"the file has {lines.total(passed)} lines")
    return _across(lines, offset, start, name) if start.column > 1 else offset, start


def _across(lines: Lines, offset: int, start: Place, name: str) -> int:
    try:
        across = lines.across(offset, start.column - 1)
    except UnicodeDecodeError:
        raise UsageError(f"line {start.line} of {name} isn't {lines.codec} throughout", "read another part") from None
    if across is None:
        raise UsageError(f"line {start.line} of {name} ends before column {start.column}", "leave column out")
    return across


def _from_the_start(line: int, seen: Survey) -> int:
    if line > max(seen.lines or line, 1):
        raise UsageError(f"there is no line {line}", f"the file has {seen.lines} lines")
    return line if line > 0 else max(1, (seen.lines or 0) + line + 1) if line else 1


@dataclass(frozen=True, slots=True)
class _Block:
    """The bytes that hold the window, and whether the file ends with them."""

    data: bytes
    is_last: bool

    @classmethod
    def at(cls, file: BinaryIO, offset: int, seen: Survey, max_bytes: int) -> _Block:
        width = len("\n".encode(seen.encoding.codec))
        file.seek(offset)
        data = file.read(max_bytes * width + _SLACK)
        return cls(data, offset + len(data) >= seen.size)

    def decoded(self, seen: Survey, name: str) -> _Text:
        encoding = seen.encoding
        try:
            text = self._text(encoding.codec)
        except UnicodeDecodeError:  # a long file that began as UTF-8
            encoding = other_encoding(encoding, self.data, name)
            text = self._text(encoding.codec)
        known = seen if seen.lines is not None else replace(seen, encoding=encoding)
        holes = text.find("\0")
        if holes < 0:
            return _Text(text, known, self.is_last)
        if holes == 0:
            raise UsageError(f"{name} holds binary data there, not text", "read another part, or use a command")
        return _Text(text[:holes], known, is_last=True, stops="binary data (NUL bytes) follows")

    def _text(self, codec: str) -> str:
        return codecs.getincrementaldecoder(codec)().decode(self.data, final=self.is_last)


@dataclass(frozen=True, slots=True)
class _Text:
    text: str
    file: Survey
    is_last: bool
    stops: str = ""


def _window(block: _Text, start: Place, *, max_lines: int, max_bytes: int) -> Window:
    taken = _fitting(block, max_lines, max_bytes)
    text = block.text[:taken]
    whole = block.is_last and taken == len(block.text)
    breaks, tail = text.count("\n"), len(text) - (text.rfind("\n") + 1)
    following = Place(start.line + breaks, tail + (1 if breaks else start.column))
    return Window(
        text.replace("\r\n", "\n"),
        start,
        start.line + max(breaks - (tail == 0), 0),
        None if whole else following,
        block.file,
        block.stops if whole else "",
    )


def _fitting(block: _Text, max_lines: int, max_bytes: int) -> int:
    """How many characters go into the window: whole lines, or a part of one that is too long alone."""
    text = block.text
    end = _within_bytes(text, max_bytes)
    at = 0
    for _ in range(max_lines):
        following = text.find("\n", at, end) + 1
        if not following:
            break
        at = following
    else:
        return at
    if end == len(text) and block.is_last:
        return end
    return at or end + text.startswith("\r\n", end - 1)


def _within_bytes(text: str, most: int) -> int:
    """How many characters, at least one, take no more than *most* bytes as UTF-8."""
    if text.isascii():
        return min(len(text), most)
    cut = text[:most].encode()[:most].decode("utf-8", "ignore")
    return min(len(text), max(len(cut), 1))
