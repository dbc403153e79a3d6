"""Handing work on: orders to other agents, awaited or in the background; bound to the `delegate_task` tool."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from ..core.delegation import DELEGATION_LIMITS, DelegationLimits
from ..core.errors import UnknownNameError, UsageError
from ..core.loading import Late
from ..core.types import EMPTY_SCOPE, Args, Done, Progress, Scope
from ..core.wire import dumps
from .delegate import Delegate, Hire, Order
from .spending import Budget, Tally

fencing = Late("handiwork.guard.fencing")
redaction = Late("handiwork.guard.redaction")

# What is left of our own time when theirs is over, so that there is a report and somebody to read it.
_RESERVE_S = 2.0
_MOST_NOTICE_CHARS = 2_000
_MOST_KEPT = 32


class Delegation:
    """The delegates of one agent (also core.types `Background`): *hire* makes them, with what *tally* has left.

    They work on the agent's own loop. Whoever is cancelled, or ends a turn, takes them along.
    """

    def __init__(self, hire: Hire, limits: DelegationLimits = DELEGATION_LIMITS, *, tally: Tally | None = None) -> None:
        self._hire, self._limits, self._tally = hire, limits, tally or Tally()
        self._staff: dict[str, Delegate] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._untold: set[str] = set()
        self._numbers = itertools.count(1)
        self._places: tuple[asyncio.AbstractEventLoop, asyncio.Semaphore] | None = None

    async def __call__(self, args: Args, /, *, scope: Scope = EMPTY_SCOPE, **_: Any) -> AsyncIterator[Any]:
        """Yields progress, then the reports. Raises `UsageError` before anybody has begun."""
        waited = [self._known(name) for name in args.get("wait") or ()]
        rows = args.get("tasks") or ()
        budget = self._budget(len(rows), args.get("seconds"), scope)
        orders = [_order(row, budget, scope) for row in rows]
        if not orders and not waited:
            raise UsageError("there is neither a task nor anything to wait for", "give tasks")
        begun = self._begin(orders, scope)
        if args.get("background"):
            self._untold.update(delegate.name for delegate in begun)
            yield Done({"begun": await self._confirmed(begun), "then": "wait for them before you answer"})
            return
        async for line in self._followed([*begun, *waited]):
            yield Progress(line)
        yield self._reported([*begun, *waited])

    # ------------------------------------------------------------------------------------- beginning

    def _budget(self, tasks: int, seconds: float | None, scope: Scope) -> Budget:
        """What each of so many tasks may take: no more than we have, and of our tokens and money its share."""
        most = min(self._limits.seconds, seconds or self._limits.seconds)
        if scope.deadline is not None:
            most = min(most, scope.deadline - time.monotonic() - _RESERVE_S)
        left = self._tally.left().shared(max(1, tasks))
        if tasks and (most <= 0 or left.is_nothing):
            raise UsageError("no time or no tokens are left for others", "do what is most needed yourself, and answer")
        tokens = self._limits.tokens if left.tokens is None else min(self._limits.tokens, left.tokens)
        return Budget(self._limits.steps, most, tokens, left.usd)

    def _begin(self, orders: Sequence[Order], scope: Scope) -> list[Delegate]:
        """All of them, or none. They hear what stops us, even if that has happened already."""
        begun = [
            Delegate(f"d{next(self._numbers)}", order, self._hire, quiet_s=self._limits.quiet_s) for order in orders
        ]
        self._forget()
        for delegate in begun:
            self._staff[delegate.name] = delegate
            task = self._tasks[delegate.name] = asyncio.ensure_future(delegate.work(self._place()))
            if scope.cancel:
                forget = scope.cancel.on_cancel(lambda d=delegate: d.stop("cancelled", "its principal was stopped"))  # type: ignore[misc]
                task.add_done_callback(lambda _, forget=forget: forget())  # type: ignore[misc]
        return begun

    def _forget(self) -> None:
        """Those that were told of long ago."""
        told = [name for name, delegate in self._staff.items() if delegate.is_over and name not in self._untold]
        for name in told[:-_MOST_KEPT]:
            del self._staff[name], self._tasks[name]

    def _place(self) -> asyncio.Semaphore:
        """What lets so many work at once; a loop has its own."""
        loop = asyncio.get_running_loop()
        if self._places is None or self._places[0] is not loop:
            self._places = loop, asyncio.Semaphore(self._limits.at_once)
        return self._places[1]

    async def _confirmed(self, begun: Sequence[Delegate]) -> list[dict[str, Any]]:
        """Which of them work, and which wait for a place: nobody is said to work who has not begun."""
        await asyncio.sleep(0)
        with suppress(TimeoutError):
            async with asyncio.timeout(0.5):
                await asyncio.gather(*(d.begun.wait() for d in begun[: self._limits.at_once]))
        return [{"id": d.name, "task": d.about, "state": d.state} for d in begun]

    def _known(self, name: str) -> Delegate:
        if name not in self._staff:
            raise UnknownNameError("delegate", name, self._staff, f"there are: {', '.join(self._staff) or 'none'}")
        return self._staff[name]

    # ------------------------------------------------------------------------------------- following

    async def _followed(self, delegates: Sequence[Delegate]) -> AsyncIterator[str]:
        """What they do, a line each, until all have ended. If we are cancelled, they are, too."""
        lines: asyncio.Queue[str | None] = asyncio.Queue()
        running = [delegate for delegate in delegates if not self._tasks[delegate.name].done()]
        for delegate in running:
            delegate.tell = lines.put_nowait
            self._tasks[delegate.name].add_done_callback(lambda _: lines.put_nowait(None))
        try:
            left = len(running)
            while left:
                line = await lines.get()
                if line is None:
                    left -= 1
                else:
                    yield line
        finally:
            await self._stop(delegates)

    async def _stop(self, delegates: Sequence[Delegate]) -> None:
        """End those that still work, and wait for it: it doesn't take long, whatever they do."""
        for delegate in delegates:
            delegate.stop("cancelled", "its principal was stopped")
        if running := [self._tasks[d.name] for d in delegates if not self._tasks[d.name].done()]:
            await asyncio.wait(running)

    def _reported(self, delegates: Iterable[Delegate]) -> Done:
        delegates = list(delegates)
        self._untold.difference_update(delegate.name for delegate in delegates)
        labels = tuple(label for delegate in delegates for label in delegate.labels)
        failed = all(delegate.state != "done" for delegate in delegates)
        return Done({"results": [delegate.report() for delegate in delegates]}, labels=labels, is_error=failed)

    # ------------------------------------------------------------------------------------- background

    def notices(self) -> list[str]:
        """The results of those that have ended in the background since this was last asked."""
        ended = [delegate for name, delegate in self._staff.items() if name in self._untold and delegate.is_over]
        self._untold.difference_update(delegate.name for delegate in ended)
        return list(map(_notice, ended))

    def end_turn(self) -> None:
        """End all: nobody would hear of them any more. What they have by then is told in the next turn."""
        for delegate in self._staff.values():
            delegate.stop("cancelled", "the turn that it worked for has ended")


def _order(row: Args, budget: Budget, scope: Scope) -> Order:
    if not row["task"].strip():
        raise UsageError("a task is empty", "say what is to be done")
    if scope.deadline is not None:  # also of one that waits for a place: its own time begins when it has one
        scope = replace(scope, deadline=scope.deadline - _RESERVE_S)
    return Order(row["task"], tuple(row.get("tools") or ()), budget, scope)


def _notice(delegate: Delegate) -> str:
    """Its report, as short as a notice must be; it can still be waited for, which tells it whole."""
    text = redaction.redact(dumps(delegate.report()))
    if len(text) > _MOST_NOTICE_CHARS:
        text = f"{text[:_MOST_NOTICE_CHARS]}… (cut; wait for {delegate.name} to read the whole)"
    labels = delegate.labels
    text = fencing.fence(text, labels[0].source) if labels else text
    return f"{delegate.name} has ended: {text}"
