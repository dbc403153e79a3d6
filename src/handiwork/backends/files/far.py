"""One file of a place that only commands reach, read as if it were here."""

from __future__ import annotations

import io
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING

from ...core.types import FileStat
from .scripts import BLOCK
from .troubles import StaleFileError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_BLOCKS = 4
_WINDOW = _BLOCKS * BLOCK
_KEPT = 4

# Asked for a first block and a number of them; what the file then was, and its bytes.
Fetch = Callable[[int, int], tuple[FileStat, bytes]]


class FarReader(io.RawIOBase):
    """Fetches windows of 256 KiB as they are needed and keeps the last few. Seekable.

    Raises `StaleFileError` when the file changes while it is read.
    """

    def __init__(self, path: str, fetch: Fetch) -> None:
        self._path, self._fetch = path, fetch
        self._at = 0
        self._windows: OrderedDict[int, bytes] = OrderedDict()
        self._state, self._windows[0] = fetch(0, _BLOCKS)

    def readable(self) -> bool:
        """Always."""
        return True

    def seekable(self) -> bool:
        """Always."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a byte; nothing is fetched."""
        start = (0, self._at, self._state.size)[whence]
        self._at = max(0, start + offset)
        return self._at

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        """Fill *buffer* as far as the window reaches."""
        view = memoryview(buffer).cast("B")
        number, start = divmod(self._at, _WINDOW)
        if self._at >= self._state.size:
            return 0
        piece = self._window(number)[start : start + len(view)]
        view[: len(piece)] = piece
        self._at += len(piece)
        return len(piece)

    def _window(self, number: int) -> bytes:
        known = self._windows.get(number)
        if known is None:
            state, known = self._fetch(number * _BLOCKS, _BLOCKS)
            if not state.same_state(self._state):
                raise StaleFileError(self._path)
            self._windows[number] = known
            if len(self._windows) > _KEPT:
                self._windows.popitem(last=False)
        return known
