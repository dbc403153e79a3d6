"""What runs a server's tool: on the loop of the servers, whoever calls, with the caller's time and cancel."""

from __future__ import annotations

import time
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from ...core.loading import Late
from ...core.types import EMPTY_SCOPE, Args, Done, Progress, Scope, ToolCall
from .definitions import Definition
from .settings import MOST_TIMEOUT_S, ServerSettings

if TYPE_CHECKING:
    import asyncio

    from mcp.shared.dispatcher import ProgressFnT

    from .supervisor import Supervisor

bridge = Late("handiwork.sources.mcp.loop")
exchange = Late("handiwork.sources.mcp.exchange")
callers = Late("handiwork.sources.mcp.asking.callers")
if not TYPE_CHECKING:
    asyncio = Late("asyncio")
# What is left for our own words about a call that took too long. Seconds.
_TO_TELL_S = 1.0
_MOST_SAID = 200


def make_handler(find: Callable[[str], Supervisor], settings: ServerSettings, definition: Definition) -> Any:
    """The handler of one tool. *find* gives whoever looks after a server, and may take its time the first time."""
    may_replay = settings.trust and any(
        definition.annotations.get(h) is True for h in ("readOnlyHint", "idempotentHint")
    )
    found: list[Supervisor] = []

    def handler(args: Args, *, scope: Scope | None = None, tool_call_id: str = "") -> Coroutine[Any, Any, Done]:
        return call(args, ToolCall(definition.name, args, tool_call_id, scope or EMPTY_SCOPE), _loop_here())

    async def call(args: Args, made: ToolCall, home: asyncio.AbstractEventLoop | None) -> Done:
        if not found:  # what the first one loads would hold up the loop of the tools
            found.append(await asyncio.to_thread(find, settings.name))
        deadline = _deadline(made.scope)
        caller = callers.Caller(made, home)
        called = exchange.carry_out(
            found[0], exchange.Call(definition, args, deadline, caller, may_replay, _progress_sink(made))
        )
        left_s = deadline - time.monotonic() + _TO_TELL_S
        done: Done = await bridge.mcp_bridge.arun(called, timeout_s=left_s, cancel=made.scope.cancel)
        return done

    return handler


def _loop_here() -> asyncio.AbstractEventLoop | None:
    """The loop that the call is made on: what asks the caller back, an agent's model, lives there."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _deadline(scope: Scope) -> float:
    latest = time.monotonic() + MOST_TIMEOUT_S - 2 * _TO_TELL_S
    return latest if scope.deadline is None else min(latest, scope.deadline - _TO_TELL_S / 10)


def _progress_sink(call: ToolCall) -> ProgressFnT | None:
    """What tells whoever watches the call of its progress; None where nobody does."""
    if call.scope.on_progress is None:
        return None
    sink = call.scope.on_progress

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        fraction = min(max(progress / total, 0.0), 1.0) if total else None
        said = message or f"{progress:g}" + (f" of {total:g}" if total else "")
        sink(call, Progress("".join(c if c.isprintable() else " " for c in said[:_MOST_SAID]), fraction))

    return hear
