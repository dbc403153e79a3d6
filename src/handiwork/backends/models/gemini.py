"""Google's Gemini API (generateContent)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from handiwork.core.types import Message, ModelReply, ModelRequest, ToolCall, Usage
from handiwork.core.wire import dumps

from .exchange import Endpoint, HttpModel, endpoint_of
from .history import valid_history
from .identity import identify
from .reading import FILTERED, Reading, count_of
from .table import Place

_URL = "https://generativelanguage.googleapis.com/v1beta"
_KEPT_SIGNATURES = 4096
# Documented for calls that this conversation didn't get from the model itself.
_NO_SIGNATURE = "skip_thought_signature_validator"
_CUT_OFF = ("MAX_TOKENS",)
_FILTERS = frozenset(
    ("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE", "IMAGE_SAFETY", "OTHER")
)
_UNREADABLE = ("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL")


class GeminiModel(HttpModel):
    """A `Model` behind generateContent.

    Newer models want the signature of their thoughts back with each call that they made; it is kept here
    by the call's id, since a conversation has no place for it.
    """

    dialect = "gemini"

    def __init__(self, endpoint: Endpoint, **how: Any) -> None:
        super().__init__(endpoint, **how)
        self._signatures: dict[str, str] = {}

    def path(self) -> str:
        """What follows the base URL."""
        return f"/models/{self.endpoint.model}:streamGenerateContent?alt=sse"

    def headers(self) -> Mapping[str, str]:
        """The key."""
        return {"x-goog-api-key": self.endpoint.api_key} if self.endpoint.api_key else {}

    def body(self, request: ModelRequest) -> dict[str, Any]:
        """The request in the provider's form."""
        history = valid_history(request.messages)
        system = "\n\n".join(str(m["content"]) for m in history if m["role"] == "system")
        body: dict[str, Any] = {"contents": contents_of(history, self._signatures)}
        if system:
            body["systemInstruction"] = {"parts": [{"text": system}]}
        if request.tools:
            body["tools"] = [{"functionDeclarations": list(request.tools)}]
        if request.max_tokens is not None:
            body["generationConfig"] = {"maxOutputTokens": request.max_tokens}
        return body

    def reading(self, request: ModelRequest) -> Reading:
        """What takes the reply in."""
        return _Candidate(request, self.endpoint.where, self._keep)

    def _keep(self, id: str, signature: str) -> None:
        if len(self._signatures) >= _KEPT_SIGNATURES:
            self._signatures.pop(next(iter(self._signatures)))
        self._signatures[id] = signature


def contents_of(history: Sequence[Message], signatures: Mapping[str, str]) -> list[dict[str, Any]]:
    """A valid OpenAI-style history as contents of user and model that alternate."""
    names = {c["id"]: c["function"]["name"] for m in history for c in m.get("tool_calls") or ()}
    contents: list[dict[str, Any]] = []
    for message in history:
        if message["role"] == "system":
            continue
        role = "model" if message["role"] == "assistant" else "user"
        parts = list(_parts(message, names, signatures))
        if contents and contents[-1]["role"] == role:
            contents[-1]["parts"] += parts
        elif parts:
            contents.append({"role": role, "parts": parts})
    return contents


def _parts(message: Message, names: Mapping[str, str], signatures: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    text = str(message.get("content") or "")
    if message["role"] == "tool":
        yield {"functionResponse": {"name": names[message["tool_call_id"]], "response": _as_object(text)}}
        return
    if text:
        yield {"text": text}
    for place, call in enumerate(message.get("tool_calls") or ()):
        function = call["function"]
        made = {"functionCall": {"name": function["name"], "args": json.loads(function["arguments"])}}
        # Of calls that came together only the first one is signed.
        signature = signatures.get(call["id"], "" if place else _NO_SIGNATURE)
        yield {**made, "thoughtSignature": signature} if signature else made


def _as_object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return {"result": text}
    return value if isinstance(value, dict) else {"result": value}


class _Candidate(Reading):
    """One reply in the making. The stream has no mark at its end but the reason why it finished."""

    def __init__(self, request: ModelRequest, where: str, keep: Any) -> None:
        super().__init__(request, where)
        self._keep = keep
        self._text: list[str] = []
        self._calls: list[tuple[ToolCall, str]] = []
        self._usage = Usage()
        self._finish = self._blocked = self._model = ""

    def _take(self, chunk: Mapping[str, Any]) -> None:
        self._model = str(chunk.get("modelVersion") or self._model)
        if usage := self._object(chunk.get("usageMetadata")):
            self._usage = _usage(usage)
        self._blocked = str(self._object(chunk.get("promptFeedback")).get("blockReason") or self._blocked)
        for candidate in self._objects(chunk.get("candidates"))[:1]:
            self._finish = str(candidate.get("finishReason") or self._finish)
            for part in self._objects(self._object(candidate.get("content")).get("parts")):
                self._take_part(part)

    def _take_whole(self, document: Mapping[str, Any]) -> None:
        if not document.get("candidates") and not document.get("promptFeedback"):
            raise self._fault("answered without a candidate", dumps(document)[:200])
        self._take(document)

    def _take_part(self, part: Mapping[str, Any]) -> None:
        call = self._object(part.get("functionCall"))
        if call:
            made = ToolCall(str(call.get("name") or ""), dumps(call.get("args") or {}), str(call.get("id") or ""))
            self._calls.append((made, str(part.get("thoughtSignature") or "")))
        elif isinstance(part.get("text"), str) and not part.get("thought"):
            self._text.append(part["text"])
            self._tell(part["text"])

    def _reply(self) -> ModelReply:
        if self._blocked:
            raise self._fault("gave no answer", f"{FILTERED} ({self._blocked})")
        if not self._finish:
            raise self._broken_off()
        if self._finish in _UNREADABLE:
            raise self._fault("wrote a call that its own provider can't read", self._finish)
        if self._finish in _FILTERS:
            raise self._fault("gave no answer", f"{FILTERED} ({self._finish})")
        calls = identify((call for call, _ in self._calls), self._request.messages)
        for call, (_, signature) in zip(calls, self._calls, strict=True):
            if signature:
                self._keep(call.id, signature)
        return ModelReply("".join(self._text), calls, self._usage, self._finish in _CUT_OFF, self._model)


def _usage(metadata: Mapping[str, Any]) -> Usage:
    """Thoughts are said beside the candidates; what is cached is a part of the prompt."""
    thoughts = count_of(metadata.get("thoughtsTokenCount"))
    return Usage(
        count_of(metadata.get("promptTokenCount")),
        count_of(metadata.get("candidatesTokenCount")) + thoughts,
        cached_tokens=count_of(metadata.get("cachedContentTokenCount")),
        reasoning_tokens=thoughts,
    )


def open_gemini(name: str, place: Place) -> GeminiModel:
    """A model of Google's, or at the base URL that speaks the same API."""
    return GeminiModel(
        endpoint_of(name, place, url=_URL, keys=("GEMINI_API_KEY", "GOOGLE_API_KEY"), provider="gcp.gemini")
    )
