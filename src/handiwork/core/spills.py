"""Files that hold what was too long to show: for their owner alone, and not for ever."""

from __future__ import annotations

import itertools
import os
import re
import time

KEPT_DAYS = 7
KEPT_BYTES = 2 << 30
# Whatever the folder holds, what somebody may still be reading stays. Seconds.
_IN_USE_S = 3600.0
_DAY_S = 86_400
_ODD = re.compile(r"[^\w-]+")
_OURS = re.compile(r".+-\d{9,}-\d+-\d+\.txt")
_count = itertools.count(1)
_swept: dict[str, int] = {}


def open_spill(folder: str, stem: str) -> tuple[int, str]:
    """A new file in *folder*, mode 0600: its descriptor, for writing, and its path. Raises `OSError`.

    The first one of a day in this process also removes what is older than a week, and the oldest
    beyond 2 GiB.
    """
    os.makedirs(folder, mode=0o700, exist_ok=True)
    today = int(time.time()) // _DAY_S
    if _swept.get(folder) != today:
        _swept[folder] = today
        sweep(folder)
    plain = _ODD.sub("_", stem)[:48]
    path = os.path.join(folder, f"{plain}-{int(time.time())}-{os.getpid()}-{next(_count)}.txt")
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), path


def sweep(folder: str) -> int:
    """Remove from *folder* what `open_spill` made and nobody needs any more; how many files those were."""
    now, kept, removed = time.time(), 0, 0
    for modified, size, path in sorted(_spills(folder), reverse=True):
        kept += size
        age = now - modified
        if age > KEPT_DAYS * _DAY_S or (kept > KEPT_BYTES and age > _IN_USE_S):
            removed += _removed(path)
    return removed


def _spills(folder: str) -> list[tuple[float, int, str]]:
    found = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if _OURS.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                about = entry.stat(follow_symlinks=False)
                found.append((about.st_mtime, about.st_size, entry.path))
    return found


def _removed(path: str) -> bool:
    """Whether it went: another process may have been quicker, or may own it."""
    try:
        os.unlink(path)
    except OSError:
        return False
    return True
