"""Who listens on this machine through the file system, within our reach."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from .nesting import inside

_LISTED = Path("/proc/net/unix")
_FIELDS = 8


def reachable_sockets(own: Iterable[str]) -> tuple[str, ...]:
    """The sockets that we could connect to and that lie in none of the folders *own*.

    Behind one may be a bus or a container's engine, which does for a command what it may not do itself.
    """
    places = tuple(own)
    text = _LISTED.read_text(encoding="utf-8", errors="surrogateescape")
    lines = (line.split(maxsplit=_FIELDS - 1) for line in text.splitlines())
    paths = {words[-1] for words in lines if len(words) == _FIELDS and words[-1].startswith("/")}
    return tuple(
        path for path in sorted(paths) if os.access(path, os.W_OK) and not any(inside(path, place) for place in places)
    )
