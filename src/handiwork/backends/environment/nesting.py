"""Which path lies in which: for paths whose links are resolved."""

from __future__ import annotations

import os
from collections.abc import Iterable


def inside(path: str, folder: str) -> bool:
    """Whether *path* is *folder* or lies in it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def outermost(paths: Iterable[str]) -> tuple[str, ...]:
    """Those of *paths* that don't lie in another of them, shortest first."""
    kept: list[str] = []
    for path in sorted(set(paths), key=lambda path: (len(path), path)):
        if not any(inside(path, other) for other in kept):
            kept.append(path)
    return tuple(kept)


def deepest(path: str, folders: Iterable[str]) -> int:
    """The length of the innermost of *folders* that *path* lies in, -1 where there is none."""
    return max((len(folder) for folder in folders if inside(path, folder)), default=-1)


def placed(path: str) -> str:
    """*path* with the links on the way to its last part resolved, but not that part itself."""
    folder, name = os.path.split(os.path.normpath(path))
    return os.path.join(os.path.realpath(folder), name)
