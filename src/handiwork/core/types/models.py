"""One question to a language model, and its answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from .calls import Message, ToolCall


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one model call."""

    input_tokens: int = 0
    output_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(self.input_tokens + other.input_tokens, self.output_tokens + other.output_tokens)


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One question to a model: OpenAI-style messages and tool definitions.

    `on_text` hears the text as it streams. `max_tokens` bounds the reply. `found` are the names that tool
    searches of the conversation have found, for a model that loads deferred definitions itself.
    """

    messages: Sequence[Message]
    tools: Sequence[Mapping[str, Any]] = ()
    on_text: Callable[[str], None] | None = None
    max_tokens: int | None = None
    found: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What a model answered. `calls` carry raw arguments; `cut_off` says the reply hit its length limit."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    usage: Usage = Usage()
    cut_off: bool = False


class Model(Protocol):
    """A language model: one request in, one reply out."""

    name: str

    async def reply(self, request: ModelRequest, /) -> ModelReply: ...
