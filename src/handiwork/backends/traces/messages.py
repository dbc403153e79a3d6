"""What was said, in the form in which spans hold it: roles with parts, as JSON text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from handiwork.core.types import Message, ModelReply, ToolCall
from handiwork.core.wire import dumps

_MOST_CHARS = 16_000
Hide: TypeAlias = Callable[[Any], Any]  # gives JSON data back without the secrets in it


def input_messages(messages: Iterable[Message], hide: Hide) -> str:
    """What a model was asked."""
    return _json([{"role": m["role"], "parts": list(_parts(m))} for m in messages], hide)


def output_messages(reply: ModelReply, hide: Hide) -> str:
    """What it answered."""
    parts = [{"type": "text", "content": reply.text}] if reply.text else []
    parts += [_call(call.id, call.name, call.arguments) for call in reply.calls]
    return _json([{"role": "assistant", "parts": parts, "finish_reason": finish_reason(reply)}], hide)


def finish_reason(reply: ModelReply) -> str:
    """Why it ended there."""
    return "length" if reply.cut_off else "tool_calls" if reply.calls else "stop"


def arguments_text(call: ToolCall, args: Mapping[str, Any] | None, hide: Hide) -> str:
    """The arguments that a call ran with, else those that were written."""
    return _json(dict(args) if args is not None else _readable(call.arguments), hide)


def shown_text(text: str, hide: Hide) -> str:
    """A text without secrets, and no longer than a span should hold."""
    return _short(str(hide(text)))


def encodable(text: str) -> str:
    """*text* as UTF-8 can say it: one lone surrogate of a broken stream would lose a whole batch."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _json(value: Any, hide: Hide) -> str:
    return dumps(_bounded(hide(value)))


def _bounded(value: Any) -> Any:
    """JSON data with its long texts cut: a batch that is too large is lost with all that is in it."""
    if isinstance(value, str):
        return _short(value)
    if isinstance(value, dict):
        return {str(key): _bounded(v) for key, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_bounded(v) for v in value]
    return value if value is None or isinstance(value, (bool, int, float)) else _short(repr(value))


def _short(text: str) -> str:
    left = len(text) - _MOST_CHARS
    return text if left <= 0 else f"{text[:_MOST_CHARS]}… ({left:,} characters more)"


def _parts(message: Message) -> Iterator[dict[str, Any]]:
    content = str(message.get("content") or "")
    if message["role"] == "tool":
        yield {"type": "tool_call_response", "id": message.get("tool_call_id", ""), "response": content}
        return
    if content:
        yield {"type": "text", "content": content}
    for call in message.get("tool_calls") or ():
        yield _call(call["id"], call["function"]["name"], call["function"]["arguments"])


def _call(id: str, name: str, arguments: Any) -> dict[str, Any]:
    return {"type": "tool_call", "id": id, "name": name, "arguments": _readable(arguments)}


def _readable(arguments: Any) -> Any:
    """Arguments as data where they can be read: secrets are found in texts, not in JSON of JSON."""
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments
