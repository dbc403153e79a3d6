"""The files of an audit: `audit.jsonl`, which is written, and the full ones, `audit.1.jsonl` being the oldest."""

from __future__ import annotations

import fcntl
import os
import re
import time

NAME = "audit.jsonl"
_NUMBERED = re.compile(r"audit\.(\d+)\.jsonl")
_TAIL = 128
_LOCK_S = 1.0
_NAP_S = 0.002


def current(folder: str) -> str:
    """The file that is written."""
    return os.path.join(folder, NAME)


def numbered(folder: str) -> list[tuple[int, str]]:
    """The full files with their numbers, the oldest first."""
    names = os.listdir(folder) if os.path.isdir(folder) else []
    return sorted((int(found[1]), os.path.join(folder, n)) for n in names if (found := _NUMBERED.fullmatch(n)))


def every(folder: str) -> list[str]:
    """All files that there are, the oldest first."""
    last = current(folder)
    return [*(path for _, path in numbered(folder)), *((last,) if os.path.exists(last) else ())]


def open_to_append(path: str) -> int:
    """A descriptor that only appends; the file is for its owner alone. Raises `OSError`, also where it is a link."""
    return os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)


def lock(descriptor: int) -> None:
    """Be alone with the file among those who ask. Who holds it for a second is stopped, and isn't waited for."""
    deadline = 0.0
    while not _locks(descriptor):
        now = time.monotonic()
        deadline = deadline or now + _LOCK_S
        if now > deadline:
            return  # each write is one append: lines don't mix
        time.sleep(_NAP_S)


def unlock(descriptor: int) -> None:
    """Let others have it."""
    fcntl.flock(descriptor, fcntl.LOCK_UN)


def _locks(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def tail_of(descriptor: int) -> bytes:
    """The last bytes of a file: enough to hold the hash of its last line."""
    size = os.fstat(descriptor).st_size
    return os.pread(descriptor, _TAIL, max(0, size - _TAIL))


def set_aside(folder: str, most: int) -> None:
    """Number the current file, and remove the oldest beyond *most*. Raises `OSError`."""
    kept = numbered(folder)
    number = kept[-1][0] + 1 if kept else 1
    os.rename(current(folder), os.path.join(folder, f"audit.{number}.jsonl"))
    for _, path in kept[: max(0, len(kept) + 1 - most)]:
        os.unlink(path)
