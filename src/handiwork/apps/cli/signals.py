"""Signals while a command works: the first one ends the work, a second one quits."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from ...core.cancel import CancelToken

CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}


class Stopped(KeyboardInterrupt):
    """A signal ended the command; `code` is the exit code that says which."""

    def __init__(self, code: int) -> None:
        super().__init__("interrupted")
        self.code = code


def watched() -> dict[signal.Signals, int]:
    """The signals to listen to with their exit codes: what was ignored when we started (nohup) stays so."""
    return {number: code for number, code in CODES.items() if signal.getsignal(number) is not signal.SIG_IGN}


class Signals:
    """Listens while synchronous work runs. `code` is set, and `cancel` told, when a signal came.

    *quit_* is called before a second signal ends the process on the spot.
    """

    def __init__(self, quit_: Callable[[], object] | None = None) -> None:
        self._quit = quit_
        self.code = 0
        self.cancel = CancelToken()

    @contextmanager
    def heard(self) -> Iterator[None]:
        """Within, a signal raises `Stopped`; only the main thread can listen."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self._hear) for number in watched()}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def check(self) -> None:
        """Raise `Stopped` if a signal came that was taken for a failure of the work."""
        if self.code:
            raise Stopped(self.code)

    def _hear(self, number: int, _: FrameType | None) -> None:
        code = CODES[signal.Signals(number)]
        if self.code:
            if self._quit:
                self._quit()
            os._exit(self.code)  # asked twice: whatever still holds on is not waited for
        self.code = code
        self.cancel.cancel()
        raise Stopped(code)
