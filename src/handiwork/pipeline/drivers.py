"""The two drivers of the line, and the only place where foreign code is run and its failures caught.

Sync handlers run in the caller's thread, or in a worker where there is a time limit or an async
caller; async handlers run on the resident loop. Handlers that an agent bound run on its own loop.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from types import AsyncGeneratorType, GeneratorType
from typing import TYPE_CHECKING, Any

from ..core.handler import accepted_keywords, call_handler, describe_exception
from ..core.loading import Late
from ..core.types import Done, Outcome, Progress, Ready, ToolResult
from .effects import HOOK_TIMEOUT_S, AskPerson, Broke, CallHook, Effect, Execute
from .journal import NULL_JOURNAL
from .outcomes import adrain, as_outcome, drain

if TYPE_CHECKING:
    from .line import Line, Pipeline

bridge = Late("handiwork.core.bridge")
now = time.perf_counter
_LONGEST_S = 300.0


def drive(pipeline: Pipeline, line: Line) -> ToolResult:
    """Serve a line from synchronous code."""
    try:
        effect = next(line)
        while True:
            effect = line.send(_perform(pipeline, effect))
    except StopIteration as end:
        result: ToolResult = end.value
        return result


async def adrive(pipeline: Pipeline, line: Line) -> ToolResult:
    """Serve a line from a coroutine."""
    stop = await advance(pipeline, line)
    while not isinstance(stop, ToolResult):
        stop = await advance(pipeline, line, await aexecute(pipeline, stop.ready))
    return stop


async def advance(pipeline: Pipeline, line: Line, outcome: Any = None) -> Execute | ToolResult:
    """Send *outcome* into a line and serve it until its handler is to be run, or it has its result."""
    try:
        effect = line.send(outcome)
        while not isinstance(effect, Execute):
            effect = line.send(await _aask(pipeline, effect))
        return effect
    except StopIteration as end:
        result: ToolResult = end.value
        return result


def _perform(pipeline: Pipeline, effect: Effect) -> Any:
    """Do what the line asked for, and answer with what came of it."""
    if isinstance(effect, Execute):
        return execute(pipeline, effect.ready)
    try:
        return _wait_for(_consult(pipeline, effect))
    except BaseException as error:  # noqa: BLE001 - hooks and approvers are foreign code
        return Broke(error)


async def _aask(pipeline: Pipeline, effect: CallHook | AskPerson) -> Any:
    """Call a hook or an approver while the loop stays free."""
    try:
        return await _aconsult(pipeline, effect)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - hooks and approvers are foreign code
        return Broke(error)


# -------------------------------------------------------------------------------------------- handlers


def execute(pipeline: Pipeline, ready: Ready) -> Outcome | Broke:
    """Run the handler in this thread, or in a worker when its time is limited."""
    try:
        _note_intent(pipeline, ready)
        timeout_s = _time_left(ready)
        if timeout_s is None or ready.entry.is_async:
            value = _call(pipeline, ready)
        else:
            value = pipeline.workers.run(lambda: _call(pipeline, ready), timeout_s=timeout_s, name=ready.entry.name)
        if type(value) is not str and hasattr(value, "__await__"):
            value = bridge.tools_bridge.run(
                value, timeout_s=timeout_s or _LONGEST_S, label=ready.entry.name, cancel=ready.call.scope.cancel
            )
        outcome: Outcome | Broke = as_outcome(value)
    except BaseException as error:  # noqa: BLE001 - a tool that breaks is an answer
        outcome = Broke(error)
    return _note_outcome(pipeline, ready, outcome)


async def aexecute(pipeline: Pipeline, ready: Ready) -> Outcome | Broke:
    """Run the handler elsewhere while the caller's loop stays free. A cancelled caller cancels it."""
    try:
        _note_intent(pipeline, ready)
        outcome: Outcome | Broke = as_outcome(await _acall(pipeline, ready, _time_left(ready)))
    except (Exception, SystemExit, KeyboardInterrupt) as error:  # noqa: BLE001 - a tool that breaks is an answer
        outcome = Broke(error)
    return _note_outcome(pipeline, ready, outcome)


