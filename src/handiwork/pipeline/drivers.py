"""The two drivers of the line, and the only place where foreign code is run and its failures caught.

Sync handlers run in the caller's thread, or in a worker where there is a time limit or an async
caller; async handlers run on the resident loop. Handlers that an agent bound run on its own loop.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Sequence
from dataclasses import replace
from types import AsyncGeneratorType, GeneratorType
from typing import Any

from ..core.handler import accepted_keywords, call_handler, describe_exception
from ..core.loading import Late
from ..core.types import Done, Outcome, Progress, Ready, ToolResult
from .consulting import aask, ask, seconds_left
from .effects import Broke, Ended, Execute, Line, Run
from .firing import Firing, Heard
from .journal import NULL_JOURNAL
from .outcomes import adrain, as_outcome, drain
from .parts import Parts

asyncio = Late("asyncio")
bridge = Late("handiwork.core.bridge")
redaction = Late("handiwork.guard.redaction")
now = time.perf_counter


def drive(parts: Parts, line: Line) -> ToolResult:
    """Serve a line from synchronous code."""
    try:
        effect = next(line)
        while True:
            effect = line.send(execute(parts, effect.ready) if isinstance(effect, Execute) else ask(parts, effect))
    except StopIteration as end:
        result: ToolResult = end.value
        return result


async def adrive(parts: Parts, line: Line) -> ToolResult:
    """Serve a line from a coroutine."""
    stop = await advance(parts, line)
    while not isinstance(stop, ToolResult):
        stop = await advance(parts, line, await aexecute(parts, stop.ready))
    return stop


async def advance(parts: Parts, line: Line, outcome: Any = None) -> Execute | ToolResult:
    """Send *outcome* into a line and serve it until its handler is to be run, or it has its result."""
    try:
        effect = line.send(outcome)
        while not isinstance(effect, Execute):
            effect = line.send(await aask(parts, effect))
        return effect
    except StopIteration as end:
        result: ToolResult = end.value
        return result


async def finish_all(
    parts: Parts, lines: Sequence[Line], stops: Sequence[Execute | ToolResult], runs: Sequence[Run]
) -> list[ToolResult]:
    """The results of lines that have come to their *stops*: those at a handler go on with its run, in order."""
    left = iter(runs)
    pairs = zip(lines, stops, strict=True)
    return [stop if isinstance(stop, ToolResult) else await _finish(parts, line, next(left)) for line, stop in pairs]


async def _finish(parts: Parts, line: Line, run: Run) -> ToolResult:
    end = await advance(parts, line, run)
    if not isinstance(end, ToolResult):
        raise TypeError("a line runs its handler once")
    return end


def fire(parts: Parts, calls: Firing) -> Heard:
    """Serve the hooks of one point from synchronous code."""
    try:
        effect = next(calls)
        while True:
            effect = calls.send(ask(parts, effect))
    except StopIteration as end:
        heard: Heard = end.value
        return heard


async def afire(parts: Parts, calls: Firing) -> Heard:
    """The same from a coroutine, whose loop stays free."""
    try:
        effect = next(calls)
        while True:
            effect = calls.send(await aask(parts, effect))
    except StopIteration as end:
        heard: Heard = end.value
        return heard


# -------------------------------------------------------------------------------------------- handlers


def execute(parts: Parts, ready: Ready) -> Run:
    """Run the handler in this thread, or in a worker when its time is limited."""
    started = now()
    seat = None
    try:
        seat = parts.seats.take(ready)
        until = _begun(parts, ready)
        if until is None or ready.entry.is_async:
            value = _call(parts, ready)
        else:
            value = parts.workers.run(lambda: _call(parts, ready), timeout_s=seconds_left(until), name=ready.entry.name)
        if type(value) is not str and hasattr(value, "__await__"):
            value = bridge.tools_bridge.run(
                value, timeout_s=seconds_left(until), label=ready.entry.name, cancel=ready.call.scope.cancel
            )
        ended: Ended = value if type(value) is str else as_outcome(value)
    except BaseException as error:  # noqa: BLE001 - a tool that breaks is an answer
        ended = Broke(error)
    finally:
        if seat:
            parts.seats.leave(seat)
    return _note_outcome(parts, ready, ended), (now() - started) * 1000


async def aexecute(parts: Parts, ready: Ready) -> Run:
    """Run the handler elsewhere while the caller's loop stays free. A cancelled caller cancels it."""
    started = now()
    seat = None
    try:
        seat = await parts.seats.atake(ready)
        ended: Ended = as_outcome(await _acall(parts, ready, _begun(parts, ready)))
    except (asyncio.CancelledError, GeneratorExit):  # it is our caller who goes
        raise
    except BaseException as error:  # noqa: BLE001 - a tool that breaks is an answer
        ended = Broke(error)
    finally:
        if seat:
            parts.seats.leave(seat)
    return _note_outcome(parts, ready, ended), (now() - started) * 1000


