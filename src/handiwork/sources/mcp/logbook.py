"""What a server writes on standard error: the end of it at hand, the rest in a file that doesn't grow for ever."""

from __future__ import annotations

import os

TAIL_BYTES = 8 * 1024
_MOST_FILE_BYTES = 512 * 1024


class Logbook:
    """Keeps the last 8 KiB, and two files of at most 512 KiB. `path` "" keeps no file."""

    def __init__(self, path: str = "") -> None:
        self.path = path
        self._tail = b""
        self._file = -1
        self._size = 0

    def write(self, data: bytes) -> None:
        """Add what came."""
        self._tail = (self._tail + data[-TAIL_BYTES:])[-TAIL_BYTES:]
        if self.path:
            try:
                self._store(data[-_MOST_FILE_BYTES:])
            except OSError:  # a full disk, a home that can't be written: the tail is there all the same
                self.path = ""

    def note(self, text: str) -> None:
        """Add a line of ours."""
        self.write(f"[handiwork] {text}\n".encode("utf-8", "replace"))

    def begin(self) -> None:
        """A new run: what the one before wrote is in the file."""
        self._tail = b""

    @property
    def tail(self) -> str:
        """The last 8 KiB as text."""
        return self._tail.decode("utf-8", "replace")

    def close(self) -> None:
        """Close the file; what comes after opens it again."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _store(self, data: bytes) -> None:
        if self._file < 0:
            os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
            self._file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
            self._size = os.fstat(self._file).st_size
        if self._size + len(data) > _MOST_FILE_BYTES:
            self.close()
            os.replace(self.path, f"{self.path}.1")
            self._store(data)
            return
        os.write(self._file, data)
        self._size += len(data)
