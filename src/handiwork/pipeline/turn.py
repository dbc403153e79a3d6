"""A turn: several calls of one reply, run in waves.

A wave holds calls that can't disturb each other. The next wave is prepared only when the one before
it is done, so that a call is judged on the world its predecessors left. Within a wave calls are
prepared, and approvals asked, in the order in which the model wrote them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..core.types import ToolCall, ToolResult
from .drivers import advance, aexecute_all, finish_all
from .fail_fast import run_wave_until_error
from .footprint import FREE, Footprint, Trampled, footprint
from .limits import fit_turn

if TYPE_CHECKING:
    from .line import Pipeline


async def run_turn(pipeline: Pipeline, calls: Sequence[ToolCall], *, fail_fast: bool = False) -> list[ToolResult]:
    """Run *calls* and give their results in the order asked. One that fails stops no other.

    With *fail_fast* the first error cancels what still runs of its wave, and the rest is answered as not run.
    What is too long together is cut to the turn's limit.
    """
    results: list[ToolResult] = []
    for wave in waves(pipeline, calls):
        results += await (run_wave_until_error(pipeline, wave, results) if fail_fast else _run_wave(pipeline, wave))
    fitting = fit_turn(results, pipeline.limits)
    for before, result in zip(results, fitting, strict=True):
        if result is not before and (origins := result.call.scope.origins):
            origins.keep(result)
    return fitting


def waves(pipeline: Pipeline, calls: Sequence[ToolCall]) -> list[list[ToolCall]]:
    """The calls in order, cut before each that must wait for one of its wave."""
    cut: list[list[ToolCall]] = []
    trampled = Trampled()
    for call in calls:
        mine = _footprint_of(pipeline, call)
        if not cut or trampled.conflicts(mine):
            cut.append([])
            trampled = Trampled()
        cut[-1].append(call)
        trampled.add(mine)
    return cut


def _footprint_of(pipeline: Pipeline, call: ToolCall) -> Footprint:
    """The footprint by the arguments as they will probably be; the line reads them anew."""
    entry = pipeline.registry.get(call.name)
    if entry is None:
        return FREE
    args = pipeline.plans.of(entry).apply(call.arguments).args if entry.traits.touches else None
    return footprint(entry, args or {}, call.scope)


async def _run_wave(pipeline: Pipeline, calls: list[ToolCall]) -> list[ToolResult]:
    """Prepare one after the other up to the handlers, run the handlers together, finish in order."""
    lines = [pipeline.open(call) for call in calls]
    stops = [await advance(pipeline, line) for line in lines]
    runs = await aexecute_all(pipeline, [stop.ready for stop in stops if not isinstance(stop, ToolResult)])
    return await finish_all(pipeline, lines, stops, runs)
