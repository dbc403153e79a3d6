"""What a handler gave back: its progress passed on, its end an `Outcome`, its value text, and all of it a result."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Generator
from typing import Any

from ..core.handler import as_text, describe_exception
from ..core.loading import Late
from ..core.types import (
    Artifact,
    Done,
    Label,
    NeedsInput,
    Outcome,
    Pending,
    Progress,
    Ready,
    Refusal,
    Status,
    ToolCall,
    ToolResult,
)
from ..core.wire import dumps, tool_error
from .effects import Broke, Ended
from .nested import suspended_in

sanitizer = Late("handiwork.guard.sanitizer")
_ERROR = '{"error":'
OnProgress = Callable[[Progress], None]
_KINDS = ((b"\x89PNG", "image/png"), (b"\xff\xd8", "image/jpeg"), (b"GIF8", "image/gif"), (b"%PDF", "application/pdf"))


def as_outcome(value: Any) -> Outcome:
    """An outcome as it is; any other value is what a finished handler returned."""
    return value if isinstance(value, (Done, Pending, NeedsInput)) else Done(value)


def drain(generator: Generator[Any, None, Any], on_progress: OnProgress) -> Any:
    """Run a handler that yields: progress is passed on, other values are collected; what it returns wins."""
    collected: list[Any] = []
    while True:
        try:
            item = next(generator)
        except StopIteration as end:
            return _end_value(end.value, collected)
        _sort(item, collected, on_progress)


async def adrain(generator: AsyncGenerator[Any, None], on_progress: OnProgress) -> Any:
    """The same for an async generator, which can't return: its last value, or all of several."""
    collected: list[Any] = []
    async for item in generator:
        _sort(item, collected, on_progress)
    return _end_value(None, collected)


def _sort(item: Any, collected: list[Any], on_progress: OnProgress) -> None:
    if isinstance(item, Progress):
        on_progress(item)
    else:
        collected.append(item)


def _end_value(returned: Any, collected: list[Any]) -> Any:
    if returned is not None or not collected:
        return returned
    return collected[0] if len(collected) == 1 else collected


def text_and_artifacts(done: Done) -> tuple[str, tuple[Artifact, ...]]:
    """The text of a finished handler; bytes become an artifact that the text describes."""
    value = done.value
    if isinstance(value, (bytes, bytearray)):
        mime = next((m for magic, m in _KINDS if value.startswith(magic)), "application/octet-stream")
        artifact = Artifact(mime, bytes(value))
        return dumps({"attachment": {"mime": mime, "bytes": len(value)}}), (*done.artifacts, artifact)
    return as_text(value), done.artifacts


def clean_error(text: str) -> str:
    """An error that a handler reported, its message without what a model could take for structure."""
    try:
        report = json.loads(text)
    except ValueError:
        return text
    if isinstance(report, dict) and isinstance(report.get("error"), str):
        report["error"] = sanitizer.sanitize(report["error"])
    return dumps(report)


def refused(call: ToolCall, no: Refusal) -> ToolResult:
    """The result of a call that didn't run."""
    hint = {"hint": no.hint} if no.hint else {}
    content = tool_error(sanitizer.sanitize(no.reason), refused_by=no.by, **hint)
    return ToolResult(call, content, is_error=True, status="refused", by=no.by)


def answered(ready: Ready, answer: str | Done) -> ToolResult:
    """The result of a call that wasn't run. Where a hook's text comes from isn't known: it is from outside."""
    if isinstance(answer, str):
        answer = Done(answer, labels=(Label("outside", ready.entry.name),))
    return completed(ready, answer, 0.0)


def completed(ready: Ready, outcome: Ended, duration_ms: float) -> ToolResult:
    """The result of a call that ran, or broke while it did."""
    call = ready.call
    if type(outcome) is str and not outcome.startswith(_ERROR):
        return ToolResult(call, outcome, duration_ms=duration_ms)
    match as_outcome(outcome) if isinstance(outcome, str) else outcome:
        case Done() as done:
            text, artifacts = text_and_artifacts(done)
            failed = done.is_error or text.startswith(_ERROR)
            status: Status = "error" if failed else "ok"
            text = clean_error(text) if failed else text
            return ToolResult(call, text, failed, status, "", done.labels, duration_ms, artifacts)
        case Pending(handle, note):
            text = dumps({"pending": handle, "note": note})
            return ToolResult(call, text, status="pending", duration_ms=duration_ms)
        case NeedsInput(message, form, handle):
            text = dumps({"needs_input": message, "form": form, "handle": handle})
            return ToolResult(call, text, status="needs_input", duration_ms=duration_ms)
        case Broke(error) if waiting := suspended_in(error):
            return ToolResult(call, waiting.content, True, "refused", "approval", duration_ms=duration_ms)
        case Broke(error):
            text = tool_error(sanitizer.sanitize(describe_exception(error)))
            return ToolResult(call, text, True, "error", type(error).__name__, duration_ms=duration_ms)
