"""A file of an open folder is replaced whole: whoever looks, and whatever dies, sees the old or the new content."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from ...core.types import FileStat
from .states import state_of
from .troubles import StaleFileError

_NO_UNNAMED = (errno.EOPNOTSUPP, errno.EISDIR, errno.ENOENT, errno.EINVAL, errno.ENOSYS)
_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)
_PREFIX, _SUFFIX = ".hw-", ".tmp"
_SWEPT_MOST = 1_000
_swept: dict[tuple[int, int], None] = {}


@dataclass(frozen=True, slots=True)
class Slot:
    """A name in an open folder, and the whole path for messages."""

    folder: int
    name: str
    path: str

    def info(self) -> os.stat_result | None:
        """What is there itself, a link not followed."""
        with suppress(FileNotFoundError):
            return os.stat(self.name, dir_fd=self.folder, follow_symlinks=False)
        return None


@dataclass(frozen=True, slots=True)
class _Draft:
    """An open file that isn't yet in its place; without a name it goes when we do."""

    file: int
    name: str
    named: bool


def swap(slot: Slot, data: bytes, expected: FileStat | None, mode: int | None = None) -> FileStat:
    """Make *data* the content of *slot* and safe on the disk; mode and owner stay, a new file gets *mode*.

    Raises `StaleFileError` where the file isn't the one that *expected* tells, else `OSError`.
    """
    _sweep(slot.folder)
    old = slot.info()
    _check(slot, old)
    with _draft(slot.folder) as draft:
        _write_all(draft.file, data)
        _dress(draft.file, old, mode)
        os.fsync(draft.file)
        _put(draft, slot, expected)
        os.fsync(slot.folder)
        return state_of(os.fstat(draft.file))


def drop(slot: Slot, expected: FileStat) -> None:
    """Remove the file in *slot*, if it is still the one that *expected* tells."""
    _compare(slot, expected)
    os.unlink(slot.name, dir_fd=slot.folder)
    os.fsync(slot.folder)


def _check(slot: Slot, old: os.stat_result | None) -> None:
    if old is None:
        return
    if stat.S_ISDIR(old.st_mode):
        raise IsADirectoryError(errno.EISDIR, "is a directory")
    if not stat.S_ISREG(old.st_mode):
        raise OSError(errno.EINVAL, "not a regular file")
    if not os.access(slot.name, os.W_OK, dir_fd=slot.folder, effective_ids=True):
        raise PermissionError(errno.EACCES, "the file is read-only")


def _put(draft: _Draft, slot: Slot, expected: FileStat | None) -> None:
    """Give the draft its place. A file that must not be there yet is linked, which fails if it is."""
    _compare(slot, expected)
    if expected is None and _linked(draft, slot):
        return
    if not draft.named:
        _link(draft, slot.folder, draft.name)
    os.replace(draft.name, slot.name, src_dir_fd=slot.folder, dst_dir_fd=slot.folder)


def _compare(slot: Slot, expected: FileStat | None) -> None:
    now = slot.info()
    same = (expected is None) if now is None else state_of(now).same_state(expected)
    if not same:
        raise StaleFileError(slot.path)


def _linked(draft: _Draft, slot: Slot) -> bool:
    """Whether the draft got its name at once; there are disks that know no links."""
    try:
        _link(draft, slot.folder, slot.name)
    except FileExistsError:
        raise StaleFileError(slot.path) from None
    except OSError as error:
        if draft.named and error.errno in _NO_LINKS:
            return False
        raise
    return True


def _link(draft: _Draft, folder: int, name: str) -> None:
    if draft.named:
        os.link(draft.name, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    else:
        os.link(f"/proc/self/fd/{draft.file}", name, src_dir_fd=folder, dst_dir_fd=folder)


@contextmanager
def _draft(folder: int) -> Iterator[_Draft]:
    """An empty file for the new content, gone afterwards unless it was put in place.

    It is locked as long as somebody works on it, which is how a sweep knows the others.
    """
    name = f"{_PREFIX}{os.urandom(8).hex()}{_SUFFIX}"
    file = _unnamed(folder)
    draft = _Draft(file, name, named=False) if file >= 0 else _Draft(_named(folder, name), name, named=True)
    try:
        fcntl.flock(draft.file, fcntl.LOCK_EX)
        yield draft
    finally:
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=folder)
        os.close(draft.file)


def _unnamed(folder: int) -> int:
    """A file without a name in the open *folder*, -1 where there is no such thing."""
    if not hasattr(os, "O_TMPFILE") or not os.path.exists("/proc/self/fd"):
        return -1
    try:
        return os.open(".", os.O_TMPFILE | os.O_WRONLY | os.O_CLOEXEC, 0o666, dir_fd=folder)
    except OSError as error:
        if error.errno in _NO_UNNAMED:
            return -1
        raise


def _named(folder: int, name: str) -> int:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    return os.open(name, flags, 0o666, dir_fd=folder)


def _sweep(folder: int) -> None:
    """Remove the drafts of writers that were killed; once a folder for as long as we run."""
    about = os.fstat(folder)
    key = (about.st_dev, about.st_ino)
    if key in _swept:
        return
    while len(_swept) >= _SWEPT_MOST:
        _swept.pop(next(iter(_swept)), None)
    _swept[key] = None
    with os.scandir(folder) as entries:
        drafts = [e.name for e in entries if e.name.startswith(_PREFIX) and e.name.endswith(_SUFFIX)]
    for name in drafts:
        with suppress(OSError):  # somebody else's, or swept by somebody else meanwhile
            _remove_unlocked(folder, name)


def _remove_unlocked(folder: int, name: str) -> None:
    file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.unlink(name, dir_fd=folder)
    finally:
        os.close(file)


def _write_all(file: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(file, rest) :]


def _dress(file: int, old: os.stat_result | None, mode: int | None) -> None:
    """Give the file the owner and mode of the one it replaces; a new name gets *mode*, or what umask leaves."""
    if old is None:
        if mode is not None:
            os.fchmod(file, mode)
        return
    mine = os.fstat(file)
    if (old.st_uid, old.st_gid) != (mine.st_uid, mine.st_gid):
        with suppress(PermissionError):  # only root gives files away; the mode below still holds
            os.fchown(file, old.st_uid, old.st_gid)
    os.fchmod(file, stat.S_IMODE(old.st_mode))
