"""Kill this process at its n-th operation on a file, the store or the journal, as SQLite tests itself.

Counted are statements of SQLite, and what changes files: opening to write, writing, syncing, renaming, linking,
removing, making folders. It is switched on by `HANDIWORK_TEST_KILL_AT` (0 only counts), in tests and nowhere else.
"""

from __future__ import annotations

import itertools
import os
import signal
import sqlite3
import sys
from typing import Any

VARIABLE = "HANDIWORK_TEST_KILL_AT"
_EVENTS = {"os.rename", "os.link", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.truncate", "os.symlink"}


class Failpoint:
    """The one place that all counted operations go by."""

    def __init__(self, kill_at: int) -> None:
        self._kill_at, self._count = kill_at, itertools.count(1)
        self.reached = 0

    def reach(self, _: Any = None) -> None:
        """An operation is about to be done."""
        self.reached = next(self._count)
        if self.reached == self._kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    def hear(self, event: str, args: tuple[Any, ...]) -> None:
        """What Python tells of a file."""
        if event in _EVENTS or (event == "open" and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR)):
            self.reach()


def install() -> Failpoint:
    """Count from now on, and die where the environment says."""
    point = Failpoint(int(os.environ[VARIABLE]))
    sys.addaudithook(point.hear)
    connect = sqlite3.connect

    def connect_and_count(*args: Any, **options: Any) -> sqlite3.Connection:
        connection = connect(*args, **options)
        connection.set_trace_callback(point.reach)
        return connection

    sqlite3.connect = connect_and_count
    for name in ("write", "fsync", "pwrite"):
        setattr(os, name, _counted(point, getattr(os, name)))
    return point


def _counted(point: Failpoint, real: Any) -> Any:
    def call(*args: Any) -> Any:
        point.reach()
        return real(*args)

    return call
