"""Anthropic's Messages API."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from handiwork.core.errors import ModelError, ModelSwitchedError
from handiwork.core.types import Message, ModelReply, ModelRequest, ToolCall, Usage
from handiwork.core.wire import dumps, is_loaded

from .deferring import is_about_deferral, references_of, takes_deferred, tools_of
from .exchange import Endpoint, HttpModel, endpoint_of
from .history import valid_history
from .identity import identify
from .reading import FILTERED, Reading, count_of
from .table import Place

_URL = "https://api.anthropic.com/v1"
_VERSION = "2023-06-01"
# The API wants a limit; a reply that reaches it is told to go on.
_MOST_TOKENS = 16_000
_CUT_OFF = ("max_tokens", "model_context_window_exceeded")
_ODD_ID = re.compile(r"[^a-zA-Z0-9_-]")
_CACHED = {"cache_control": {"type": "ephemeral"}}


class AnthropicModel(HttpModel):
    """A `Model` behind the Messages API. What was sent before is marked for the prompt cache.

    `loads_found` says whether it takes deferred tools and loads what a tool search finds.
    """

    dialect = "anthropic"

    def __init__(self, endpoint: Endpoint, **more: Any) -> None:
        super().__init__(endpoint, **more)
        self.loads_found = takes_deferred(endpoint.model)

    async def reply(self, request: ModelRequest, /) -> ModelReply:
        """See `HttpModel`. Where a server doesn't know deferred tools, `ModelSwitchedError` has it asked without."""
        try:
            return await super().reply(request)
        except ModelError as refused:
            if all(map(is_loaded, request.tools)) or not is_about_deferral(str(refused)):
                raise
            self.loads_found = False
            raise ModelSwitchedError(f"{refused}; going on without deferred tools") from refused

    def path(self) -> str:
        """What follows the base URL."""
        return "/messages"

    def headers(self) -> Mapping[str, str]:
        """The key and the version of the API."""
        key = {"x-api-key": self.endpoint.api_key} if self.endpoint.api_key else {}
        return {**key, "anthropic-version": _VERSION}

    def body(self, request: ModelRequest) -> dict[str, Any]:
        """The request in the provider's form."""
        history = valid_history(request.messages)
        references = references_of(history, request.tools)
        system = "\n\n".join(str(m["content"]) for m in history if m["role"] == "system")
        body: dict[str, Any] = {
            "model": self.endpoint.model,
            "max_tokens": request.max_tokens or _MOST_TOKENS,
            "messages": turns_of(history, references),
            "stream": True,
        }
        if system:
            body["system"] = [{"type": "text", "text": system, **_CACHED}]
        if request.tools:
            body["tools"] = tools_of(request.tools, request.found, references)
        return body

    def reading(self, request: ModelRequest) -> Reading:
        """What takes the reply in."""
        return _Message(request, self.endpoint.where)


def turns_of(history: Sequence[Message], references: Mapping[str, Sequence[str]] | None = None) -> list[dict[str, Any]]:
    """A valid OpenAI-style history as turns of user and assistant that alternate; the last one is marked.

    The results of the calls in *references* become references to the tools named there.
    """
    turns: list[dict[str, Any]] = []
    for message in history:
        if message["role"] == "system":
            continue
        role = "assistant" if message["role"] == "assistant" else "user"
        blocks = list(_blocks(message, references or {}))
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"] += blocks
        elif blocks:
            turns.append({"role": role, "content": blocks})
    if turns:
        turns[-1]["content"][-1] = {**turns[-1]["content"][-1], **_CACHED}
    return turns


def _blocks(message: Message, references: Mapping[str, Sequence[str]]) -> Iterator[dict[str, Any]]:
    text = str(message.get("content") or "")
    if message["role"] == "tool":
        yield {
            "type": "tool_result",
            "tool_use_id": _id_of(message["tool_call_id"]),
            "content": [_reference(n) for n in references.get(message["tool_call_id"], ())] or text,
            "is_error": text.startswith('{"error"'),
        }
        return
    if text.strip():  # empty text is refused
        yield {"type": "text", "text": text}
    for call in message.get("tool_calls") or ():
        function = call["function"]
        arguments = json.loads(function["arguments"])
        yield {"type": "tool_use", "id": _id_of(call["id"]), "name": function["name"], "input": arguments}


