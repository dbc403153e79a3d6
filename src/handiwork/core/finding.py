"""What the tool search of a conversation has found, read back from what it answered."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping

from .types import Message

TOOL_SEARCH = "tool_search"


def names_found(messages: Iterable[Message]) -> dict[str, tuple[str, ...]]:
    """The names that each search found, the best first, by the id of its call; searches without a find aside."""
    messages = list(messages)
    searches = {call["id"] for m in messages for call in m.get("tool_calls") or () if _is_search(call)}
    answers = {str(m.get("tool_call_id")): m.get("content") for m in messages if m.get("role") == "tool"}
    found = {call: tuple(_names(content)) for call, content in answers.items() if call in searches}
    return {call: names for call, names in found.items() if names}


def _is_search(call: Mapping[str, object]) -> bool:
    function = call.get("function")
    return isinstance(function, Mapping) and function.get("name") == TOOL_SEARCH


def _names(content: object) -> Iterator[str]:
    """The names in an answer; none where it says no, or was made shorter meanwhile."""
    try:
        answer = json.loads(content) if isinstance(content, str) else None
    except ValueError:
        return
    tools = answer.get("tools") if isinstance(answer, Mapping) else None
    for tool in tools if isinstance(tools, list) else ():
        if isinstance(tool, Mapping) and isinstance(tool.get("name"), str):
            yield tool["name"]
