"""Signals as something to poll for, and the calls of the kernel that Python has no name for."""

from __future__ import annotations

import ctypes
import os
import signal

_SET_NAME = 15
_SET_CHILD_SUBREAPER = 36


class Wake:
    """A descriptor that is readable once one of *numbers* has come; `take` says which came."""

    def __init__(self, *numbers: int) -> None:
        self.fd, self._bell = os.pipe()
        os.set_blocking(self.fd, False)
        os.set_blocking(self._bell, False)
        for number in numbers:
            signal.signal(number, _note)
        signal.set_wakeup_fd(self._bell, warn_on_full_buffer=False)

    def take(self) -> set[int]:
        try:
            return set(os.read(self.fd, 4096))
        except BlockingIOError:
            return set()

    def close(self) -> None:
        signal.set_wakeup_fd(-1)
        os.close(self.fd)
        os.close(self._bell)


def _note(number: int, frame: object) -> None:
    """The number is already in the pipe; a handler has to be there for that."""


def adopt(name: str) -> None:
    """Make this process the parent of its descendants that lose theirs; *name* is what `ps` shows."""
    system = ctypes.CDLL(None, use_errno=True)
    if system.prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "this system gives us no lost children")
    system.prctl(_SET_NAME, name.encode(), 0, 0, 0)
