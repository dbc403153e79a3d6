"""Run coroutines from synchronous code, on resident loops that are never closed.

A loop lives on a daemon thread from its first use to the end of the process, so clients that async
handlers keep stay usable from the main thread, a worker thread, or a thread that runs a loop of its
own. Handing over costs two thread switches: measured at 0.75-0.9 of
`asyncio.run_coroutine_threadsafe(...).result()`, whose future allocates a condition a call.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections import deque
from collections.abc import Callable, Coroutine
from contextvars import copy_context
from typing import Any
from weakref import WeakKeyDictionary

from .cancel import CancelToken
from .errors import HandiworkError
from .residents import add_current_thread
from .watchdog import Watchdog

DEFAULT_TIMEOUT_S = 300.0


class OnLoopError(HandiworkError):
    """A synchronous call was made on the resident loop itself, which it would block for ever."""

    def __init__(self) -> None:
        super().__init__(
            "a synchronous tool call can't be made on the loop that runs async tools",
            "use `await scope.acall(name, args)` in an async handler",
        )


class BridgeTimeoutError(TimeoutError):
    """The coroutine took too long and was cancelled."""

    def __init__(self, timeout_s: float) -> None:
        super().__init__(f"no answer within {timeout_s:g} s; it was cancelled")


class JobCancelledError(RuntimeError):
    """The coroutine was cancelled, but not by cancelling whoever waits for it."""


class Job:
    """One coroutine on its way to a loop: who is told when it ends, and what came of it."""

    __slots__ = ("_begun", "_error", "_value", "context", "coro", "label", "on_done", "task")

    def __init__(self, coro: Coroutine[Any, Any, Any], on_done: Callable[[], object], label: str) -> None:
        self.coro, self.on_done, self.label = coro, on_done, label
        self.context = copy_context()
        self.task: asyncio.Task[None] | None = None
        self._begun = False
        self._value: Any = None
        self._error: BaseException | None = None

    async def run(self) -> None:
        self._begun = True
        try:
            self._value = await self.coro
        except BaseException as error:  # noqa: BLE001 - foreign code ends here; whoever waits gets it
            self._error = error
        finally:
            self.on_done()

    def cancel(self) -> None:
        """Only on the loop's own thread. A job that has not begun ends unrun: its task never gets there."""
        if self.task is None or self.task.done():
            return
        self.task.cancel()
        if not self._begun:
            self._error = asyncio.CancelledError()
            self.coro.close()
            self.on_done()

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
        self._jobs: set[asyncio.Task[None]] = set()
        self._mailbox = Mailbox(self.loop, self._begin)
        self._thread = threading.Thread(target=self._serve, name=f"handiwork-{name}", daemon=True)
        self._watchdog = Watchdog(self.loop, busy=lambda: bool(self._jobs), on_blocked=on_blocked)
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

    def _begin(self, job: Job) -> None:
        task = self.loop.create_task(job.run(), name=job.label, context=job.context)
        job.task = task
        self._jobs.add(task)
        task.add_done_callback(self._jobs.discard)

    def _serve(self) -> None:
        add_current_thread()
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()


class Bridge:
    """The way from any thread to a resident loop: one for all tools, and an own one for a tool that blocks."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._shared: ResidentLoop | None = None
        self._own: dict[str, ResidentLoop | None] = {}
        self._outboxes: WeakKeyDictionary[asyncio.AbstractEventLoop, Mailbox] = WeakKeyDictionary()

    def run(
        self,
        coro: Coroutine[Any, Any, Any],
        *,
        timeout_s: float = DEFAULT_TIMEOUT_S,
        label: str = "",
        cancel: CancelToken | None = None,
    ) -> Any:
        """Run *coro* on its loop and wait for it in this thread.

        Raises what it raises, `BridgeTimeoutError` after *timeout_s* seconds, `OnLoopError` where
        waiting would block the very loop that has to do the work.
        """
        resident = self._loop_for(label)
        if resident.is_current_thread():
            coro.close()
            raise OnLoopError
        done = threading.Lock()
        done.acquire()
        job = Job(coro, done.release, label)
        resident.submit(job)
        forget = cancel.on_cancel(lambda: resident.cancel(job)) if cancel else None
        try:
            finished = done.acquire(timeout=timeout_s)
        except BaseException:
            resident.cancel(job)
            raise
        finally:
            if forget:
                forget()
        if not finished:
            resident.cancel(job)
            raise BridgeTimeoutError(timeout_s)
        return job.outcome()

    async def arun(
        self, coro: Coroutine[Any, Any, Any], *, timeout_s: float = DEFAULT_TIMEOUT_S, label: str = ""
    ) -> Any:
        """Run *coro* on its loop while the caller's stays free. Cancelling the caller cancels it."""
        resident = self._loop_for(label)
        if resident.is_current_thread():
            return await _run_here(coro, timeout_s)
        here = asyncio.get_running_loop()
        waiter: asyncio.Future[None] = here.create_future()
        outbox = self._outbox(here)
        job = Job(coro, lambda: outbox.post(waiter), label)
        resident.submit(job)
        timer = here.call_later(timeout_s, _time_out, waiter, timeout_s)
        try:
            await waiter
        except BaseException:
            resident.cancel(job)
            raise
        finally:
            timer.cancel()
        return job.outcome()

    def job_count(self) -> int:
        """Coroutines under way on all loops."""
        return sum(loop.job_count() for loop in (self._shared, *self._own.values()) if loop)

    def blockers(self) -> list[str]:
        """Labels of tools that blocked the shared loop and now have their own."""
        return sorted(self._own)

    def abandon(self) -> None:
        """Forget all loops: their threads don't exist in a forked child."""
        self.__init__(self._name)  # type: ignore[misc]

    def _loop_for(self, label: str) -> ResidentLoop:
        if self._own and label in self._own:
            return self._own_loop(label)
        return self._shared or self._start_shared()

    def _start_shared(self) -> ResidentLoop:
        with self._lock:
            self._shared = self._shared or ResidentLoop(self._name, self._separate)
            return self._shared

    def _own_loop(self, label: str) -> ResidentLoop:
        with self._lock:
            loop = self._own[label] or ResidentLoop(f"{self._name}-{label}", lambda _: None)
            self._own[label] = loop
            return loop

    def _separate(self, label: str) -> None:
        if label:
            self._own.setdefault(label, None)

    def _outbox(self, loop: asyncio.AbstractEventLoop) -> Mailbox:
        outbox = self._outboxes.get(loop)
        if outbox is None:
            outbox = self._outboxes[loop] = Mailbox(loop, _release)
        return outbox


def _release(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_result(None)


def _time_out(waiter: asyncio.Future[None], timeout_s: float) -> None:
    if not waiter.done():
        waiter.set_exception(BridgeTimeoutError(timeout_s))


async def _run_here(coro: Coroutine[Any, Any, Any], timeout_s: float) -> Any:
    try:
        async with asyncio.timeout(timeout_s) as limit:
            return await coro
    except TimeoutError:
        if limit.expired():
            raise BridgeTimeoutError(timeout_s) from None
        raise


tools_bridge = Bridge("tools")
os.register_at_fork(after_in_child=tools_bridge.abandon)
