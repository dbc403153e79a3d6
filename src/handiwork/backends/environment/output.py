"""Output of a command in bounded memory: its head, its tail, and the whole in a file when cut."""

from __future__ import annotations

import os
from pathlib import Path

from ...core.spills import open_spill
from .plain_text import plain_text

MAX_FILE_BYTES = 256 * 1024 * 1024


class Output:
    """Collects bytes. Up to *limit* bytes are kept whole; beyond, the first and the last halves.

    The file is made in *folder* when the limit is crossed (see `core.spills`), and holds the first 256 MiB.
    """

    def __init__(self, limit: int, folder: Path, name: str) -> None:
        self._half = max(limit // 2, 1)
        self._folder, self._name, self._path = str(folder), name, ""
        self._head, self._tail = bytearray(), bytearray()
        self._file = -1
        self._written = self.size = 0

    def feed(self, chunk: bytes) -> None:
        self.size += len(chunk)
        if self._file >= 0:
            self._spill(chunk)
        room = self._half - len(self._head)
        if room > 0:
            self._head += chunk[:room]
            chunk = chunk[room:]
        self._tail += chunk
        if len(self._tail) > self._half:
            if self._file < 0:
                self._open()
            # Trimmed rarely, not at every chunk: moving the bytes costs.
            if len(self._tail) > 2 * self._half + 65_536:
                del self._tail[: -self._half]

    def finish(self, max_chars: int) -> tuple[str, str]:
        """The text, at most about *max_chars* long, and the path of the whole where it was cut."""
        if self._file < 0:
            text = plain_text(bytes(self._head + self._tail))
            if len(text) <= max_chars:
                return text, ""
            self._open()
            return cut(text, text, max_chars, f"{len(text):,} characters"), self._close()
        head, tail = plain_text(bytes(self._head)), plain_text(bytes(self._tail[-self._half :]))
        return cut(head, tail, max_chars, f"{self.size:,} bytes{self._missing()}"), self._close()

    def _missing(self) -> str:
        kept = f", of which the file has the first {self._written:,}"
        return kept if self._written < self.size else ""

    def _open(self) -> None:
        self._file, self._path = open_spill(self._folder, self._name)
        self._spill(bytes(self._head))
        self._spill(bytes(self._tail))

    def _spill(self, chunk: bytes) -> None:
        rest = memoryview(chunk)[: MAX_FILE_BYTES - self._written]
        self._written += len(rest)
        while rest:
            rest = rest[self._write(rest) :]

    def _write(self, chunk: memoryview) -> int:
        """A full disk costs the file, not the command: head and tail are still answered."""
        try:
            return os.write(self._file, chunk)
        except OSError:
            self._written = MAX_FILE_BYTES
            return len(chunk)

    def _close(self) -> str:
        os.close(self._file)
        self._file = -1
        return self._path

    def drop(self) -> None:
        """Close the file without an answer: the command came to no end."""
        if self._file >= 0:
            self._close()


def cut(head: str, tail: str, max_chars: int, size: str) -> str:
    """The start of *head* and the end of *tail*, with a line between them that says so."""
    notice = f"\n[... {size} in all; the middle is left out here ...]\n"
    half = max((max_chars - len(notice)) // 2, 1)
    return head[:half] + notice + tail[-half:]
