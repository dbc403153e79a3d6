"""Cleans error texts before a model reads them: no framing tokens, no secrets, never endless."""

from __future__ import annotations

import re

from .redaction import redact

_STRUCTURE = re.compile(
    r"</?(?:system|assistant|user|human|tool|function|tool_calls?|tool_results?|tool_responses?|function_calls?"
    r"|function_results?|invoke|parameter|system-reminder|antml:\w+|instructions?|think|result)(?:\s[^<>]{0,200})?/?>"
    r"|<!\[CDATA\[|\]\]>|`{3,}[\w-]*|~{3,}|<[|\uff5c][^<>\n]{1,60}[|\uff5c]>|\[/?(?:INST|TOOL_CALLS|TOOL_RESULTS)\]"
    r"|<</?SYS>>|<(?:start|end)_of_turn>"
    r"|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]",
    re.IGNORECASE,
)
_MARKS = re.compile(r"[<\[\]`~\x00-\x08\x0b-\x1f\x7f]")


def sanitize(text: str, limit: int = 2000) -> str:
    """The text without structural tokens and secrets, at most *limit* characters long.

    The middle of a longer text is left out, and said to be.
    """
    text = redact(_shorten(text, limit * 4))
    if _MARKS.search(text) or not text.isascii():
        text = _stripped(text)
    return _shorten(text, limit)


def _stripped(text: str) -> str:
    """Taken out until nothing is left to take: a removal may join two halves to a new token."""
    for _ in range(8):
        cleaner = _STRUCTURE.sub("", text)
        if cleaner == text:
            return text
        text = cleaner
    return re.sub(r"[<>\[\]`]", "", text)


def _shorten(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    note = f" ... [{len(text) - limit} characters left out] ... "
    room = max(limit - len(note), 0)
    head = room * 2 // 3
    return (text[:head] + note + text[len(text) - (room - head) :])[:limit]
