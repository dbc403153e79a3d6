"""Locks on files, between threads and between processes: who changes a file reads it under its lock.

A lock is held on an empty file in a private folder of the user, named by a hash of where the locked
file is. Nothing is put into the folders of the files.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ...core.errors import UsageError

# Fixed, not from the environment: two processes of one user must come to the same folder.
_PARENTS = ("/tmp", "/var/tmp")
_WAIT_S = 30.0
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.0005, 0.02


@contextmanager
def locked(paths: Iterable[Path], *, wait_s: float = _WAIT_S) -> Iterator[None]:
    """Hold the locks of *paths*, of the files that they lead to; several are taken in one fixed order.

    Waits at most *wait_s* seconds in all. Raises `UsageError` naming the path that stays locked. Locks
    aren't nested: who holds some takes no more.
    """
    wanted = {_key(real): real for real in dict.fromkeys(map(os.path.realpath, paths))}
    deadline = time.monotonic() + wait_s
    with ExitStack() as held:
        folder = _open_folder()
        held.callback(os.close, folder)
        for key in sorted(wanted):
            held.callback(_release, _acquire(folder, key, deadline, wanted[key]))
        yield


def _key(real: str) -> str:
    """The name of a file's lock: by its device and its path, since its inode changes as it is replaced.

    One of 65,536: the locks stay where they are, because making files costs more than opening them.
    Two files that share one only wait for each other.
    """
    above = os.path.dirname(real)
    while (device := _device(above)) is None:  # the folder is new, too
        above = os.path.dirname(above)
    return hashlib.blake2b(f"{device}:{real}".encode("utf-8", "surrogateescape"), digest_size=2).hexdigest()


def _device(folder: str) -> int | None:
    try:
        return os.stat(folder).st_dev
    except (FileNotFoundError, NotADirectoryError):
        return None


def _open_folder() -> int:
    """The private folder, opened. Raises `UsageError` where every candidate is somebody else's."""
    user = os.geteuid()
    for parent in _PARENTS:
        path = f"{parent}/handiwork-locks-{user}"
        try:
            folder = _opened(path)
        except OSError:
            continue  # a link, a file, or no such parent: not ours to use
        about = os.fstat(folder)
        if about.st_uid == user and not about.st_mode & 0o077:
            return folder
        os.close(folder)
    raise UsageError(
        f"there is no safe folder for locks: {path} isn't a directory that only you can use",
        "remove it, or make it yours with mode 700",
    )


def _opened(path: str) -> int:
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        return os.open(path, flags)
    except FileNotFoundError:
        Path(path).mkdir(mode=0o700, exist_ok=True)
        return os.open(path, flags)


def _acquire(folder: int, key: str, deadline: float, real: str) -> int:
    """The lock, held: an open file. Polls, because a wait in the system can't be bounded."""
    pause = _FIRST_PAUSE_S
    while (lock := _tried(folder, key)) < 0:
        if time.monotonic() > deadline:
            raise UsageError(f"{real} is being changed by another call", "wait until that has ended and try again")
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE_S)
    return lock


def _tried(folder: int, key: str) -> int:
    """The lock, held, or -1 where somebody has it. One whose file was cleared away counts for nothing."""
    lock = os.open(key, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=folder)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        return -1
    if os.fstat(lock).st_nlink:
        return lock
    os.close(lock)
    return -1


def _release(lock: int) -> None:
    fcntl.flock(lock, fcntl.LOCK_UN)  # closing isn't enough: a forked child may have the same open file
    os.close(lock)
