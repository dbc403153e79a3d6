"""What was said, in the form in which spans hold it: roles with parts, as JSON text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from handiwork.core.types import Message, ModelReply, ToolCall
from handiwork.core.wire import dumps

_MOST_CHARS, _MOST_INPUT = 16_000, 200_000
_MOST_KNOWN = 2_000
Hide: TypeAlias = Callable[[Any], Any]  # gives JSON data back without the secrets in it


class Inputs:
    """What models are asked. A message is put into its form once: it is asked again with every later request.

    Of a long conversation the first message and the newest are told.
    """

    def __init__(self, hide: Hide) -> None:
        self._hide = hide
        self._known: dict[int, tuple[Message, str]] = {}  # the message is kept, so that nothing else gets its id()

    def text(self, messages: Sequence[Message]) -> str:
        """As many of *messages* as a span should hold."""
        told: list[str] = []
        room = _MOST_INPUT - sum(len(self._form(message)) for message in messages[:1])
        for message in reversed(messages[1:]):
            room -= len(self._form(message))
            if room < 0:
                break
            told.append(self._form(message))
        return f"[{','.join([*map(self._form, messages[:1]), *reversed(told)])}]"

    def _form(self, message: Message) -> str:
        known = self._known.get(id(message))
        if known is None or known[0] is not message:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            form = _json({"role": message["role"], "parts": list(_parts(message))}, self._hide)
            known = self._known[id(message)] = message, form
        return known[1]


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
