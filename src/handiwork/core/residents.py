"""Which threads serve resident loops. Kept apart from the bridge, so that asking doesn't load asyncio."""

from __future__ import annotations

import threading

_threads: set[int] = set()


def add_current_thread() -> None:
    """This thread serves a resident loop from now on."""
    _threads.add(threading.get_ident())


def is_resident_thread() -> bool:
    """True on a thread that would block a resident loop by waiting for it."""
    return bool(_threads) and threading.get_ident() in _threads
