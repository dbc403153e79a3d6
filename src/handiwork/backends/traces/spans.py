"""Agents, model requests and calls as OpenTelemetry's spans, each below the one that it belongs to.

The span above is handed on in the scope, so that it is the right one in waves, in calls that tools make,
in delegates and in whatever thread. While a handler or a model works its span is current, too: what other
libraries trace stands below it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from opentelemetry import context as contexts
from opentelemetry.metrics import MeterProvider
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, TracerProvider, set_span_in_context

from handiwork.core.types import (
    DELEGATE,
    Ask,
    Ended,
    Model,
    ModelReply,
    ModelRequest,
    Ready,
    Scope,
    ToolCall,
    ToolResult,
    Usage,
)

from . import conventions as names
from .messages import Hide, Inputs, arguments_text, encodable, finish_reason, output_messages, shown_text
from .meters import Meters

_NAME = "handiwork"
_WELL = ("answered", "waiting")
Facts = Mapping[str, Any]


class OtelTracing:
    """`Tracing` by a provider of tracers and one of meters.

    *hide* takes secrets out of what was said; without it spans hold no prompts, arguments and results.
    """

    def __init__(
        self, tracers: TracerProvider, meters: MeterProvider, *, version: str, hide: Hide | None = None
    ) -> None:
        self.hide = hide
        self._inputs = Inputs(hide) if hide else None
        self.meters = Meters(meters.get_meter(_NAME, version, names.SCHEMA_URL))
        self._tracer = tracers.get_tracer(_NAME, version, names.SCHEMA_URL)

    def task(self, scope: Scope, model: Model, prompt: str, /) -> _Task:
        """An agent works on a prompt."""
        agent = DELEGATE if scope.platform == DELEGATE else _NAME
        facts = {names.AGENT: agent, **_of(scope), **_about(model)}
        begun = self._begin(scope.span, names.INVOKE_AGENT, agent, facts, SpanKind.INTERNAL)
        work = _Task(self, begun)
        work.show(names.INPUT, lambda hide: Inputs(hide).text([{"role": "user", "content": prompt}]))
        return work

    def request(self, scope: Scope, model: Model, request: ModelRequest, /) -> _Request:
        """A model is asked."""
        most = {} if request.max_tokens is None else {names.MAX_TOKENS: request.max_tokens}
        facts = {**_of(scope), **_about(model), **most}
        begun = self._begin(scope.span, names.CHAT, model.name, facts, SpanKind.CLIENT)
        work = _Request(self, begun)
        if self._inputs and begun.span.is_recording():
            begun.span.set_attribute(names.INPUT, encodable(self._inputs.text(request.messages)))
        return work

    def call(self, call: ToolCall, /) -> _Call:
        """A tool is called: from before the call is judged to what the model reads."""
        facts = {names.TOOL: call.name, names.TOOL_TYPE: "function", **_of(call.scope)}
        facts |= {names.CALL_ID: call.id} if call.id else {}
        begun = self._begin(call.scope.span, names.EXECUTE_TOOL, call.name, facts, SpanKind.INTERNAL)
        return _Call(self, begun, call)

    def question(self, above: object) -> _Question:
        """Somebody is asked."""
        return _Question(self, self._begin(above, names.APPROVAL, "", {}, SpanKind.INTERNAL))

    def _begin(self, above: object, operation: str, of: str, facts: Facts, kind: SpanKind) -> _Begun:
        parent = above.context if isinstance(above, _Work) else contexts.get_current()
        known = {} if operation == names.APPROVAL else {names.OPERATION: operation}
        known |= {key: encodable(v) if isinstance(v, str) else v for key, v in facts.items()}
        span = self._tracer.start_span(f"{operation} {encodable(of)}".strip(), parent, kind, known)
        return _Begun(span, set_span_in_context(span, parent), known, time.perf_counter())


@dataclass(frozen=True, slots=True)
class _Begun:
    """A span that has begun, the context in which it is current, and what was known of it then."""

    span: Span
    context: contexts.Context
    facts: dict[str, Any]
    at: float

    def among(self, *keys: str) -> dict[str, Any]:
        """Those of the facts, for a metric."""
        return {key: self.facts[key] for key in keys if key in self.facts}


class _Work:
    """What all spans have in common."""

    _measured: tuple[str, ...] = (names.OPERATION, names.PROVIDER, names.REQUEST_MODEL)

    def __init__(self, tracing: OtelTracing, begun: _Begun) -> None:
        self._tracing, self._begun, self._span = tracing, begun, begun.span
        self.context = begun.context
        self._is_over = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: type[BaseException] | None, error: BaseException | None, __: TracebackType | None) -> None:
        if not self._is_over:
            self._close(_kind_of(error))

    def carry(self, work: Callable[[], Any], /) -> Any:
        """Do *work* with this span as the current one."""
        token = contexts.attach(self.context)
        try:
            value = work()
        finally:
            contexts.detach(token)
        return _Carried(self.context, value) if hasattr(value, "__await__") else value

    def _close(self, failure: str, told: str = "") -> None:
        """The end: well, or by a *failure*; what was *told* of that is content."""
        self._is_over = True
        if failure:
            self._span.set_attribute(names.ERROR, failure)
            self._span.set_status(Status(StatusCode.ERROR, encodable(told) if told and self._tracing.hide else None))
        self._span.end()
        self._measure(failure)

    def _measure(self, failure: str) -> None:
        """How long it took."""
        facts = self._begun.among(*self._measured)
        facts |= {names.ERROR: failure} if failure else {}
        self._tracing.meters.took(time.perf_counter() - self._begun.at, facts)

    def show(self, key: str, text: Callable[[Hide], str]) -> None:
        """Content, where it is wanted."""
        if self._tracing.hide and self._span.is_recording():
            self._span.set_attribute(key, encodable(text(self._tracing.hide)))


class _Task(_Work):
    """The work of an agent on a prompt."""

    def end(self, outcome: Ended, /) -> None:
        self._span.set_attributes({names.ENDING: outcome.ending, **_counts(outcome.usage)})
        answer = ModelReply(outcome.answer)
        self.show(names.OUTPUT, lambda hide: output_messages(answer, hide))
        self._close("" if outcome.ending in _WELL else outcome.ending)


class _Request(_Work):
    """One question to a model."""

    def end(self, reply: ModelReply, /) -> None:
        answered = {names.RESPONSE_MODEL: encodable(reply.model)} if reply.model else {}
        facts = {names.FINISH_REASONS: (finish_reason(reply),), **answered, **_counts(reply.usage)}
        self._span.set_attributes(facts)
        self.show(names.OUTPUT, lambda hide: output_messages(reply, hide))
        about = self._begun.among(*self._measured) | answered
        self._tracing.meters.used(reply.usage, about)
        self._close("")


class _Call(_Work):
    """A call of a tool."""

    def __init__(self, tracing: OtelTracing, begun: _Begun, call: ToolCall) -> None:
        super().__init__(tracing, begun)
        self.show(names.ARGUMENTS, lambda hide: arguments_text(call, None, hide))

    def ready(self, ready: Ready, /) -> None:
        """It runs: under the tool's own name, with the arguments as they were put right."""
        name = ready.entry.name
        self._measured = (names.OPERATION, names.TOOL)  # only now: models think up names without end
        if name != self._begun.facts[names.TOOL]:
            self._begun.facts[names.TOOL] = name
            self._span.set_attribute(names.TOOL, name)
            self._span.update_name(f"{names.EXECUTE_TOOL} {name}")
        self.show(names.ARGUMENTS, lambda hide: arguments_text(ready.call, ready.args, hide))

    def question(self, _: Ready, ask: Ask, /) -> _Question:
        """Somebody is asked whether it may run."""
        asked = self._tracing.question(self)
        asked.about(ask)
        return asked

    def end(self, result: ToolResult, /) -> None:
        refused = {names.REFUSED_BY: result.by} if result.status == "refused" else {}
        facts = {names.STATUS: result.status, names.RUN_MS: round(result.duration_ms, 3), **refused}
        self._span.set_attributes(facts)
        self.show(names.RESULT, lambda hide: shown_text(result.content, hide))
        self._close(_failure_of(result), result.content[:200] if result.is_error else "")


