"""An event loop on a daemon thread of its own, and what travels to it."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable, Coroutine
from contextvars import copy_context
from typing import Any

from .residents import add_current_thread
from .watchdog import Watchdog

DEFAULT_TIMEOUT_S = 300.0


class BridgeTimeoutError(TimeoutError):
    """The coroutine took too long and was cancelled."""

    def __init__(self, timeout_s: float) -> None:
        super().__init__(f"no answer within {timeout_s:g} s; it was cancelled")


class JobCancelledError(RuntimeError):
    """The coroutine was cancelled, but not by cancelling whoever waits for it."""


class Job:
    """One coroutine on its way to a loop: who is told when it ends, and what came of it.

    It ends once: when its coroutine does, or when somebody gives up on it. *deadline* is monotonic.
    """

    __slots__ = (
        "_begun", "_cancelled", "_ended", "_error", "_started", "_value",
        "context", "coro", "deadline", "duration_s", "label", "on_end", "task",
    )  # fmt: skip

    def __init__(
        self,
        coro: Coroutine[Any, Any, Any],
        on_end: Callable[[], object],
        *,
        label: str = "",
        deadline: float = float("inf"),
    ) -> None:
        self.coro, self.on_end, self.label, self.deadline = coro, on_end, label, deadline
        self.context = copy_context()
        self.task: asyncio.Task[None] | None = None
        self._begun = self._cancelled = self._ended = False
        self._started, self.duration_s = time.perf_counter(), 0.0
        self._value: Any = None
        self._error: BaseException | None = None

    async def run(self) -> None:
        self._begun = True
        try:
            value, error = await self.coro, None
        except BaseException as caught:  # noqa: BLE001 - foreign code ends here; whoever waits gets it
            value, error = None, caught
        self.end(value, error)

    def end(self, value: Any, error: BaseException | None) -> None:
        """What came of it; only the first word counts."""
        if not self._ended:
            self._ended, self._value, self._error = True, value, error
            self.duration_s = time.perf_counter() - self._started
            self.on_end()

    def cancel(self) -> None:
        """Only on the loop's own thread. A job that has not begun ends unrun: its task never gets there.

        Once is enough: a second time would break into what the coroutine does in its `finally`.
        """
        if self._cancelled or self.task is None or self.task.done():
            return
        self._cancelled = True
        self.task.cancel()
        if not self._begun:
            self.coro.close()
            self.end(None, asyncio.CancelledError())

    @property
    def has_ended(self) -> bool:
        return self._ended

    def outcome(self) -> Any:
        if isinstance(self._error, asyncio.CancelledError):
            raise JobCancelledError("cancelled") from self._error
        if self._error is not None:
            raise self._error
        return self._value


class Mailbox:
    """Hands items to a loop from other threads; items that come together cost one wake-up."""

    __slots__ = ("_awake", "_items", "_loop", "_take")

    def __init__(self, loop: asyncio.AbstractEventLoop, take: Callable[[Any], object]) -> None:
        self._loop, self._take = loop, take
        self._items: deque[Any] = deque()
        self._awake = False

    def post(self, item: Any) -> None:
        # Append first, look at the flag after: `_drain` clears the flag before it looks at the items,
        # so an item is either seen by the drain under way or wakes another one.
        self._items.append(item)
        if not self._awake:
            self._awake = True
            self._loop.call_soon_threadsafe(self._drain)

    def _drain(self) -> None:
        self._awake = False
        while self._items:
            self._take(self._items.popleft())


class ResidentLoop:
    """An event loop on a daemon thread of its own."""

    def __init__(self, name: str, on_blocked: Callable[[str], None]) -> None:
        self.loop = asyncio.new_event_loop()
        self._jobs: dict[Job, None] = {}
        self._mailbox = Mailbox(self.loop, self._begin)
        self._thread = threading.Thread(target=self._serve, name=f"handiwork-{name}", daemon=True)
        self._watchdog = Watchdog(
            self.loop, busy=lambda: bool(self._jobs), on_blocked=on_blocked, every_second=self._give_up_on_late_jobs
        )
        self._thread.start()

    def is_current_thread(self) -> bool:
        return threading.get_ident() == self._thread.ident

    def job_count(self) -> int:
        return len(self._jobs)

    def submit(self, job: Job) -> None:
        self._mailbox.post(job)
        self._watchdog.attend()

    def cancel(self, job: Job) -> None:
        self.loop.call_soon_threadsafe(job.cancel)

    def expire(self, job: Job, timeout_s: float) -> None:
        """Give up on *job*: whoever waits is told now, the coroutine is cancelled as soon as it can be."""
        job.end(None, BridgeTimeoutError(timeout_s))
        self.cancel(job)

    def _begin(self, job: Job) -> None:
        job.task = self.loop.create_task(job.run(), name=job.label, context=job.context)
        self._jobs[job] = None
        job.task.add_done_callback(lambda _: self._jobs.pop(job, None))

    def _give_up_on_late_jobs(self) -> None:
        """On the watchdog's thread, so that it works also while a handler blocks the loop."""
        now = time.monotonic()
        for job in self._jobs.copy():
            if job.deadline < now:
                self.expire(job, DEFAULT_TIMEOUT_S)

    def _serve(self) -> None:
        add_current_thread()
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()
