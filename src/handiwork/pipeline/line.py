"""One call, from what the model asked to what the model is told.

    PREPARE   resolve, supplied, available, repair, pre hooks, scope's checks, paths, origins, guard, approval
    EXECUTE   intent, handler, outcome
    FINISH    post hooks, transform hooks, redact, limit, label, fence, note

The line is a generator that does no work of its own in the world: it yields an effect (run this
handler, call this hook, ask this person) and is sent what came of it. `drivers` has the two that
serve it. A refusal and an error leave by the same door as a result.
"""

from __future__ import annotations

from dataclasses import replace
from types import GeneratorType
from typing import Any

from ..core.residents import is_resident_thread
from ..core.tracing import UNTRACED
from ..core.types import Args, Ready, Refusal, Scope, ToolCall, ToolResult
from . import drivers
from .approving import Prepared
from .effects import Execute, Line
from .finishing import FINISH
from .firing import NOTHING_HEARD, Heard, firing
from .following import followed
from .nested import text_inside
from .outcomes import answered, completed, refused
from .parts import Parts
from .steps import ADMIT, PREPARE

_ON_RESIDENT_LOOP = Refusal(
    "a synchronous tool call can't be made on the loop that runs async tools",
    "bridge",
    "use `await scope.acall(name, args)` in an async handler",
)


class Pipeline(Parts):
    """The parts, and the line that runs through them. Both drivers run the same one."""

    def run(self, call: ToolCall) -> ToolResult:
        """Run one call and wait for it. Never raises for what a tool, hook or approver does."""
        if is_resident_thread():
            return self._refuse(call, _ON_RESIDENT_LOOP)
        return drivers.drive(self, self.open(call))

    async def arun(self, call: ToolCall) -> ToolResult:
        """Run one call while the caller's loop stays free."""
        return await drivers.adrive(self, self.open(call))

    def fire(self, name: str, **keywords: Any) -> Heard:
        """Call the hooks of *name*, which is one of `POINTS`, and wait for what they say."""
        return drivers.fire(self, firing(self.hooks, name, keywords)) if self.hooks.of(name) else NOTHING_HEARD

    async def afire(self, name: str, **keywords: Any) -> Heard:
        """The same while the caller's loop stays free."""
        return await drivers.afire(self, firing(self.hooks, name, keywords)) if self.hooks.of(name) else NOTHING_HEARD

    def bind(self, scope: Scope) -> Scope:
        """The scope with ways back into this pipeline, which inherit everything in it."""

        def call(name: str, args: Args) -> str:
            return text_inside(self.run(ToolCall(name, args, scope=bound)))

        async def acall(name: str, args: Args) -> str:
            return text_inside(await self.arun(ToolCall(name, args, scope=bound)))

        bound = scope.altered(call=call, acall=acall)
        return bound

    def enter(self, ready: Ready, deadline: float | None) -> Scope:
        """The scope for the handler of *ready*: the calls that it makes know where they are made."""
        way = _Way(self, ready, deadline)
        return ready.call.scope.altered(call=way.call, acall=way.acall, around=ready, deadline=deadline)

    def open(self, call: ToolCall) -> Line:
        """The line of *call*, not begun, for a driver."""
        if call.scope.call is None:
            call = replace(call, scope=self.bind(call.scope))
        return self._line(call) if self.tracing is UNTRACED else self._traced(call)

    def _traced(self, call: ToolCall) -> Line:
        """The line of *call*, followed; what it calls in turn is below it."""
        with self.tracing.call(call) as span:
            call = replace(call, scope=self.bind(replace(call.scope, span=span)))
            result = yield from followed(span, self._line(call))
            span.end(result)
        return result

    def decline(self, call: ToolCall, why: Refusal) -> Line:
        """The line of a call that isn't to run: only its end."""
        return self._told(None, why, refused(call, why))

    def _refuse(self, call: ToolCall, no: Refusal) -> ToolResult:
        """The answer to a call that has no line; it is on record as well."""
        result = refused(call, no)
        if self.audit is not None:
            self.audit.end(None, None, no, result)
        return result

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
        mark: object = None
        if self.audit is not None and isinstance(ready, Ready):
            mark = self.audit.begin(ready)
            ready = mark if isinstance(mark, Refusal) else ready
        if isinstance(ready, Refusal):
            result = _declined(call, known, ready)
        elif ready.answer is None:
            result = completed(ready, *(yield Execute(ready)))
        else:
            result = answered(ready, ready.answer)
        return (yield from self._told(known, ready, result, mark))

    def _told(self, known: Ready | None, end: Prepared, result: ToolResult, mark: object = None) -> Line:
        """The end of every line: what is made of a result, who hears of it, and the record."""
        for finish in FINISH:
            told: Any = finish(self, known, result)
            if told is not result:
                result = (yield from told) if isinstance(told, GeneratorType) else told
        if self.audit is not None:
            self.audit.end(mark, known, end, result)
        return result


class _Way:
    """The ways back into a pipeline for one handler, made when it goes one: most go none."""

    __slots__ = ("_deadline", "_pipeline", "_ready")

    def __init__(self, pipeline: Pipeline, ready: Ready, deadline: float | None) -> None:
        self._pipeline, self._ready, self._deadline = pipeline, ready, deadline

    def call(self, name: str, args: Args) -> str:
        return self._inside().call(name, args)  # type: ignore[misc]

    async def acall(self, name: str, args: Args) -> str:
        return await self._inside().acall(name, args)  # type: ignore[misc]

    def _inside(self) -> Scope:
        return self._pipeline.bind(self._ready.call.scope.altered(around=self._ready, deadline=self._deadline))


def _declined(call: ToolCall, known: Ready | None, no: Refusal) -> ToolResult:
    """The result of a call that doesn't run; the owner of its scope is told of it."""
    if known is not None and call.scope.on_refused is not None:
        call.scope.on_refused(known, no)
    return refused(call, no)
