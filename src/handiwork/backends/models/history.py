"""The one valid form in which a conversation goes to a provider.

Providers refuse a whole request for one broken call in its past: arguments that aren't JSON, a call
without an answer, an answer without its call. What was said is kept; only its form is put right.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from handiwork.core.types import Message
from handiwork.core.wire import dumps, tool_error

_NO_RESULT = tool_error("no result: this call did not run to its end")


def valid_history(messages: Sequence[Message]) -> list[Message]:
    """The messages in provider form: each tool call followed by exactly one answer, in the calls' order."""
    answers = {str(m.get("tool_call_id", "")): m for m in messages if m.get("role") == "tool"}
    called = {str(c.get("id", "")) for m in messages for c in m.get("tool_calls") or ()}
    return [valid for message in messages for valid in _valid(message, answers, called)]


def _valid(message: Message, answers: dict[str, Message], called: set[str]) -> Iterator[Message]:
    role = message.get("role")
    if role == "tool":
        if str(message.get("tool_call_id", "")) not in called:
            yield {"role": "user", "content": f"Result of {message.get('name', 'a tool')}: {_text(message)}"}
    elif role == "assistant" and message.get("tool_calls"):
        calls = [_valid_call(call) for call in message["tool_calls"]]
        yield {"role": "assistant", "content": message.get("content") or None, "tool_calls": calls}
        yield from (_answer(call["id"], answers) for call in calls)
    else:
        yield {"role": role, "content": message.get("content") or ""}


def _valid_call(call: dict[str, Any]) -> dict[str, Any]:
    function = call.get("function") or {}
    arguments = valid_arguments(function.get("arguments"))
    name = str(function.get("name") or "unknown")
    return {
        "id": str(call.get("id", "")),
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }


def valid_arguments(raw: Any) -> str:
    """*raw* as the JSON text of an object; what can't be read as one is kept under `unreadable`."""
    if not isinstance(raw, str):
        return dumps(raw if isinstance(raw, dict) else {} if raw is None else {"unreadable": raw})
    try:
        value = json.loads(raw or "{}", parse_constant=_refuse)
    except (ValueError, RecursionError):
        return dumps({"unreadable": raw})
    return raw if isinstance(value, dict) and raw else dumps(value if isinstance(value, dict) else {"unreadable": raw})


def _refuse(name: str) -> None:
    """Python reads NaN and Infinity; the next provider doesn't."""
    raise ValueError(name)


def _answer(id: str, answers: dict[str, Message]) -> Message:
    message = answers.get(id)
    content = _NO_RESULT if message is None else _text(message)
    return {"role": "tool", "tool_call_id": id, "content": content}


def _text(message: Message) -> str:
    content = message.get("content")
    return content if isinstance(content, str) else dumps(content if content is not None else "")