async def _acall(pipeline: Pipeline, ready: Ready, timeout_s: float | None) -> Any:
    name = ready.entry.name
    if ready.entry.is_async:
        value = _call(pipeline, ready)
    else:
        value = await pipeline.workers.arun(lambda: _call(pipeline, ready), timeout_s=timeout_s, name=name)
    if not hasattr(value, "__await__"):
        return value
    if name in ready.call.scope.bindings:
        return await value
    return await bridge.tools_bridge.arun(value, timeout_s=timeout_s or _LONGEST_S, label=name)


def _call(pipeline: Pipeline, ready: Ready) -> Any:
    """Call the handler, bound or registered, and pass on the progress it yields."""
    call, entry = ready.call, ready.entry
    scope = call.scope
    offered = {"task_id": scope.task_id, "session_id": scope.session_id, "tool_call_id": call.id, "scope": scope}
    bound = scope.bindings.get(entry.name) if scope.bindings else None
    if bound is None:
        value = call_handler(entry.handler, pipeline.registry.accepts(entry.name), ready.args, offered)
    else:
        value = call_handler(bound, accepted_keywords(bound), ready.args, offered)
    if type(value) is GeneratorType:
        return drain(value, _progress_sink(ready))
    return adrain(value, _progress_sink(ready)) if type(value) is AsyncGeneratorType else value


def _progress_sink(ready: Ready) -> Callable[[Progress], None]:
    sink = ready.call.scope.on_progress
    return (lambda progress: sink(ready.call, progress)) if sink else (lambda _: None)


def _time_left(ready: Ready) -> float | None:
    """Seconds that the call may take: the smaller of the tool's limit and the scope's deadline."""
    limit, deadline = ready.entry.traits.timeout_s, ready.call.scope.deadline
    if deadline is None:
        return limit
    left = max(0.001, deadline - time.monotonic())
    return left if limit is None else min(limit, left)


def _note_intent(pipeline: Pipeline, ready: Ready) -> None:
    if pipeline.journal is not NULL_JOURNAL and ready.entry.traits.resolved_effect() != "read":
        pipeline.journal.intent(ready)


def _note_outcome(pipeline: Pipeline, ready: Ready, outcome: Outcome | Broke) -> Outcome | Broke:
    if pipeline.journal is not NULL_JOURNAL and ready.entry.traits.resolved_effect() != "read":
        error = describe_exception(outcome.error) if isinstance(outcome, Broke) else ""
        pipeline.journal.outcome(ready, Done(error, is_error=True) if isinstance(outcome, Broke) else outcome)
    return outcome


# ------------------------------------------------------------------------------------ hooks, approvers


def _consult(pipeline: Pipeline, effect: CallHook | AskPerson) -> Any:
    """Call an approver here, where the person is; a hook in a worker, where it can hang by itself."""
    if isinstance(effect, AskPerson):
        return effect()
    return pipeline.workers.run(effect, timeout_s=HOOK_TIMEOUT_S, name=_hook_name(effect))


async def _aconsult(pipeline: Pipeline, effect: CallHook | AskPerson) -> Any:
    asks = isinstance(effect, AskPerson)
    name = "approver" if asks else _hook_name(effect)
    value = await pipeline.workers.arun(effect, timeout_s=None if asks else HOOK_TIMEOUT_S, name=name)
    return await value if hasattr(value, "__await__") else value


def _hook_name(effect: Any) -> str:
    return f"{effect.hook.name}:{effect.hook.source}:{id(effect.hook)}"


def _wait_for(value: Any) -> Any:
    return bridge.tools_bridge.run(value, label="hook") if hasattr(value, "__await__") else value