def _reference(name: str) -> dict[str, str]:
    return {"type": "tool_reference", "tool_name": name}


def _id_of(id: str) -> str:
    """An id in the characters that the API takes."""
    return _ODD_ID.sub("_", id) or "call"


class _Message(Reading):
    """One reply in the making: blocks of text and of calls."""

    def __init__(self, request: ModelRequest, where: str) -> None:
        super().__init__(request, where)
        self._text: list[str] = []
        self._calls: dict[int, tuple[ToolCall, list[str]]] = {}
        self._used: dict[str, int] = {}
        self._model = self._stop = ""

    def _take(self, chunk: Mapping[str, Any]) -> None:
        match chunk.get("type"):
            case "message_start":
                message = self._object(chunk.get("message"))
                self._model = str(message.get("model") or "")
                self._count(self._object(message.get("usage")))
            case "content_block_start":
                self._begin(count_of(chunk.get("index")), self._object(chunk.get("content_block")))
            case "content_block_delta":
                self._add(count_of(chunk.get("index")), self._object(chunk.get("delta")))
            case "message_delta":
                self._stop = str(self._object(chunk.get("delta")).get("stop_reason") or self._stop)
                self._count(self._object(chunk.get("usage")))
            case "message_stop":
                self._ended = True

    def _take_whole(self, document: Mapping[str, Any]) -> None:
        if not isinstance(document.get("content"), list):
            raise self._fault("answered without content", dumps(document)[:200])
        for index, block in enumerate(self._objects(document["content"])):
            self._begin(index, block)
        self._model = str(document.get("model") or "")
        self._stop = str(document.get("stop_reason") or "")
        self._count(self._object(document.get("usage")))

    def _begin(self, index: int, block: Mapping[str, Any]) -> None:
        if block.get("type") == "tool_use":
            call = ToolCall(str(block.get("name") or ""), id=str(block.get("id") or ""))
            given = block.get("input")
            self._calls[index] = call, [dumps(given)] if given else []
        elif block.get("type") == "text":
            self._hear(str(block.get("text") or ""))

    def _add(self, index: int, delta: Mapping[str, Any]) -> None:
        if delta.get("type") == "text_delta":
            self._hear(str(delta.get("text") or ""))
        elif delta.get("type") == "input_json_delta" and index in self._calls:
            self._calls[index][1].append(str(delta.get("partial_json") or ""))

    def _hear(self, text: str) -> None:
        self._text.append(text)
        self._tell(text)

    def _count(self, usage: Mapping[str, Any]) -> None:
        """Counts so far: what comes later says more."""
        self._used |= {kind: count for kind, value in usage.items() if (count := count_of(value))}

    def _usage(self) -> Usage:
        """What was read from the cache or written to it was asked, too."""
        used = self._used.get
        read, written = used("cache_read_input_tokens", 0), used("cache_creation_input_tokens", 0)
        details = {"cached_tokens": read, "cache_write_tokens": written}
        return Usage(used("input_tokens", 0) + read + written, used("output_tokens", 0), **details)

    def _reply(self) -> ModelReply:
        if not self._ended:
            raise self._broken_off()
        if self._stop == "refusal":
            raise self._fault("gave no answer", FILTERED)
        made = (ToolCall(call.name, "".join(pieces), call.id) for call, pieces in self._calls.values())
        calls = identify(made, self._request.messages)
        return ModelReply("".join(self._text), calls, self._usage(), self._stop in _CUT_OFF, self._model)


def open_anthropic(name: str, place: Place) -> AnthropicModel:
    """A model of Anthropic's, or at the base URL that speaks the same API."""
    return AnthropicModel(endpoint_of(name, place, url=_URL, keys=("ANTHROPIC_API_KEY",), provider="anthropic"))
