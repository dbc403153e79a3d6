"""The files of this machine."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import BinaryIO

from ...core.types import FileStat
from .exact import look, open_exact, open_folder
from .locks import locked
from .states import state_of
from .swap import Slot, drop, swap
from .troubles import missing, odd, told

_NOT_THERE = (FileNotFoundError, NotADirectoryError)


class LocalFiles:
    """Files by their real paths (core.types `Files`): the path that was judged is the one that is opened."""

    place = "local"

    def real(self, path: str, /) -> str:
        """Where *path*, absolute or from `~`, leads now."""
        return os.path.realpath(os.path.expanduser(path))

    def stat(self, path: str, /) -> FileStat | None:
        """What there is under *path*, None where there is nothing."""
        try:
            return state_of(look(path))
        except _NOT_THERE:
            return None
        except OSError as error:
            raise told("look at", path, error) from None

    def names(self, path: str, /) -> Iterator[tuple[str, FileStat]]:
        """The names in a folder, in no order; links are told as links."""
        try:
            with open_folder(path) as folder, os.scandir(folder) as entries:
                for entry in entries:
                    try:
                        yield entry.name, state_of(entry.stat(follow_symlinks=False))
                    except FileNotFoundError:  # gone since it was named
                        continue
        except _NOT_THERE:
            raise missing(path, self._siblings(path)) from None
        except OSError as error:
            raise told("list", path, error) from None

    def open(self, path: str, /) -> BinaryIO:
        """A regular file to read. Raises `UsageError` for what isn't there or isn't one."""
        try:
            # Without NONBLOCK the open itself would wait for the other end of a FIFO.
            file = open_exact(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
        except _NOT_THERE:
            raise missing(path, self._siblings(path)) from None
        except OSError as error:
            raise told("read", path, error) from None
        if not stat.S_ISREG(os.fstat(file).st_mode):
            os.close(file)
            raise odd(path)
        return os.fdopen(file, "rb")

    def replace(self, path: str, data: bytes, /, *, expected: FileStat | None, mode: int | None = None) -> FileStat:
        """Make *data* the content of *path*, whole or not at all; mode and owner stay, a new file gets *mode*."""
        with _slot("write", path, make=True) as slot:
            return swap(slot, data, expected, mode)

    def remove(self, path: str, /, *, expected: FileStat) -> None:
        """Remove a file that is still what *expected* tells."""
        with _slot("remove", path) as slot:
            drop(slot, expected)

    def locked(self, paths: Iterable[str], /) -> AbstractContextManager[None]:
        """Keep other threads and processes of this machine from changing *paths*."""
        return locked(map(Path, paths))

    def _siblings(self, path: str) -> list[str] | None:
        try:
            with open_folder(os.path.dirname(path)) as folder:
                return os.listdir(folder)
        except OSError:
            return None


@contextmanager
def _slot(doing: str, path: str, *, make: bool = False) -> Iterator[Slot]:
    """The place of *path* in its open folder; what the system says is told in terms of *path*."""
    folder, name = os.path.split(path)
    try:
        with open_folder(folder, make=make) as opened:
            yield Slot(opened, name or ".", path)
    except OSError as error:
        raise told(doing, path, error) from None