class _Question(_Work):
    """Waiting for somebody's yes."""

    def about(self, ask: Ask) -> None:
        """What is asked."""
        self.show(names.REASON, lambda hide: shown_text(ask.reason, hide))

    def end(self, allowed: bool, /) -> None:
        self._span.set_attribute(names.ALLOWED, allowed)
        self._close("")

    def _measure(self, _: str) -> None:
        """It is no operation of the conventions."""


class _Carried:
    """Something to await, in *context*. What is never awaited is closed, as a coroutine would be."""

    def __init__(self, context: contexts.Context, value: Any) -> None:
        self._context, self._value = context, value

    def __await__(self) -> Generator[Any, Any, Any]:
        return self._waiting().__await__()

    def close(self) -> None:
        """It won't be awaited."""
        if hasattr(self._value, "close"):
            self._value.close()

    async def _waiting(self) -> Any:
        """Where this is thrown away half-done, so is the task whose context it was."""
        token = contexts.attach(self._context)
        try:
            done = await self._value
        except GeneratorExit:
            raise
        except BaseException:
            contexts.detach(token)
            raise
        contexts.detach(token)
        return done


def _of(scope: Scope) -> dict[str, Any]:
    return {names.CONVERSATION: scope.session_id} if scope.session_id else {}


def _about(model: Model) -> dict[str, Any]:
    provider = getattr(model, "provider", "") or getattr(model, "dialect", "") or "unknown"
    return {names.PROVIDER: provider, names.REQUEST_MODEL: model.name}


def _counts(usage: Usage) -> dict[str, Any]:
    """Tokens and cost; parts only where there are any."""
    facts: dict[str, Any] = {names.INPUT_TOKENS: usage.input_tokens, names.OUTPUT_TOKENS: usage.output_tokens}
    parts = {
        names.CACHED_TOKENS: usage.cached_tokens,
        names.CACHE_WRITE_TOKENS: usage.cache_write_tokens,
        names.REASONING_TOKENS: usage.reasoning_tokens,
    }
    facts |= {key: count for key, count in parts.items() if count}
    if usage.usd or not usage.unpriced:
        facts |= {names.COST: usage.usd, names.COST_IS_LEAST: usage.unpriced > 0}
    return facts


def _failure_of(result: ToolResult) -> str:
    if result.status == "refused":
        return "refused"
    return (result.by or "tool_error") if result.is_error else ""


def _kind_of(error: BaseException | None) -> str:
    """What went wrong, in few different words."""
    if isinstance(error, (asyncio.CancelledError, GeneratorExit)):
        return "cancelled"
    return type(error).__qualname__ if error else "unknown"
