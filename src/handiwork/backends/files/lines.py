"""Where lines begin in a file, found in its bytes: from its start, and from its end backwards."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

_CHUNK = 1 << 20
_BACK_CHUNK = 64 << 10


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of a file whose text begins at byte `start` (behind its mark) and ends at `end`."""

    file: BinaryIO
    codec: str
    start: int
    end: int

    def forward(self, count: int) -> tuple[int, int]:
        """The byte behind the first *count* line ends; and how many of them there are, if fewer."""
        newline, offset, passed = self._newline, self.start, 0
        self.file.seek(offset)
        while passed < count and (chunk := self.file.read(_CHUNK)):
            inside = chunk.count(newline) if len(newline) == 1 else sum(1 for _ in _ends(chunk, newline))
            if passed + inside >= count:
                return offset + _nth(chunk, newline, count - passed), count
            passed, offset = passed + inside, offset + len(chunk)
        return offset, passed

    def backward(self, count: int) -> tuple[int, int]:
        """The byte where the last *count* lines begin; and how many there are, if fewer."""
        newline, found, position = self._newline, 0, self.end
        while position > self.start:
            begin = self.start + (position - self.start - 1) // _BACK_CHUNK * _BACK_CHUNK
            self.file.seek(begin)
            for end in _ends_back(self.file.read(position - begin), newline):
                if begin + end == self.end:
                    continue  # the end of the last line, not one before it
                found += 1
                if found == count:
                    return begin + end, count
            position = begin
        return self.start, found + (self.end > self.start)

    def across(self, offset: int, characters: int) -> int | None:
        """The byte *characters* behind *offset*, None where the line ends before."""
        decoder = codecs.getincrementaldecoder(self.codec)()
        self.file.seek(offset)
        left = characters
        while left > 0:
            chunk = self.file.read(_CHUNK)
            text = decoder.decode(chunk, final=not chunk)[:left]
            if "\n" in text or not (chunk or text):
                return None
            left, offset = left - len(text), offset + len(text.encode(self.codec))
        return offset

    def total(self, passed: int) -> int:
        """How many lines there are, when *passed* is all of their ends."""
        newline = self._newline
        self.file.seek(max(self.start, self.end - len(newline)))
        return passed + (self.file.read() not in (b"", newline))

    @property
    def _newline(self) -> bytes:
        return "\n".encode(self.codec)


def _ends(chunk: bytes, newline: bytes) -> Iterator[int]:
    """The places behind each line end. Wide characters stand at multiples of their width only."""
    width, at = len(newline), -1
    while (at := chunk.find(newline, at + 1)) >= 0:
        if at % width == 0:
            yield at + width


def _nth(chunk: bytes, newline: bytes, number: int) -> int:
    ends = _ends(chunk, newline)
    for _ in range(number - 1):
        next(ends)
    return next(ends)


def _ends_back(chunk: bytes, newline: bytes) -> Iterator[int]:
    width, at = len(newline), len(chunk)
    while (at := chunk.rfind(newline, 0, at + width - 1)) >= 0:
        if at % width == 0:
            yield at + width
