"""Calls that a model wrote as text: fences, tags and bare objects in the styles of the model families.

Only an object whose name is one of the supplied tools is a call; everything else stays text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from handiwork.core.types import ToolCall
from handiwork.core.wire import dumps

# Where a call may begin, in the order in which they are looked for. Each is followed by JSON.
_OPENERS = ("<tool_call>", "[TOOL_CALLS]", "<|python_tag|>", "<function=", "```")
_FENCE = re.compile(r"```[\w+-]*[ \t]*\n(?P<body>.*?)\n?[ \t]*```", re.DOTALL)
_TAG = re.compile(r"<tool_call>\s*(?P<body>.*?)\s*(?:</tool_call>|$)", re.DOTALL)
_MISTRAL = re.compile(r"\[TOOL_CALLS\]\s*(?P<body>\[.*\]|\{.*\})", re.DOTALL)
_PYTHON_TAG = re.compile(r"<\|python_tag\|>\s*(?P<body>\{.*\})\s*(?:<\|eom_id\|>|<\|eot_id\|>)?", re.DOTALL)
_FUNCTION = re.compile(r"<function=(?P<name>[\w-]+)>\s*(?P<body>\{.*?\})\s*</function>", re.DOTALL)
_SHAPES = (_TAG, _MISTRAL, _PYTHON_TAG, _FUNCTION, _FENCE)
_NAME_KEYS = ("name", "tool", "function")
_ARGUMENT_KEYS = ("arguments", "parameters", "args")


@dataclass(frozen=True, slots=True)
class Reading:
    """A reply taken apart: the text that is left, and the calls that were in it."""

    text: str
    calls: tuple[ToolCall, ...] = ()


def read_calls(text: str, names: Collection[str]) -> Reading:
    """The calls of *names* that are written in *text*, and the text without them.

    Arguments are passed on as JSON text; one that doesn't parse is never guessed at.
    """
    if not names or ("{" not in text and "[" not in text):
        return Reading(text)
    if bare := _calls_in(text, names):
        return Reading("", bare)
    for shape in _SHAPES:
        reading = _read_shape(shape, text, names)
        if reading.calls:
            return reading
    return Reading(text)


def _read_shape(shape: re.Pattern[str], text: str, names: Collection[str]) -> Reading:
    calls: list[ToolCall] = []
    rest, end = [], 0
    for match in shape.finditer(text):
        found = _calls_of(match, names)
        if found:
            calls += found
            rest.append(text[end : match.start()])
            end = match.end()
    rest.append(text[end:])
    return Reading("\n".join(filter(None, (part.strip() for part in rest))), tuple(calls))


def _calls_of(match: re.Match[str], names: Collection[str]) -> tuple[ToolCall, ...]:
    name = match.groupdict().get("name")
    if name is None:
        return _calls_in(match["body"], names)
    return (ToolCall(name, match["body"]),) if name in names else ()


def _calls_in(body: str, names: Collection[str]) -> tuple[ToolCall, ...]:
    """The calls in one or several JSON documents; none at all unless each document is a call."""
    try:
        documents = [call for value in _documents(body) for call in _as_list(value)]
    except ValueError:
        return ()
    calls = [_as_call(value, names) for value in documents]
    whole = tuple(call for call in calls if call is not None)
    return whole if len(whole) == len(calls) else ()


def _documents(text: str) -> Iterator[Any]:
    """JSON documents one after the other, parted by space, `;` or `,`. Raises ValueError on anything else."""
    decoder, at = json.JSONDecoder(), 0
    text = text.strip()
    while at < len(text):
        value, at = decoder.raw_decode(text, at)
        yield value
        at += len(text[at:]) - len(text[at:].lstrip(" \t\r\n;,"))


def _as_list(value: Any) -> Iterable[Any]:
    return value if isinstance(value, list) else (value,)


def _as_call(value: Any, names: Collection[str]) -> ToolCall | None:
    """A call in any of the usual spellings: flat, or the OpenAI one with `function` inside."""
    if not isinstance(value, dict):
        return None
    inner = value.get("function")
    if isinstance(inner, dict):
        value = {**inner, "id": value.get("id", "")}
    name = next((value[key] for key in _NAME_KEYS if isinstance(value.get(key), str)), "")
    key = next((key for key in _ARGUMENT_KEYS if key in value), None)
    if name not in names or key is None:
        return None
    arguments = value[key]
    return ToolCall(name, arguments if isinstance(arguments, str) else dumps(arguments), str(value.get("id") or ""))


class TextGate:
    """Lets streamed text through until it may be the beginning of a call.

    What is held back is told at the end, if it turned out to be text.
    """

    __slots__ = ("_holding", "_let_through", "_pending")

    def __init__(self) -> None:
        self._pending = ""
        self._let_through = ""
        self._holding = False

    def feed(self, piece: str) -> str:
        """The part of the text so far that can be shown now."""
        self._pending += piece
        if self._holding:
            return ""
        at = self._first_opener()
        self._holding = at < len(self._pending) and not _may_grow(self._pending[at:])
        shown, self._pending = self._pending[:at], self._pending[at:]
        self._let_through += shown
        return shown

    def rest(self, text: str) -> str:
        """What of the final *text* hasn't been shown."""
        if text.startswith(self._let_through):
            return text[len(self._let_through) :]
        return text[len(self._let_through.rstrip()) :] if text.startswith(self._let_through.rstrip()) else ""

    def _first_opener(self) -> int:
        """Where a call begins, or might: the length of the text where nothing looks like one."""
        if not self._let_through and self._pending.lstrip()[:1] in ("{", "["):
            return 0
        if not self._let_through and not self._pending.strip():
            return 0
        places = [self._pending.find(opener) for opener in _OPENERS]
        found = [place for place in places if place >= 0]
        return min(found) if found else len(self._pending) - _partial(self._pending)


def _may_grow(tail: str) -> bool:
    return not tail.strip() or (len(tail) < max(map(len, _OPENERS)) and _partial(tail) == len(tail))


def _partial(text: str) -> int:
    """How many characters at the end could be the beginning of an opener."""
    longest = max(map(len, _OPENERS)) - 1
    for size in range(min(longest, len(text)), 0, -1):
        if any(opener.startswith(text[-size:]) for opener in _OPENERS):
            return size
    return 0
