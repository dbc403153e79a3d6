"""Threads for handlers that must not hold up their caller, and hold nothing but themselves when they hang.

A thread a call costs about 70 us of CPU. They are daemons, so one that never returns can't keep the
process from ending.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import copy_context
from typing import Any

from ..core.loading import Late

asyncio = Late("asyncio")


class HandlerTimeoutError(TimeoutError):
    """A sync handler didn't return in time; nobody knows whether it will have its effect."""

    def __init__(self, timeout_s: float) -> None:
        super().__init__(
            f"no answer within {timeout_s:g} s; the outcome is unknown: the tool can't be stopped and may still finish"
        )


class StillRunningError(RuntimeError):
    """An earlier call of the tool hangs; it is held until that returns."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} is still busy with an earlier call that timed out; it is held until that returns")


class _Work:
    """One function on its way through a thread."""

    def __init__(self, fn: Callable[[], Any], on_done: Callable[[], object]) -> None:
        self._fn, self._on_done, self._context = fn, on_done, copy_context()
        self._value: Any = None
        self._error: BaseException | None = None

    def __call__(self) -> None:
        try:
            self._value = self._context.run(self._fn)
        except BaseException as error:  # noqa: BLE001 - foreign code ends here; whoever waits gets it
            self._error = error
        finally:
            self._on_done()

    def outcome(self) -> Any:
        if self._error is not None:
            raise self._error
        return self._value


class Workers:
    """Runs functions in threads of their own and remembers those that didn't come back in time."""

    def __init__(self) -> None:
        self._held: dict[str, threading.Thread] = {}

    def held(self) -> list[str]:
        """Names whose threads are still running after their time was up."""
        return sorted(name for name, thread in self._held.copy().items() if thread.is_alive())

    def run(self, fn: Callable[[], Any], *, timeout_s: float | None, name: str) -> Any:
        """Run *fn* and wait at most *timeout_s* seconds. Raises what it raises, or `HandlerTimeoutError`."""
        done = threading.Lock()
        done.acquire()
        work = _Work(fn, done.release)
        thread = self._start(work, name)
        if not done.acquire(timeout=-1 if timeout_s is None else timeout_s):
            self._held[name] = thread
            raise HandlerTimeoutError(timeout_s or 0)
        return work.outcome()

    async def arun(self, fn: Callable[[], Any], *, timeout_s: float | None, name: str) -> Any:
        """The same from a coroutine: the loop stays free."""
        loop = asyncio.get_running_loop()
        done = loop.create_future()
        work = _Work(fn, lambda: _tell(loop, done))
        thread = self._start(work, name)
        try:
            finished, _ = await asyncio.wait((done,), timeout=timeout_s)
        except BaseException:
            self._held[name] = thread
            raise
        if not finished:
            self._held[name] = thread
            raise HandlerTimeoutError(timeout_s or 0)
        return work.outcome()

    def _start(self, work: _Work, name: str) -> threading.Thread:
        earlier = self._held.get(name)
        if earlier is not None:
            if earlier.is_alive():
                raise StillRunningError(name)
            self._held.pop(name, None)
        thread = threading.Thread(target=work, name=f"handiwork-tool-{name}", daemon=True)
        thread.start()
        return thread


def _tell(loop: Any, done: Any) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(lambda: done.done() or done.set_result(None))
