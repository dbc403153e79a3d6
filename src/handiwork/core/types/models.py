"""One question to a language model, and its answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass
from operator import add, sub
from typing import Any, Protocol

from .calls import Message, ToolCall


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of model calls, and what they cost in US dollars.

    `cached_tokens` (read from the provider's cache) and `cache_write_tokens` are parts of `input_tokens`,
    `reasoning_tokens` a part of `output_tokens`. `unpriced` is how many of the calls have no known price:
    with any, `usd` is the least that it cost.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0
    usd: float = 0.0
    unpriced: int = 0

    @property
    def tokens(self) -> int:
        """All of them."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(*map(add, astuple(self), astuple(other)))

    def __sub__(self, other: Usage) -> Usage:
        return Usage(*map(sub, astuple(self), astuple(other)))


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
    """What a model answered. `calls` carry raw arguments; `cut_off` says the reply hit its length limit.

    `model` is the one that answered by its provider's word, or "".
    """

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    usage: Usage = Usage()
    cut_off: bool = False
    model: str = ""


class Model(Protocol):
    """A language model: one request in, one reply out.

    It may say more of itself: `provider`, whose price list holds; `dialect`, the form of tool definitions
    that it takes; `context_tokens`, how much it holds; `at_once`, how many requests it answers side by side.
    """

    name: str

    async def reply(self, request: ModelRequest, /) -> ModelReply: ...
