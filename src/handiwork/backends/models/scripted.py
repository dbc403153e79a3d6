"""A model that says what a script says: for tests, demonstrations and replays."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from handiwork.core.errors import ConfigError, ModelError, UsageError
from handiwork.core.types import ModelReply, ModelRequest, ToolCall, Usage
from handiwork.core.wire import dumps

from .identity import identify
from .reading import count_of
from .table import Place

Line: TypeAlias = "ModelReply | str | Mapping[str, Any]"
_KEYS = frozenset({"text", "calls", "cut_off", "usage"})
_COUNTS = frozenset({"input_tokens", "output_tokens"})


class ScriptedModel:
    """Gives back *replies* one by one. `requests` are the ones it got, in order.

    A reply is a ModelReply, a text, or
    `{"text": ..., "calls": [{"name": ..., "arguments": {...}, "id": ...}]}`,
    where arguments may be text, which is passed on as it is; `usage` may say `input_tokens` and
    `output_tokens`. Raises UsageError on anything else.
    """

    def __init__(self, replies: Iterable[Line], *, name: str = "scripted") -> None:
        self.name, self.provider = name, "scripted"
        self.requests: list[ModelRequest] = []
        self._replies = [_as_reply(line, f"reply {n}") for n, line in enumerate(replies, 1)]

    @classmethod
    def from_file(cls, path: Path | str) -> ScriptedModel:
        """The script in a JSON list or in JSON lines. Raises ConfigError with file and line for damage."""
        path = Path(path)
        return cls(list(_read_script(path)), name=f"scripted:{path.name}")

    async def reply(self, request: ModelRequest, /) -> ModelReply:
        """The next reply of the script. Raises ModelError when there is none."""
        self.requests.append(request)
        at = len(self.requests) - 1
        if at >= len(self._replies):
            raise ModelError(
                f"{self.name} has come to its end after {len(self._replies)} replies",
                "add a reply to the script, or end it with a text, which ends the turn",
            )
        reply = self._replies[at]
        if reply.text and request.on_text:
            request.on_text(reply.text)
        return replace(reply, calls=identify(reply.calls, request.messages))


def _as_reply(line: Line, place: str) -> ModelReply:
    if isinstance(line, ModelReply):
        return line
    if isinstance(line, str):
        return ModelReply(line)
    if not isinstance(line, Mapping) or not line or not _KEYS.issuperset(line):
        raise UsageError(f"{place} of the script is neither a text nor an object of {', '.join(sorted(_KEYS))}")
    calls = line.get("calls") or ()
    if not isinstance(calls, (list, tuple)):
        raise UsageError(f"{place} of the script: calls is not a list")
    return ModelReply(
        str(line.get("text") or ""),
        tuple(_as_call(call, place) for call in calls),
        _as_usage(line.get("usage") or {}, place),
        cut_off=bool(line.get("cut_off")),
    )


def _as_usage(counts: Any, place: str) -> Usage:
    if not isinstance(counts, Mapping) or not _COUNTS.issuperset(counts):
        raise UsageError(f"{place} of the script: usage is an object of {', '.join(sorted(_COUNTS))}")
    return Usage(**{kind: count_of(count) for kind, count in counts.items()})


def _as_call(call: Any, place: str) -> ToolCall:
    if isinstance(call, ToolCall):
        return call
    if not isinstance(call, Mapping) or not isinstance(call.get("name"), str):
        raise UsageError(f"{place} of the script: a call is an object with a name and arguments")
    arguments = call.get("arguments", {})
    return ToolCall(
        call["name"], arguments if isinstance(arguments, str) else dumps(arguments), str(call.get("id") or "")
    )


def _read_script(path: Path) -> Iterator[Line]:
    for line_number, value in _read_values(path):
        try:
            yield _as_reply(value, f"the reply at {path}:{line_number}")
        except UsageError as fault:
            raise ConfigError(str(fault), "see what a reply may be: a text, or an object with text and calls") from None


def _read_values(path: Path) -> Iterator[tuple[int, Any]]:
    """The script's values, each with its line: of a JSON list (then the list's), or of JSON lines."""
    text = _read_text(path)
    if text.lstrip().startswith("["):
        yield from ((1, value) for value in _parse(text, path, 0))
        return
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            yield number, _parse(line, path, number - 1)


def _read_text(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except OSError as fault:
        raise ConfigError(f"can't read the script {path}: {fault.strerror}", "check the path") from None
    except UnicodeDecodeError:
        raise ConfigError(f"the script {path} is not UTF-8 text", "save it as UTF-8") from None


def _parse(text: str, path: Path, lines_before: int) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as fault:
        place = f"{path}:{lines_before + fault.lineno}:{fault.colno}"
        raise ConfigError(
            f"{place}: not JSON: {fault.msg}", "a script is a JSON list, or one JSON value a line"
        ) from None


def open_scripted(name: str, _place: Place) -> ScriptedModel:
    """The script in the file *name*."""
    return ScriptedModel.from_file(Path(name).expanduser())
