"""Where the texts of a stored session came from, told once more to whoever keeps account of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from ..core.types import Entry, Label, Origins, Ready, ToolCall, ToolEntry, ToolResult
from .asking import ASKS_PERSON

EntryOf = Callable[[str], ToolEntry | None]


def retrace(origins: Origins, entries: Iterable[Entry], entry_of: EntryOf, *, of_person: bool = True) -> None:
    """Tell *origins* what was said and heard in a session, in order.

    Calls of tools that are gone are told by their names alone. In a session that isn't *of_person* the prompts
    are an agent's.
    """
    asked: dict[str, tuple[str, Any]] = {}
    begun: dict[int, tuple[str, Any]] = {}
    for entry in entries:
        body = entry.body
        match entry.kind:
            case "prompt" if of_person:
                origins.trust(_content(body))
            case "answer" | "decision":
                origins.trust(_said(body))
            case "reply":
                for call in body["message"].get("tool_calls") or ():
                    asked[call["id"]] = call["function"]["name"], call["function"]["arguments"]
            case "intent":
                begun[entry.seq] = body["tool"], body["args"]
            case "outcome" if body.get("intent") in begun:
                sources = filter(None, [body.get("outside")])
                labels = tuple(Label("outside", source) for source in sources)
                _note(origins, entry_of, begun[body["intent"]], ToolResult(ToolCall(""), body["text"], labels=labels))
            case "result" if entry.call in asked and body.get("status") != "refused":
                labels = tuple(Label(integrity, source) for integrity, source in body.get("labels", ()))
                text = str(body.get("content", _content(body)))
                if asked[entry.call][0] == ASKS_PERSON:
                    origins.trust(_answer_in(text))
                _note(origins, entry_of, asked[entry.call], ToolResult(ToolCall(""), text, labels=labels))


def _content(body: dict[str, Any]) -> str:
    return str(body["message"]["content"] or "")


def _said(body: dict[str, Any]) -> str:
    """What a person typed: the answer to a question, or a note to a yes or no."""
    value = body.get("value")
    words = "" if value is None else value if isinstance(value, str) else json.dumps(value)
    return "\n".join(filter(None, (words, str(body.get("note") or ""))))


def _answer_in(text: str) -> str:
    """The person's answer in a result that gave it."""
    said = _args(text).get("answer")
    return said if isinstance(said, str) else ""


def _note(origins: Origins, entry_of: EntryOf, asked: tuple[str, Any], result: ToolResult) -> None:
    name, arguments = asked
    known = entry_of(name) or ToolEntry(name, "", {"name": name, "parameters": {}}, handler=_gone)
    origins.hear(Ready(ToolCall(name), known, _args(arguments)), result)


def _args(arguments: Any) -> dict[str, Any]:
    """The arguments as far as they can be read: where a value stood is told with what was asked for."""
    try:
        value = json.loads(arguments) if isinstance(arguments, str) else arguments
    except (ValueError, RecursionError):
        value = {"arguments": arguments}
    return value if isinstance(value, dict) else {}


def _gone(_: Any, /, **__: Any) -> str:
    raise LookupError("a tool that was registered in another session isn't there any more")
