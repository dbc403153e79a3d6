"""Files that are replaced whole: whoever looks, and whatever dies, sees the old or the new content."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from ...core.errors import UsageError

_NO_UNNAMED = (errno.EOPNOTSUPP, errno.EISDIR, errno.ENOENT, errno.EINVAL, errno.ENOSYS)


@dataclass(frozen=True, slots=True)
class Stamp:
    """What tells one state of a file from the next."""

    inode: int
    size: int
    modified_ns: int
    mode: int = field(default=0o644, compare=False)


def stamp_of(path: Path) -> Stamp | None:
    """The stamp of a file, None where there is none."""
    try:
        about = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise _told(error, path) from None
    return Stamp(about.st_ino, about.st_size, about.st_mtime_ns, stat.S_IMODE(about.st_mode))


def replace_file(path: Path, data: bytes, *, expected: Stamp | None, mode: int | None = None) -> None:
    """Make *data* the content of *path*, whole or not at all; parent directories are made.

    A link stays a link: its target is replaced. Mode and owner are kept; a new file gets *mode*, or what
    the umask leaves. Raises `UsageError` where
    the file isn't (any more) the one that *expected* was taken of, or can't be written.
    """
    target = Path(os.path.realpath(path))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _check(target)
        with _beside(target) as (folder, temporary):
            _fill(folder, temporary, target, data, mode)
            if stamp_of(target) != expected:
                raise UsageError(f"{path} has changed meanwhile", "read it again and repeat the edit")
            os.replace(temporary, target.name, src_dir_fd=folder, dst_dir_fd=folder)
            os.fsync(folder)
    except OSError as error:
        raise _told(error, path) from None


def remove_file(path: Path, *, expected: Stamp) -> None:
    """Remove the file at *path*. Raises `UsageError` where it isn't the one that *expected* was taken of."""
    try:
        with _opened(path.parent) as folder:
            if stamp_of(path) != expected:
                raise UsageError(f"{path} has changed meanwhile", "read it again and repeat the edit")
            os.unlink(path.name, dir_fd=folder)
            os.fsync(folder)
    except OSError as error:
        raise _told(error, path) from None


def _check(target: Path) -> None:
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a directory")
    if target.exists() and not target.is_file():
        raise OSError(errno.EINVAL, "not a regular file")
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, "the file is read-only")


def _told(error: OSError, path: Path) -> UsageError:
    """The error in terms of the file that was asked for, never of a temporary one."""
    advice = {
        errno.EACCES: "change its permissions, or write somewhere else",
        errno.EPERM: "change its permissions, or write somewhere else",
        errno.EROFS: "the disk is read-only: write somewhere else",
        errno.ENOSPC: "the disk is full: free some space first",
        errno.EISDIR: "give the path of a file in it",
        errno.EEXIST: "a part of the path is a file: choose another path",
        errno.ENOTDIR: "a part of the path is a file: choose another path",
        errno.ENAMETOOLONG: "choose a shorter name",
    }
    return UsageError(f"can't write {path}: {(error.strerror or str(error)).lower()}", advice.get(error.errno or 0, ""))


@contextmanager
def _beside(target: Path) -> Iterator[tuple[int, str]]:
    """The open directory of *target* and a free name in it, which is gone afterwards."""
    temporary = f".hw-{os.urandom(8).hex()}.tmp"
    with _opened(target.parent) as folder:
        try:
            yield folder, temporary
        finally:
            with suppress(FileNotFoundError):
                os.unlink(temporary, dir_fd=folder)


@contextmanager
def _opened(folder: Path) -> Iterator[int]:
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield opened
    finally:
        os.close(opened)


def _fill(folder: int, temporary: str, target: Path, data: bytes, mode: int | None) -> None:
    """Write *data* under the temporary name, safe on the disk.

    Where the system can, the file has no name until it is complete: a kill leaves nothing behind.
    """
    file = _unnamed(folder)
    named = file < 0
    if named:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        file = os.open(temporary, flags, 0o666, dir_fd=folder)
    try:
        _write_all(file, data)
        _dress(file, target, mode)
        os.fsync(file)
        if not named:
            os.link(f"/proc/self/fd/{file}", temporary, src_dir_fd=folder, dst_dir_fd=folder)
    finally:
        os.close(file)


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


def _write_all(file: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(file, rest) :]


def _dress(file: int, target: Path, mode: int | None) -> None:
    """Give the file the owner and mode of the one it replaces; a new name gets *mode*, or what umask leaves."""
    try:
        old = target.stat()
    except FileNotFoundError:
        if mode is not None:
            os.fchmod(file, mode)
        return
    mine = os.fstat(file)
    if (old.st_uid, old.st_gid) != (mine.st_uid, mine.st_gid):
        with suppress(PermissionError):  # only root gives files away; the mode below still holds
            os.fchown(file, old.st_uid, old.st_gid)
    os.fchmod(file, stat.S_IMODE(old.st_mode))
