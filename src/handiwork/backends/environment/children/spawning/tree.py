"""The descendants of a process: found by parent links, signalled, and ended for certain."""

from __future__ import annotations

import os
import signal
from collections.abc import Collection, Iterator
from typing import NamedTuple

_PROC = "/proc"
# A tree that goes on forking is looked through so often, each time with more of it stopped.
_PASSES = 200


class Process(NamedTuple):
    """One line of the process table."""

    pid: int
    parent: int
    state: str
    name: str


def descendants(root: int, apart: Collection[int] = ()) -> Iterator[Process]:
    """The living descendants of *root*, parents before children; what is below *apart* is left out."""
    by_parent: dict[int, list[Process]] = {}
    for process in _table():
        by_parent.setdefault(process.parent, []).append(process)
    waiting = [root]
    while waiting:
        for process in by_parent.get(waiting.pop(0), ()):
            if process.pid not in apart:
                yield process
                waiting.append(process.pid)


def signal_tree(root: int, number: int) -> None:
    """Send a signal to every descendant of *root*, parents first: a shell doesn't go on to its next line."""
    for process in list(descendants(root)):
        _signal(process, root, number)


def end_tree(root: int, apart: Collection[int] = ()) -> list[Process]:
    """Stop all descendants, so that none escapes by forking, then kill them; those that we may not kill.

    They are gone when the kernel says so: reap, and call again while any is left.
    """
    stopped: dict[int, Process] = {}
    for _ in range(_PASSES):
        fresh = [process for process in descendants(root, apart) if process.pid not in stopped]
        for process in fresh:
            _signal(process, root, signal.SIGSTOP)
            stopped[process.pid] = process
        if not fresh:
            break
    return [process for process in stopped.values() if not _signal(process, root, signal.SIGKILL)]


def _signal(process: Process, root: int, number: int) -> bool:
    """Signal this process if it is still the one that was seen; False where we may not.

    Numbers are given out in a circle, so one that was just looked at isn't somebody else's yet.
    """
    now = _read(str(process.pid))
    if now is None or now.parent not in (process.parent, root):
        return True
    try:
        os.kill(process.pid, number)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return True


def _table() -> Iterator[Process]:
    for name in os.listdir(_PROC):
        if name.isdigit():
            process = _read(name)
            if process is not None and process.state not in "ZX":
                yield process


def _read(pid: str) -> Process | None:
    """The line of one process; its name, in brackets, may hold anything."""
    try:
        with open(f"{_PROC}/{pid}/stat", "rb", buffering=0) as file:
            line = file.read(4096)
    except OSError:  # it is gone
        return None
    head, _, tail = line.rpartition(b")")
    state, parent = tail.split(maxsplit=2)[:2]
    name = head.partition(b"(")[2].decode("utf-8", "replace")
    return Process(int(pid), int(parent), state.decode(), name)


def children(pid: int) -> list[int]:
    """Those that a process has now; none where this kernel keeps no list of them."""
    try:
        with open(f"{_PROC}/{pid}/task/{pid}/children", "rb", buffering=0) as file:
            return [int(word) for word in file.read(65_536).split()]
    except OSError:  # it is gone, too
        return []


def threads_of_user(user: int) -> int:
    """How many threads all processes of a user have: what the kernel counts against its limit of processes."""
    return sum(_threads(name) for name in os.listdir(_PROC) if name.isdigit() and _owner(name) == user)


def _owner(pid: str) -> int:
    try:
        return os.stat(f"{_PROC}/{pid}").st_uid
    except OSError:  # it is gone
        return -1


def _threads(pid: str) -> int:
    try:
        return len(os.listdir(f"{_PROC}/{pid}/task"))
    except OSError:  # it is gone
        return 0
