"""One call, from what the model asked to what the model is told.

    PREPARE   resolve, supplied, available, repair, pre hooks, scope's checks, guard, approval
    EXECUTE   intent, handler, outcome
    FINISH    post hooks, transform hooks, redact, limit, fence

The line is a generator that does no work of its own in the world: it yields an effect (run this
handler, call this hook, ask this person) and is sent what came of it. `drivers` has the two that
serve it. A refusal and an error leave by the same door as a result.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from types import GeneratorType
from typing import Any, TypeAlias

from ..catalog.store import ToolRegistry
from ..core.handler import describe_exception
from ..core.loading import Late
from ..core.residents import is_resident_thread
from ..core.types import (
    ALLOW,
    Approver,
    Args,
    Done,
    Journal,
    Judge,
    NeedsInput,
    Pending,
    Ready,
    Refusal,
    Scope,
    Status,
    ToolCall,
    ToolResult,
    Verdict,
)
from ..core.wire import dumps, tool_error
from . import drivers
from .effects import Broke, Effect, Ended, Execute
from .hooks import Hooks
from .journal import NULL_JOURNAL
from .limits import Limits
from .outcomes import as_outcome, clean_error, text_and_artifacts
from .plans import Plans
from .steps import ADMIT, FINISH, PREPARE, Prepared
from .workers import Workers

sanitizer = Late("handiwork.guard.sanitizer")
Line: TypeAlias = Generator[Effect, Any, ToolResult]


_ERROR = '{"error":'
_ON_RESIDENT_LOOP = Refusal(
    "a synchronous tool call can't be made on the loop that runs async tools",
    "bridge",
    "use `await scope.acall(name, args)` in an async handler",
)


def allow_all(_: Ready, /) -> Verdict:
    """A judge without objections, for pipelines that are given none."""
    return ALLOW


class Pipeline:
    """Everything that one call meets on its way. Both drivers run the same line."""

    def __init__(
        self,
        registry: ToolRegistry,
        *,
        judge: Judge = allow_all,
        approver: Approver | None = None,
        hooks: Hooks | None = None,
        journal: Journal = NULL_JOURNAL,
        limits: Limits | None = None,
    ) -> None:
        self.registry, self.judge, self.approver, self.journal = registry, judge, approver, journal
        self.hooks = hooks or Hooks()
        self.limits = limits or Limits()
        self.plans = Plans()
        self.workers = Workers()

    def run(self, call: ToolCall) -> ToolResult:
        """Run one call and wait for it. Never raises for what a tool, hook or approver does."""
        if is_resident_thread():
            return refused(call, _ON_RESIDENT_LOOP)
        return drivers.drive(self, self.open(call))

    async def arun(self, call: ToolCall) -> ToolResult:
        """Run one call while the caller's loop stays free."""
        return await drivers.adrive(self, self.open(call))

    def bind(self, scope: Scope) -> Scope:
        """The scope with ways back into this pipeline, which inherit everything in it."""

        def call(name: str, args: Args) -> str:
            return self.run(ToolCall(name, args, scope=bound)).text

        async def acall(name: str, args: Args) -> str:
            return (await self.arun(ToolCall(name, args, scope=bound))).text

        bound = replace(scope, call=call, acall=acall)
        return bound

    def open(self, call: ToolCall) -> Line:
        """The line of *call*, not begun, for a driver."""
        if call.scope.call is None:
            call = replace(call, scope=self.bind(call.scope))
        return self._line(call)

    def _line(self, call: ToolCall) -> Line:
        """The straight line of a call."""
        ready: Prepared = ADMIT(self, call)
        known = ready if isinstance(ready, Ready) else None
        for step in PREPARE if known else ():
            answer = step(self, ready)  # type: ignore[arg-type]
            if answer is ready:
                continue
            ready = (yield from answer) if isinstance(answer, GeneratorType) else answer  # type: ignore[assignment]
            if isinstance(ready, Refusal):
                break
            known = ready
        result = refused(call, ready) if isinstance(ready, Refusal) else completed(ready, *(yield Execute(ready)))
        for finish in FINISH:
            told: Any = finish(self, known, result)
            if told is not result:
                result = (yield from told) if isinstance(told, GeneratorType) else told
        return result


def refused(call: ToolCall, no: Refusal) -> ToolResult:
    """The result of a call that didn't run."""
    hint = {"hint": no.hint} if no.hint else {}
    content = tool_error(sanitizer.sanitize(no.reason), refused_by=no.by, **hint)
    return ToolResult(call, content, is_error=True, status="refused", by=no.by)


def completed(ready: Ready, outcome: Ended, duration_ms: float) -> ToolResult:
    """The result of a call that ran, or broke while it did."""
    call = ready.call
    if type(outcome) is str and not outcome.startswith(_ERROR):
        return ToolResult(call, outcome, duration_ms=duration_ms)
    match as_outcome(outcome) if isinstance(outcome, str) else outcome:
        case Done() as done:
            text, artifacts = text_and_artifacts(done)
            failed = done.is_error or text.startswith(_ERROR)
            status: Status = "error" if failed else "ok"
            text = clean_error(text) if failed else text
            return ToolResult(call, text, failed, status, "", done.labels, duration_ms, artifacts)
        case Pending(handle, note):
            text = dumps({"pending": handle, "note": note})
            return ToolResult(call, text, status="pending", duration_ms=duration_ms)
        case NeedsInput(message, form, handle):
            text = dumps({"needs_input": message, "form": form, "handle": handle})
            return ToolResult(call, text, status="needs_input", duration_ms=duration_ms)
        case Broke(error):
            text = tool_error(sanitizer.sanitize(describe_exception(error)))
            return ToolResult(call, text, True, "error", type(error).__name__, duration_ms=duration_ms)
