"""Faults of an endpoint in words: one line of cause, one of what to do next."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from handiwork.core.errors import HandiworkError, ModelError, ModelUnavailableError

_MOST_CHARS = 300


def refusal(status: int, body: str, where: str) -> HandiworkError:
    """The error for an answer that isn't a 200. *where* names model and address."""
    said = said_by_server(body)
    message = f"{where} answered {status}" + (f": {said}" if said else "")
    if status in (401, 403):
        return ModelUnavailableError(
            message, "check the API key: set HANDIWORK_API_KEY to one that this endpoint takes"
        )
    return ModelError(message, _advice(status))


def _advice(status: int) -> str:
    if status == 404:
        return "check the model's name and the base URL (it usually ends in /v1)"
    if status == 429:
        return "wait a little, or use another model or key"
    if status >= 500:
        return "the server has a fault of its own: look at its log, or try again later"
    return "the endpoint doesn't take this request: try another model, or fewer toolsets"


def said_by_server(body: str) -> str:
    """The server's own message, on one line, trimmed; from the usual JSON shapes, or from a page of HTML."""
    try:
        value: Any = json.loads(body)
    except ValueError:
        value = re.sub(r"(?is)<(script|style|head)\b.*?</\1>|<[^>]*>", " ", body)
    while isinstance(value, Mapping):
        value = next((value[key] for key in ("error", "message", "detail") if value.get(key)), json.dumps(value))
    return one_line(str(value))


def one_line(text: str) -> str:
    """*text* without line breaks, at most 300 characters."""
    flat = " ".join(text.split())
    return flat if len(flat) <= _MOST_CHARS else flat[: _MOST_CHARS - 1] + "…"
