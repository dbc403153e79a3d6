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
import time
from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from .cancel import CancelToken
from .errors import HandiworkError
from .resident_loop import DEFAULT_TIMEOUT_S, BridgeTimeoutError, Job, Mailbox, ResidentLoop

# How long whoever is cancelled waits for what it had asked for to end. Seconds.
LAST_WORDS_S = 1.0


class OnLoopError(HandiworkError):
    """A synchronous call was made on the resident loop itself, which it would block for ever."""

    def __init__(self) -> None:
        super().__init__(
            "a synchronous tool call can't be made on the loop that runs async tools",
            "use `await scope.acall(name, args)` in an async handler",
        )


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
        timeout_s: float | None = None,
        label: str = "",
        cancel: CancelToken | None = None,
    ) -> Any:
        """Run *coro* on its loop and wait for it in this thread.

        Raises what it raises, `BridgeTimeoutError` after *timeout_s* seconds (never more than the usual
        limit), `OnLoopError` where waiting would block the very loop that has to do the work.
        """
        timeout_s = _bounded(timeout_s)
        resident = self._loop_for(label)
        if resident.is_current_thread():
            coro.close()
            raise OnLoopError
        done = threading.Lock()
        done.acquire()
        job = Job(coro, done.release, label=label)
        resident.submit(job)
        forget = cancel.on_cancel(lambda: resident.cancel(job)) if cancel else None
        try:
            finished = done.acquire(timeout=timeout_s)
        except BaseException:
            resident.cancel(job)
            done.acquire(timeout=LAST_WORDS_S)
            raise
        finally:
            if forget:
                forget()
        if not finished:
            resident.cancel(job)
            raise BridgeTimeoutError(timeout_s)
        return job.outcome()

    async def arun(
        self,
        coro: Coroutine[Any, Any, Any],
        *,
        timeout_s: float | None = None,
        label: str = "",
        cancel: CancelToken | None = None,
    ) -> Any:
        """Run *coro* on its loop while the caller's stays free. A cancelled caller cancels it.

        Whoever does so waits, for a second at most, until it has ended.
        """
        timeout_s = _bounded(timeout_s)
        resident = self._loop_for(label)
        if resident.is_current_thread():
            return await _run_here(coro, timeout_s)
        here = asyncio.get_running_loop()
        waiter: asyncio.Future[None] = here.create_future()
        outbox = self._outbox(here)
        job = Job(coro, lambda: outbox.post(waiter), label=label, deadline=time.monotonic() + timeout_s)
        resident.submit(job)
        forget = cancel.on_cancel(lambda: resident.cancel(job)) if cancel else None
        # The watchdog gives up on what takes the usual limit; a timer of its own costs 5 us a call.
        timer = here.call_later(timeout_s, resident.expire, job, timeout_s) if timeout_s < DEFAULT_TIMEOUT_S else None
        try:
            await waiter
        except BaseException:
            resident.cancel(job)
            await _last_words((job,))
            raise
        finally:
            if timer:
                timer.cancel()
            if forget:
                forget()
        return job.outcome()

    async def gather(self, coros: Sequence[tuple[Coroutine[Any, Any, Any], str]]) -> list[Job]:
        """Run many (coroutine, label) together, each with the usual limit; the ended jobs, in order.

        A task of the caller's for each of them would cost another 10 us a call.
        """
        here = asyncio.get_running_loop()
        waiter: asyncio.Future[None] = here.create_future()
        outbox = self._outbox(here)
        left = _Countdown(len(coros), lambda: outbox.post(waiter))
        deadline = time.monotonic() + DEFAULT_TIMEOUT_S
        jobs = [Job(coro, left.down, label=label, deadline=deadline) for coro, label in coros]
        residents = [self._loop_for(job.label) for job in jobs]
        for resident, job in zip(residents, jobs, strict=True):
            resident.submit(job)
        try:
            await waiter
        except BaseException:
            for resident, job in zip(residents, jobs, strict=True):
                resident.cancel(job)
            await _last_words(jobs)
            raise
        return jobs

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


def _bounded(timeout_s: float | None) -> float:
    """The smaller of a limit of one's own and the usual one."""
    return DEFAULT_TIMEOUT_S if timeout_s is None else min(timeout_s, DEFAULT_TIMEOUT_S)


async def _last_words(jobs: Iterable[Job]) -> None:
    """Give cancelled coroutines time for their `finally`: whoever goes on finds that done."""
    until = time.monotonic() + LAST_WORDS_S
    while not all(job.has_ended for job in jobs) and time.monotonic() < until:  # noqa: ASYNC110 - they end elsewhere
        await asyncio.sleep(0.002)


def _release(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_result(None)


class _Countdown:
    """Calls *then* when it was told *count* times, from whatever threads."""

    def __init__(self, count: int, then: Callable[[], object]) -> None:
        self._left, self._then = count, then
        self._lock = threading.Lock()

    def down(self) -> None:
        with self._lock:
            self._left -= 1
            last = not self._left
        if last:
            self._then()


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
