"""Opening exactly the path that was judged: a link anywhere on the way is an error, never followed.

Where the kernel has `openat2`, one call does it; else the path is walked from open folder to open
folder. Either way nothing is checked first and used afterwards.
"""

from __future__ import annotations

import ctypes
import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any

from ...core.errors import UsageError
from .troubles import MovedPathError

_OPENAT2 = 437
_RESOLVE_NO_MAGICLINKS, _RESOLVE_NO_SYMLINKS = 0x02, 0x04
_AT_FDCWD = -100
_O_PATH = getattr(os, "O_PATH", os.O_RDONLY)
_FOLDER = _O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class _How(ctypes.Structure):
    """`struct open_how` of the kernel."""

    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


def open_exact(path: str, flags: int) -> int:
    """A descriptor of the absolute *path*. Raises `MovedPathError` for a link, else `OSError`."""
    if not path.startswith("/") or "\0" in path:
        raise UsageError(f"{path!r} is not an absolute path", "give the path of a file")
    kernel = _kernel()
    flags |= os.O_CLOEXEC
    if kernel is None:
        with _walked(os.path.dirname(path)) as folder:
            return _open_in(folder, os.path.basename(path) or ".", flags | os.O_NOFOLLOW, path)
    try:
        return kernel(path, flags)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise MovedPathError(path) from None
        raise


def look(path: str) -> os.stat_result:
    """What lies at *path* itself, without opening it: a link at its end is looked at, not followed."""
    file = open_exact(path, _O_PATH | os.O_NOFOLLOW)
    try:
        return os.fstat(file)
    finally:
        os.close(file)


@contextmanager
def open_folder(path: str, *, make: bool = False) -> Iterator[int]:
    """A folder, open for reading and for working in it by names; missing ones are made where *make* says so."""
    try:
        folder = open_exact(path, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        if not make:
            raise
        with _walked(path, make=True) as reached:
            folder = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=reached)
    try:
        yield folder
    finally:
        os.close(folder)


@contextmanager
def _walked(path: str, *, make: bool = False) -> Iterator[int]:
    """The folder at the end of *path*, reached through one open folder after the other."""
    folder = os.open("/", _FOLDER)
    try:
        for name in filter(None, path.split("/")):
            inner = _step(folder, name, path, make=make)
            os.close(folder)
            folder = inner
        yield folder
    finally:
        os.close(folder)


def _step(folder: int, name: str, path: str, *, make: bool) -> int:
    try:
        return _open_in(folder, name, _FOLDER, path)
    except FileNotFoundError:
        if not make:
            raise
    with suppress(FileExistsError):  # somebody else made it meanwhile; if it is a link now, the open says so
        os.mkdir(name, dir_fd=folder)
    return _step(folder, name, path, make=False)


def _open_in(folder: int, name: str, flags: int, path: str) -> int:
    try:
        return os.open(name, flags, dir_fd=folder)
    except OSError as error:
        # ENOTDIR is what O_DIRECTORY says of a link.
        is_telling = error.errno in (errno.ELOOP, errno.ENOTDIR)
        if is_telling and stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            raise MovedPathError(path) from None
        raise


@cache
def _kernel() -> Callable[[str, int], int] | None:
    """`openat2` without links, None where the kernel (or what filters its calls) doesn't have it."""
    try:
        syscall = ctypes.CDLL(None, use_errno=True).syscall
        os.close(_openat2(syscall, "/", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
    except (OSError, AttributeError):
        return None
    return lambda path, flags: _openat2(syscall, path, flags)


def _openat2(syscall: Any, path: str, flags: int) -> int:
    how = _How(flags, 0, _RESOLVE_NO_SYMLINKS | _RESOLVE_NO_MAGICLINKS)
    name = ctypes.c_char_p(os.fsencode(path))
    while (file := int(syscall(_OPENAT2, _AT_FDCWD, name, ctypes.byref(how), ctypes.sizeof(how)))) < 0:
        number = ctypes.get_errno()
        if number != errno.EINTR:
            raise OSError(number, os.strerror(number), path)
    return file