async def aexecute_all(parts: Parts, readies: Sequence[Ready]) -> list[Run]:
    """Run the handlers of a wave together; what came of each, in order."""
    if len(readies) == 1:
        return [await aexecute(parts, readies[0])]
    together = [ready for ready in readies if _suits_gather(parts, ready)]
    rest = [ready for ready in readies if not _suits_gather(parts, ready)]
    runs = await asyncio.gather(_execute_on_bridge(parts, together), *(aexecute(parts, r) for r in rest))
    by_ready = dict(zip(map(id, (*together, *rest)), (*runs[0], *runs[1:]), strict=True))
    return [by_ready[id(ready)] for ready in readies]


def _suits_gather(parts: Parts, ready: Ready) -> bool:
    """An async handler of the registry's with the usual time limit, which nobody may want to cancel by itself."""
    entry, scope = ready.entry, ready.call.scope
    is_own = entry.is_async and entry.name not in scope.bindings and parts.seats.limit(entry) is None
    return is_own and scope.cancel is None and scope.deadline is None and entry.traits.timeout_s is None


async def _execute_on_bridge(parts: Parts, readies: list[Ready]) -> list[Run]:
    started = [_start(parts, ready) for ready in readies]
    coros = [(value, r.entry.name) for value, r in zip(started, readies, strict=True) if hasattr(value, "__await__")]
    jobs = iter(await bridge.tools_bridge.gather(coros) if coros else ())
    runs = [_job_run(next(jobs)) if hasattr(value, "__await__") else (value, 0.0) for value in started]
    return [(_note_outcome(parts, r, ended), ms) for r, (ended, ms) in zip(readies, runs, strict=True)]


def _start(parts: Parts, ready: Ready) -> Any:
    """Call an async handler up to its coroutine. What is no coroutine is how it ended already."""
    try:
        _begun(parts, ready)
        value = _call(parts, ready)
    except (Exception, SystemExit, KeyboardInterrupt) as error:  # noqa: BLE001 - a tool that breaks is an answer
        return Broke(error)
    return value if hasattr(value, "__await__") else as_outcome(value)


def _job_run(job: Any) -> Run:
    try:
        return as_outcome(job.outcome()), job.duration_s * 1000
    except BaseException as error:  # noqa: BLE001 - a tool that breaks is an answer
        return Broke(error), job.duration_s * 1000


async def _acall(parts: Parts, ready: Ready, until: float | None) -> Any:
    name = ready.entry.name
    if ready.entry.is_async:
        value = _call(parts, ready)
    else:
        value = await parts.workers.arun(lambda: _call(parts, ready), timeout_s=seconds_left(until), name=name)
    if not hasattr(value, "__await__"):
        return value
    if name in ready.call.scope.bindings:
        return await value if until is None else await _bounded(value, seconds_left(until))
    return await bridge.tools_bridge.arun(
        value, timeout_s=seconds_left(until), label=name, cancel=ready.call.scope.cancel
    )


