"""A file that is still arriving: the first bytes of it, on disk, with a lock; whole, checked, then renamed."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TypeAlias

from handiwork.core.errors import ModelError

Progress: TypeAlias = Callable[[int, int, str], None]
_BLOCK = 2**20


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to arrive: how many bytes (0 where nobody knows), and their SHA-256 in hex."""

    bytes: int
    sha256: str


class PartFile:
    """`<target>.part`, opened for one process. Whoever fills it goes on at `size`."""

    def __init__(self, file: BinaryIO, path: Path, wanted: Wanted, progress: Progress) -> None:
        self._file, self._path, self.wanted, self._progress = file, path, wanted, progress

    @property
    def size(self) -> int:
        """How many bytes are there."""
        return os.fstat(self._file.fileno()).st_size

    def append(self, data: bytes) -> None:
        self._file.write(data)

    def cut(self, size: int) -> None:
        """Goes back to the first *size* bytes."""
        self._file.truncate(size)

    def report(self, note: str) -> None:
        """Tells how far it is: bytes done, bytes in all, what is going on."""
        self._file.flush()
        self._progress(self.size, self.wanted.bytes, note)

    def finish(self, target: Path) -> Path:
        """Checks the bytes and gives the file its name. Raises ModelError, and removes it, where they are others."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self.report("checking")
        found = sha256_of(self._path)
        if found != self.wanted.sha256.lower():
            self._path.unlink()
            raise ModelError(
                f"{target.name}: the file that came is not the one that was asked for; it was removed. "
                f"SHA-256 {found}, expected {self.wanted.sha256.lower()}",
                "pull it again, or from another place",
            )
        self._path.replace(target)
        return target


@contextmanager
def open_part(target: Path, wanted: Wanted, progress: Progress) -> Iterator[PartFile]:
    """The part file of *target*. Raises ModelError where another process fills it, or the disk is too small."""
    target.parent.mkdir(parents=True, exist_ok=True)
    path = target.with_name(target.name + ".part")
    with path.open("ab") as file:
        _lock(file, path)
        _check_space(path, wanted.bytes - os.fstat(file.fileno()).st_size)
        yield PartFile(file, path, wanted, progress)


def _lock(file: BinaryIO, path: Path) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise ModelError(f"{path.name} is being pulled by another process", "wait for it to end") from None


def _check_space(path: Path, missing: int) -> None:
    free = shutil.disk_usage(path.parent).free
    if missing > free:
        raise ModelError(
            f"not enough room for {path.stem}: {missing / 1e9:.1f} GB to come, {free / 1e9:.1f} GB free",
            f"free some space, or move the store with HANDIWORK_HOME (now in {path.parent})",
        )


def sha256_of(path: Path) -> str:
    """The SHA-256 of the file, in hex."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()
