"""Locks on paths: who changes a file keeps other threads and processes of this machine from doing so."""

from __future__ import annotations

import fcntl
import hashlib
import os
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from ...core.errors import UsageError

_PATIENCE_S = 30.0
_PAUSE_S = 0.01


@contextmanager
def held(place: str, paths: Iterable[str]) -> Iterator[None]:
    """Hold the locks of *paths* in *place*. Raises `UsageError` when somebody else has one for 30 s."""
    folder = _folder()
    named = {_name(f"{place}\0{path}"): path for path in paths}
    files: list[int] = []
    try:
        for name, path in sorted(named.items()):  # one order for all, so that no two wait for each other
            files.append(_lock(os.path.join(folder, name), path))
        yield
    finally:
        for file in files:
            os.close(file)


def _name(key: str) -> str:
    """One of 65,536 names: the files are never removed, and two paths that share one only wait."""
    return hashlib.sha256(os.fsencode(key)).hexdigest()[:4]


def _lock(lock: str, path: str) -> int:
    file = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    end = time.monotonic() + _PATIENCE_S
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return file
        except BlockingIOError:
            if time.monotonic() > end:
                os.close(file)
                raise UsageError(f"{path} is being changed by somebody else", "try again later") from None
            time.sleep(_PAUSE_S)


def _folder() -> str:
    """A folder that is ours alone: another user's could hold locks for ever."""
    path = os.path.join(tempfile.gettempdir(), f"handiwork-locks-{os.getuid()}")
    os.makedirs(path, mode=0o700, exist_ok=True)
    if os.lstat(path).st_uid != os.getuid():
        raise UsageError(f"{path} belongs to another user", "remove it, or set TMPDIR to a folder of your own")
    return path
