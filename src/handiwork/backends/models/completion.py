"""Reads chat completions: streamed pieces or one whole document become a `ModelReply`."""

from __future__ import annotations

import json
from collections.abc import AsyncIterable, Mapping, Sequence
from typing import Any

from handiwork.core.errors import ModelError
from handiwork.core.types import ModelReply, ModelRequest, ToolCall, Usage

from .assembly import CallAssembly
from .identity import identify
from .sse import DONE
from .textcalls import TextGate, read_calls
from .wording import one_line, said_by_server

_STOPPED = "the provider's content filter stopped the reply"


class Completion:
    """One reply in the making. `where` names model and address in errors."""

    __slots__ = ("_assembly", "_ended", "_finish", "_gate", "_names", "_request", "_text", "_usage", "_where")

    def __init__(self, request: ModelRequest, where: str) -> None:
        self._request, self._where = request, where
        self._names = tool_names(request.tools)
        self._assembly = CallAssembly(self._names)
        self._gate = TextGate()
        self._text: list[str] = []
        self._usage = Usage()
        self._finish = ""
        self._ended = False

    async def take_events(self, events: AsyncIterable[str]) -> ModelReply:
        """The reply that a stream of event data makes. ModelError where it is damaged or cut."""
        async for data in events:
            if data.strip() == DONE:
                self._ended = True
                break
            self._take_chunk(self._parse(data))
        return self._reply()

    def take_document(self, body: str) -> ModelReply:
        """The reply in one JSON document: what a server sends that doesn't stream."""
        document = self._parse(body)
        if not document.get("choices"):
            raise self._fault("answered without a choice", one_line(body))
        self._take_chunk(document)
        self._ended = True
        return self._reply()

    def _parse(self, data: str) -> Mapping[str, Any]:
        try:
            value = json.loads(data)
        except ValueError:
            raise self._fault("answered something that isn't JSON", said_by_server(data)) from None
        if not isinstance(value, Mapping):
            raise self._fault("answered JSON that isn't an object", one_line(data))
        if value.get("error"):
            raise self._fault("reported an error", said_by_server(data))
        return value

    def _take_chunk(self, chunk: Mapping[str, Any]) -> None:
        self._usage = _usage(chunk.get("usage")) or self._usage
        for choice in self._objects(chunk.get("choices"))[:1]:
            self._finish = str(choice.get("finish_reason") or self._finish)
            for message in self._objects([choice.get("delta") or choice.get("message") or {}]):
                self._take_message(message)

    def _objects(self, value: Any) -> list[Mapping[str, Any]]:
        """The list of objects that must stand here; absent is empty. ModelError for any other shape."""
        found = value or []
        if isinstance(found, list) and all(isinstance(item, Mapping) for item in found):
            return found
        raise self._fault("answered in another shape than a chat completion has", one_line(str(value)))

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

    def _tell(self, text: str) -> None:
        if text and self._request.on_text:
            self._request.on_text(text)

    def _reply(self) -> ModelReply:
        if not self._finish and not self._ended:
            raise self._fault("broke off in the middle of its reply", "nothing of it was run")
        if self._finish == "content_filter":
            raise self._fault("gave no answer", _STOPPED)
        text, calls = self._text_and_calls()
        if self._names:
            self._tell(self._gate.rest(text))
        return ModelReply(text, identify(calls, self._request.messages), self._usage, self._finish == "length")

    def _text_and_calls(self) -> tuple[str, tuple[ToolCall, ...]]:
        text, calls = "".join(self._text), self._assembly.calls()
        if calls:
            return text, calls
        reading = read_calls(text, self._names)
        return reading.text, reading.calls

    def _fault(self, what: str, detail: str) -> ModelError:
        hint = "try again; if it goes on, look at the server's log or use another model"
        return ModelError(f"{self._where} {what}" + (f": {detail}" if detail else ""), hint)


def tool_names(tools: Sequence[Mapping[str, Any]]) -> frozenset[str]:
    """The names in OpenAI tool definitions."""
    return frozenset(str(tool["function"]["name"]) for tool in tools)


def _usage(value: object) -> Usage | None:
    if not isinstance(value, Mapping):
        return None
    asked, said = (value.get(key) for key in ("prompt_tokens", "completion_tokens"))
    return Usage(asked if isinstance(asked, int) else 0, said if isinstance(said, int) else 0)
