"""What runs a server's tool: on the loop of the servers, whoever calls, with the caller's time and cancel."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...core.loading import Late
from ...core.types import Args, Done, Progress, Scope, ToolCall
from .definitions import Definition
from .settings import MOST_TIMEOUT_S, ServerSettings

if TYPE_CHECKING:
    from mcp.shared.dispatcher import ProgressFnT

    from .supervisor import Supervisor

bridge = Late("handiwork.sources.mcp.loop")
exchange = Late("handiwork.sources.mcp.exchange")
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

    async def handler(args: Args, *, scope: Scope | None = None, tool_call_id: str = "") -> Done:
        if not found:  # what the first one loads would hold up the loop of the tools
            found.append(await asyncio.to_thread(find, settings.name))
        deadline = _deadline(scope)
        heard = _progress_sink(scope, ToolCall(definition.name, args, tool_call_id))
        called = exchange.carry_out(found[0], exchange.Call(definition, args, deadline, may_replay, heard))
        left_s = deadline - time.monotonic() + _TO_TELL_S
        done: Done = await bridge.mcp_bridge.arun(called, timeout_s=left_s, cancel=scope.cancel if scope else None)
        return done

    return handler


def _deadline(scope: Scope | None) -> float:
    latest = time.monotonic() + MOST_TIMEOUT_S - 2 * _TO_TELL_S
    return latest if scope is None or scope.deadline is None else min(latest, scope.deadline - _TO_TELL_S / 10)


def _progress_sink(scope: Scope | None, call: ToolCall) -> ProgressFnT | None:
    """What tells whoever watches the call of its progress; None where nobody does."""
    if scope is None or scope.on_progress is None:
        return None
    sink = scope.on_progress

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        fraction = min(max(progress / total, 0.0), 1.0) if total else None
        said = message or f"{progress:g}" + (f" of {total:g}" if total else "")
        sink(call, Progress("".join(c if c.isprintable() else " " for c in said[:_MOST_SAID]), fraction))

    return hear
