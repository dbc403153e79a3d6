"""The files of a place that only commands reach: another machine, a container."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import BinaryIO, Protocol, cast

from ...core.errors import UsageError
from ...core.types import FileStat
from . import scripts
from .far import FarReader
from .locks import locked
from .states import kind_of
from .troubles import MovedPathError, StaleFileError, advised, missing, odd, told


class Runner(Protocol):
    """Runs the text of a POSIX shell script in the place, with bytes as its standard input.

    Answers its exit code, its output and its errors, byte for byte. Raises `UsageError` where the place
    can't be reached.
    """

    def __call__(self, script: str, stdin: bytes = b"", /) -> tuple[int, bytes, bytes]: ...


class ShellFiles:
    """Files by their real paths (core.types `Files`), one command an operation.

    *place* names where *run* runs. Locks hold among the processes of this machine; against others there
    is what `expected` says.
    """

    def __init__(self, run: Runner, place: str) -> None:
        self._run, self.place = run, place

    def real(self, path: str, /) -> str:
        """Where *path*, absolute or from the `~` of that place, leads now."""
        if not path.startswith(("/", "~")) or "\0" in path:
            raise UsageError(f"{path!r} is not an absolute path", "give the path of a file")
        found = os.fsdecode(self._ask("resolve", path, scripts.real(path))).removesuffix("\n")
        if not found.startswith("/"):
            raise UsageError(f"{path} leads nowhere", "give the path of a file")
        return found

    def stat(self, path: str, /) -> FileStat | None:
        """What there is under *path*, None where there is nothing."""
        folder, name = _divided(path)
        code, out, err = self._run(scripts.entered(folder) + scripts.look(name))
        if code in (scripts.MISSING, scripts.NO_FOLDER):
            return None
        return _state(self._checked("look at", path, code, out, err))

    def names(self, path: str, /) -> Iterator[tuple[str, FileStat]]:
        """The names in a folder, in no order, by one command; links are told as links."""
        fields = self._ask("list", path, scripts.entered(path) + scripts.names()).split(b"\0")[:-1]
        for state, name in zip(fields[::2], fields[1::2], strict=True):
            yield os.fsdecode(name).removeprefix("./"), _state(state)

    def open(self, path: str, /) -> BinaryIO:
        """A regular file to read, fetched as it is needed. Raises `UsageError` for what isn't there or isn't one."""
        folder, name = _divided(path)
        entered = scripts.entered(folder)

        def fetch(first: int, blocks: int) -> tuple[FileStat, bytes]:
            state, _, data = self._ask("read", path, entered + scripts.window(name, first, blocks)).partition(b"\n")
            return _state(state), data

        return cast("BinaryIO", io.BufferedReader(FarReader(path, fetch), scripts.BLOCK))

    def replace(self, path: str, data: bytes, /, *, expected: FileStat | None, mode: int | None = None) -> FileStat:
        """Make *data* the content of *path*, whole or not at all; mode and owner stay, a new file gets *mode*."""
        folder, name = _divided(path)
        script = scripts.replace(name, data, os.urandom(8).hex(), expected, mode)
        return _state(self._ask("write", path, scripts.entered(folder, make=True) + script, data))

    def remove(self, path: str, /, *, expected: FileStat) -> None:
        """Remove a file that is still what *expected* tells."""
        folder, name = _divided(path)
        self._ask("remove", path, scripts.entered(folder) + scripts.remove(name, expected))

    def locked(self, paths: Iterable[str], /) -> AbstractContextManager[None]:
        """Keep other threads and processes of this machine from changing *paths* of that place."""
        return locked(Path(f"/handiwork-far/{self.place}{path}") for path in paths)

    def _ask(self, doing: str, path: str, script: str, data: bytes = b"") -> bytes:
        """What *script* prints. Raises `UsageError` in terms of *path* where it doesn't end well."""
        return self._checked(doing, path, *self._run(script, data))

    def _checked(self, doing: str, path: str, code: int, out: bytes, err: bytes) -> bytes:
        if code:
            raise self._failed(doing, path, code, err)
        return out

    def _failed(self, doing: str, path: str, code: int, err: bytes) -> UsageError:
        match code:
            case scripts.MOVED:
                return MovedPathError(path)
            case scripts.STALE:
                return StaleFileError(path)
            case scripts.MISSING | scripts.NO_FOLDER:
                return missing(path, self._siblings(path) if code == scripts.MISSING else None)
            case scripts.ODD:
                return odd(path)
            case scripts.DAMAGED:
                return UsageError(f"not all bytes of {path} came over; nothing is changed", "make the call again")
        said = err.decode("utf-8", "replace").strip().rpartition("\n")[2].rpartition(": ")[2]
        return told(doing, path, advised(_OWN.get(code) or said or f"exit code {code}"))

    def _siblings(self, path: str) -> list[str]:
        return [name for name, _ in self.names(_divided(path)[0])]


_OWN = {
    scripts.A_FOLDER: "Is a directory",
    scripts.NOT_A_FOLDER: "Not a directory",
    scripts.READ_ONLY: "Permission denied",
}


def _state(line: bytes) -> FileStat:
    mode, size, inode, links, seconds, written = line.decode("ascii", "replace").strip().split(" ", 5)
    fraction = written.partition(".")[2].partition(" ")[0].ljust(9, "0")[:9]
    bits = int(mode, 16)
    modified = int(seconds) * 10**9 + int(fraction)
    return FileStat(kind_of(bits), int(size), modified, int(inode), bits & 0o7777, int(links))


def _divided(path: str) -> tuple[str, str]:
    if not path.startswith("/") or "\0" in path:
        raise UsageError(f"{path!r} is not an absolute path", "give the path of a file")
    folder, name = os.path.split(path)
    return folder, name or "."
