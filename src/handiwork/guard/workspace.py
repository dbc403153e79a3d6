"""The workspace: which folder a call belongs to, and what lies in it."""

from __future__ import annotations

import os
from pathlib import Path


def find_workspace(cwd: str, *, home: str | None = None) -> str:
    """The nearest folder above *cwd* with `.git` or `.handiwork`, else *cwd*.

    Never `/` or the home itself: then the answer is empty, and every write asks.
    """
    start = Path(os.path.realpath(cwd))
    homes = {Path(os.path.realpath(home or os.path.expanduser("~"))), Path("/")}
    for folder in (start, *start.parents):
        if folder in homes:
            break
        if (folder / ".git").exists() or (folder / ".handiwork").is_dir():
            return str(folder)
    return "" if start in homes else str(start)


def is_inside(real: str, folder: str) -> bool:
    """Whether the resolved path *real* is *folder* or lies under it."""
    return bool(folder) and (real == folder or real.startswith(folder.rstrip("/") + "/"))
