"""Reads chat completions: streamed pieces or one whole document become a `ModelReply`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from handiwork.core.types import ModelReply, ModelRequest, ToolCall, Usage
from handiwork.core.wire import name_of_definition

from .assembly import CallAssembly
from .identity import identify
from .reading import FILTERED, Reading, count_of
from .textcalls import TextGate, read_calls
from .wording import one_line


class Completion(Reading):
    """One chat completion in the making."""

    def __init__(self, request: ModelRequest, where: str) -> None:
        super().__init__(request, where)
        self._names = tool_names(request.tools)
        self._assembly = CallAssembly(self._names)
        self._gate = TextGate()
        self._text: list[str] = []
        self._usage = Usage()
        self._finish = self._model = ""

    def _take_whole(self, document: Mapping[str, Any]) -> None:
        if not document.get("choices"):
            raise self._fault("answered without a choice", one_line(json.dumps(document)))
        self._take(document)

    def _take(self, chunk: Mapping[str, Any]) -> None:
        self._usage = _usage(chunk.get("usage")) or self._usage
        self._model = self._model or str(chunk.get("model") or "")
        for choice in self._objects(chunk.get("choices"))[:1]:
            self._finish = str(choice.get("finish_reason") or self._finish)
            for message in self._objects([choice.get("delta") or choice.get("message") or {}]):
                self._take_message(message)

    def _take_message(self, message: Mapping[str, Any]) -> None:
        text = message.get("content")
        if isinstance(text, str) and text:
            self._text.append(text)
            self._tell(self._gate.feed(text) if self._names else text)
        calls = self._objects(message.get("tool_calls"))
        for place, call in enumerate(calls):
            # whole messages carry no index: their place in the list is it
            self._assembly.add({"index": place, **call} if "role" in message and len(calls) > 1 else call)
        if legacy := message.get("function_call"):
            self._assembly.add({"index": 0, "function": legacy})

    def _reply(self) -> ModelReply:
        if not self._finish and not self._ended:
            raise self._broken_off()
        if self._finish == "content_filter":
            raise self._fault("gave no answer", FILTERED)
        text, calls = self._text_and_calls()
        if self._names:
            self._tell(self._gate.rest(text))
        calls = identify(calls, self._request.messages)
        return ModelReply(text, calls, self._usage, self._finish == "length", self._model)

    def _text_and_calls(self) -> tuple[str, tuple[ToolCall, ...]]:
        text, calls = "".join(self._text), self._assembly.calls()
        if calls:
            return text, calls
        reading = read_calls(text, self._names)
        return reading.text, reading.calls


def tool_names(tools: Sequence[Mapping[str, Any]]) -> frozenset[str]:
    """The names in OpenAI tool definitions."""
    return frozenset(map(name_of_definition, tools))


def _usage(value: object) -> Usage | None:
    if not isinstance(value, Mapping):
        return None
    return Usage(
        count_of(value.get("prompt_tokens")),
        count_of(value.get("completion_tokens")),
        cached_tokens=_detail(value, "prompt_tokens_details", "cached_tokens"),
        cache_write_tokens=_detail(value, "prompt_tokens_details", "cache_write_tokens"),
        reasoning_tokens=_detail(value, "completion_tokens_details", "reasoning_tokens"),
    )


def _detail(usage: Mapping[str, Any], kind: str, name: str) -> int:
    details = usage.get(kind)
    return count_of(details.get(name)) if isinstance(details, Mapping) else 0
