"""A wave of calls that the first error ends: what runs is cancelled, what doesn't run yet never will."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from ..core.cancel import CancelToken
from ..core.handler import describe_exception
from ..core.loading import Late
from ..core.types import Ready, Refusal, ToolCall, ToolResult
from .drivers import advance, aexecute, finish_all
from .effects import Broke, Execute, Line, Run
from .outcomes import completed

if TYPE_CHECKING:
    from .line import Pipeline
    from .parts import Parts

asyncio = Late("asyncio")
# How long a cancelled call may take to say how it ended. Then it is left, and nobody knows its outcome.
GRACE_S = 2.0


class SiblingFailedError(Exception):
    """Another call of the turn failed."""


async def run_wave_until_error(
    pipeline: Pipeline, calls: Sequence[ToolCall], before: Sequence[ToolResult]
) -> list[ToolResult]:
    """The results of a wave, in order. Nothing of it runs where one *before* it failed, or isn't let through."""
    with ExitStack() as stack:
        token = CancelToken()
        for cancel in {call.scope.cancel for call in calls if call.scope.cancel}:
            stack.callback(cancel.on_cancel(token.cancel))
        return await _run_wave(pipeline, calls, before, token)


async def _run_wave(
    pipeline: Pipeline, calls: Sequence[ToolCall], before: Sequence[ToolResult], token: CancelToken
) -> list[ToolResult]:
    lines: list[Line] = []
    stops: list[Execute | ToolResult] = []
    for call in calls:
        failed = _first_error((*before, *stops))
        lines.append(pipeline.decline(call, _not_run(failed)) if failed else _open(pipeline, call, token))
        stops.append(await advance(pipeline, lines[-1]))
    readies = [stop.ready for stop in stops if not isinstance(stop, ToolResult)]
    if failed := _first_error((*before, *stops)):
        runs: list[Run] = [(Broke(SiblingFailedError(_not_run(failed).reason)), 0.0) for _ in readies]
    else:
        runs = await _run_until_error(pipeline, readies, token)
    return await finish_all(pipeline, lines, stops, runs)


def _open(pipeline: Pipeline, call: ToolCall, token: CancelToken) -> Line:
    """The line of a call that can be cancelled apart from the rest of the turn."""
    return pipeline.open(ToolCall(call.name, call.arguments, call.id, pipeline.bind(call.scope.altered(cancel=token))))


def _first_error(ends: Iterable[Execute | ToolResult]) -> ToolResult | None:
    return next((end for end in ends if isinstance(end, ToolResult) and end.is_error), None)


def _not_run(failed: ToolResult) -> Refusal:
    return Refusal(f"not run: another call of this turn, {failed.call.name}, failed", "turn")


async def _run_until_error(parts: Parts, readies: Sequence[Ready], token: CancelToken) -> list[Run]:
    """Run handlers together until one fails; what came of each, in order. Whoever cancels us cancels them."""
    tasks = {asyncio.ensure_future(aexecute(parts, ready)): ready for ready in readies}
    pending = set(tasks)
    name = ""
    try:
        while pending and not name:
            done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
            name = next((tasks[t].entry.name for t in done if completed(tasks[t], *t.result()).is_error), "")
        if pending:
            token.cancel()
            await asyncio.wait(pending, timeout=GRACE_S)
    finally:
        for task in pending:
            task.cancel()
        await asyncio.gather(*pending, return_exceptions=True)
    return [task.result() if task not in pending else _cut_short(task, name) for task in tasks]


def _cut_short(task: Any, failed: str) -> Run:
    """What came of a call that was cancelled: its own words, where it had any but that."""
    ended, duration_ms = (Broke(asyncio.CancelledError()), 0.0) if task.cancelled() else task.result()
    if not isinstance(ended, Broke) or describe_exception(ended.error) != "cancelled":
        return ended, duration_ms
    why = f"cancelled, since another call of this turn, {failed}, failed; whether it had an effect is unknown"
    return Broke(SiblingFailedError(why)), duration_ms