async def _bounded(value: Any, seconds: float | None) -> Any:
    """What an agent's own handler gives, in time. It runs on this loop, so the bridge doesn't bound it."""
    try:
        async with asyncio.timeout(seconds) as limit:
            return await value
    except TimeoutError:
        if limit.expired():
            raise TimeoutError(f"no answer within {seconds:g} s; it was cancelled") from None
        raise


def _call(parts: Parts, ready: Ready) -> Any:
    """Call the handler, as a part of the call's span where somebody traces."""
    span = ready.call.scope.span
    return _call_handler(parts, ready) if span is None else span.carry(lambda: _call_handler(parts, ready))


def _call_handler(parts: Parts, ready: Ready) -> Any:
    """Call the handler, bound or registered, and pass on the progress it yields."""
    entry, bindings = ready.entry, ready.call.scope.bindings
    bound = bindings.get(entry.name) if bindings else None
    accepts = parts.registry.accepts(entry.name) if bound is None else accepted_keywords(bound)
    offered = _offered(parts, ready, accepts) if accepts else {}
    value = call_handler(bound or entry.handler, accepts, ready.args, offered)
    if type(value) is GeneratorType:
        return drain(value, _progress_sink(ready))
    return adrain(value, _progress_sink(ready)) if type(value) is AsyncGeneratorType else value


def _offered(parts: Parts, ready: Ready, accepts: Container[str]) -> dict[str, Any]:
    """What a handler may take beside its arguments, if it names it."""
    call = ready.call
    return {
        "task_id": call.scope.task_id,
        "session_id": call.scope.session_id,
        "tool_call_id": call.id,
        "scope": parts.enter(ready, _until(ready)) if "scope" in accepts else call.scope,
        "real_paths": ready.real_paths,
        "planned": ready.planned,
        "room": parts.limits.of(ready.entry),
    }


def _progress_sink(ready: Ready) -> Callable[[Progress], None]:
    sink = ready.call.scope.on_progress
    return (lambda progress: sink(ready.call, _masked(progress))) if sink else (lambda _: None)


def _masked(progress: Progress) -> Progress:
    """Secrets don't reach whoever watches."""
    message = redaction.redact(progress.message)
    return progress if message == progress.message else replace(progress, message=message)


def _begun(parts: Parts, ready: Ready) -> float | None:
    """A call begins: its intent is noted. When it must have ended, None for no limit of its own or its scope's.

    Raises `TimeoutError` for one that would begin too late.
    """
    until = _until(ready)
    if until is not None and until <= time.monotonic():
        raise TimeoutError("not run: its time was up before it began")
    _note_intent(parts, ready)
    return until


def _until(ready: Ready) -> float | None:
    """The earlier of two ends, by `time.monotonic`: the tool's limit from now on, and the scope's deadline."""
    limit, deadline = ready.entry.traits.timeout_s, ready.call.scope.deadline
    if limit is None:
        return deadline
    ends = time.monotonic() + limit
    return ends if deadline is None else min(ends, deadline)


def _note_intent(parts: Parts, ready: Ready) -> None:
    journal = ready.call.scope.journal or parts.journal
    if journal is not NULL_JOURNAL and _may_change(ready):
        journal.intent(ready)


def _note_outcome(parts: Parts, ready: Ready, outcome: Ended) -> Ended:
    journal = ready.call.scope.journal or parts.journal
    if journal is not NULL_JOURNAL and _may_change(ready):
        journal.outcome(ready, _as_journaled(outcome))
    return outcome


def _may_change(ready: Ready) -> bool:
    """Whether a call may have an effect, by itself or through a tool that it calls."""
    traits = ready.entry.traits
    return traits.resolved_effect() != "read" or "tool" in traits.touches.values()


def _as_journaled(outcome: Ended) -> Outcome:
    if isinstance(outcome, Broke):
        return Done(describe_exception(outcome.error), is_error=True)
    return as_outcome(outcome)
