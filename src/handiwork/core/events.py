"""What an agent tells whoever watches: text as it comes, calls as they start and end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from .types import Progress, ToolCall, ToolResult, Usage


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the model's text."""

    text: str


@dataclass(frozen=True, slots=True)
class CallStarted:
    """The model asked for a call; it is about to be prepared and run."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class CallProgress:
    """A running call gave a sign of life."""

    call: ToolCall
    progress: Progress


@dataclass(frozen=True, slots=True)
class CallFinished:
    """A call has its result."""

    result: ToolResult


@dataclass(frozen=True, slots=True)
class StepFinished:
    """The model was asked once; `usage` is of this step alone."""

    step: int
    usage: Usage


@dataclass(frozen=True, slots=True)
class Compacted:
    """The conversation had become too long for the model: so many messages are now told by a digest."""

    messages: int


@dataclass(frozen=True, slots=True)
class ModelSwitched:
    """A model failed and another one goes on; `what` says which and why."""

    what: str


@dataclass(frozen=True, slots=True)
class MessageTaken:
    """What was said while the agent worked was taken in; or, where `block` says why, wasn't."""

    text: str
    block: str = ""


AgentEvent: TypeAlias = (
    TextDelta | CallStarted | CallProgress | CallFinished | StepFinished | Compacted | ModelSwitched | MessageTaken
)
Watcher: TypeAlias = Callable[[AgentEvent], None]


def unwatched(_: AgentEvent, /) -> None:
    """For agents that nobody watches."""
