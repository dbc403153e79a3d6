"""Tools whose definitions Anthropic's API loads when a search finds them, not before.

They go out with `defer_loading`, and the API keeps them out of the prompt. Where the answer of our own
search refers to them, it puts their definitions in that place: what was sent before keeps its bytes and
its cache, and calls are still bound to the schema. No beta header is needed.

The API refuses a reference to a tool that isn't among the deferred ones, examples of arguments beside
deferred tools, and a request whose tools are all deferred.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from handiwork.core.finding import names_found
from handiwork.core.types import Message
from handiwork.core.wire import is_loaded

# Sonnet and Opus since 4, Haiku since 4.5, and the families that came later.
_TAKES = re.compile(r"claude-(?:(?:sonnet|opus)-(?:[4-9]|\d{2,})|haiku-(?:4-[5-9](?!\d)|[5-9]|\d{2,})|fable|mythos)\b")
_REFUSED = re.compile(r"defer_loading|tool_reference|[Tt]ool reference")


def takes_deferred(model: str) -> bool:
    """Whether a model of this name takes deferred tools."""
    return bool(_TAKES.search(model))


def is_about_deferral(refusal: str) -> bool:
    """Whether a server that refused a request means what is deferred in it."""
    return bool(_REFUSED.search(refusal))


def tools_of(
    tools: Iterable[Mapping[str, Any]], found: Collection[str], referred: Mapping[str, Sequence[str]]
) -> list[dict[str, Any]]:
    """The definitions to send: one that was *found*, and that nothing in the history refers to any more, is loaded.

    *referred* are the references of the history, by call.
    """
    tools = list(tools)
    if all(map(is_loaded, tools)):
        return [dict(tool) for tool in tools]
    in_sight = {name for names in referred.values() for name in names}
    lost = set(found) - in_sight
    sent = ({k: v for k, v in tool.items() if k != "input_examples"} for tool in tools)
    return [{k: v for k, v in t.items() if k != "defer_loading"} if t["name"] in lost else t for t in sent]


def references_of(history: Iterable[Message], tools: Iterable[Mapping[str, Any]]) -> dict[str, list[str]]:
    """The deferred tools that each search in the history found, by the id of its call."""
    deferred = {str(tool["name"]) for tool in tools if not is_loaded(tool)}
    if not deferred:
        return {}
    found = {call: [n for n in names if n in deferred] for call, names in names_found(history).items()}
    return {call: names for call, names in found.items() if names}
