"""What a file is like now, to know later whether a call that was cut short has changed it."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable
from typing import Any

from ..core.errors import UsageError
from ..core.types import Ready
from ..pipeline.footprint import only_files, paths_named

_MOST_BYTES = 32 << 20
Mark = dict[str, Any] | None


def marks_of_call(ready: Ready) -> dict[str, Mark]:
    """The marks of the files that a call will change; none where it may change anything else as well."""
    if not only_files(ready.entry.traits):
        return {}
    try:
        return marks_of(files_of_call(ready))
    except UsageError:  # a patch that can't be read: the tool will say so
        return {}


def files_of_call(ready: Ready) -> list[str]:
    """Where the paths lead that a call names, and the patches in it. Raises `UsageError` for one that can't be read."""
    return [_real(ready, path) for path in paths_named(ready.entry.traits, ready.args)]


def _real(ready: Ready, path: str) -> str:
    """What *path* led to when the call was judged, else what it leads to now."""
    found = ready.real_paths.get(path)
    return found or os.path.realpath(os.path.join(ready.call.scope.here, os.path.expanduser(path)))


def marks_of(paths: Iterable[str]) -> dict[str, Mark]:
    """The mark of each file."""
    return {path: _mark(path) for path in paths}


def _mark(path: str) -> Mark:
    """Size and hash of a file, of a very long one its stamp; None where there is none."""
    try:
        about = os.stat(path)
        if not stat.S_ISREG(about.st_mode):
            return {"kind": stat.S_IFMT(about.st_mode)}
        if about.st_size > _MOST_BYTES:
            return {"size": about.st_size, "inode": about.st_ino, "modified_ns": about.st_mtime_ns}
        with open(path, "rb") as file:
            return {"size": about.st_size, "sha256": hashlib.sha256(file.read()).hexdigest()}
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        return {"unreadable": error.strerror}


def tellable(mark: Mark) -> bool:
    """Whether a later mark can be compared with this one: it is of a file, or of none."""
    return mark is None or "size" in mark
