"""Signals as something to poll for."""

from __future__ import annotations

import os
import signal


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
