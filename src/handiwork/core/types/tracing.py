"""What follows the work of agents and calls: each stretch of it is a span, below the one that it belongs to."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

from .calls import ToolResult

if TYPE_CHECKING:
    from .calls import Ready, Scope, ToolCall
    from .models import Model, ModelReply, ModelRequest, Usage
    from .verdicts import Ask


End_contra = TypeVar("End_contra", contravariant=True)


class Ended(Protocol):
    """How a task ended."""

    @property
    def ending(self) -> str: ...

    @property
    def answer(self) -> str: ...

    @property
    def usage(self) -> Usage: ...


class Span(Protocol[End_contra]):
    """A stretch of work, until it is told its end. Left without one, it ends with what went wrong."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None: ...

    def carry(self, work: Callable[[], Any], /) -> Any:
        """Do *work* as a part of this one, and the rest of it, too, where it gives something to await."""
        ...

    def end(self, what: End_contra, /) -> None: ...


class CallSpan(Span[ToolResult], Protocol):
    """The span of a call."""

    def ready(self, ready: Ready, /) -> None:
        """Nothing has refused it: it is about to run with these arguments."""
        ...

    def question(self, ready: Ready, ask: Ask, /) -> Span[bool]:
        """Somebody is asked whether it may run; it ends with their answer."""
        ...


class Tracing(Protocol):
    """Begins spans, each below that of its scope, else below what is current in the caller's context."""

    def task(self, scope: Scope, model: Model, prompt: str, /) -> Span[Ended]: ...

    def request(self, scope: Scope, model: Model, request: ModelRequest, /) -> Span[ModelReply]: ...

    def call(self, call: ToolCall, /) -> CallSpan: ...
