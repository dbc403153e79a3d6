"""The steps after the handler, in the order in which a result meets them. Refusals pass them, too.

A step gives the result on, the same object when it changes nothing; where it must wait for a hook it answers with
a generator of effects.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import replace
from typing import Any, TypeAlias

from ..core.loading import Late
from ..core.types import Label, Ready, ToolResult
from .effects import Broke, CallHook, Effect
from .hook_points import POST_TOOL_CALL, TRANSFORM_TOOL_RESULT
from .hooks import Hook, read_answer
from .keywords import result_keywords
from .limits import cut
from .parts import Parts

# Their patterns take 20 ms to compile, which is for the first call to pay, not for start-up.
fence = Late("handiwork.guard.fencing")
redact = Late("handiwork.guard.redaction")

Heed: TypeAlias = Callable[[Parts, Hook, ToolResult, Any], ToolResult]
FinishStep: TypeAlias = Callable[[Parts, "Ready | None", ToolResult], "ToolResult | Generator[Effect, Any, ToolResult]"]


def post_hooks(parts: Parts, ready: Ready | None, result: ToolResult) -> Any:
    """Observers hear of every result, also of refusals."""
    hooks = parts.hooks.of(POST_TOOL_CALL)
    return _hear(parts, ready, result, hooks, heed=_observed) if hooks else result


def transform_hooks(parts: Parts, ready: Ready | None, result: ToolResult) -> Any:
    """Hooks may give the result of a call that ran another text. Refusals and questions are ours."""
    hooks = parts.hooks.of(TRANSFORM_TOOL_RESULT)
    if not hooks or result.status not in _RAN:
        return result
    return _hear(parts, ready, result, hooks, heed=_transformed)


_RAN = frozenset({"ok", "error"})


def _hear(
    parts: Parts, ready: Ready | None, result: ToolResult, hooks: tuple[Hook, ...], *, heed: Heed
) -> Generator[Effect, Any, ToolResult]:
    """Call each hook with the result as it then is. One that fails is reported, and the call goes on."""
    for hook in hooks:
        said = yield CallHook(hook, result_keywords(ready, result))
        if isinstance(said, Broke):
            parts.hooks.report(hook, said.error)
        else:
            result = heed(parts, hook, result, said)
    return result


def _observed(parts: Parts, hook: Hook, result: ToolResult, said: Any) -> ToolResult:
    return result


def _transformed(parts: Parts, hook: Hook, result: ToolResult, said: Any) -> ToolResult:
    answer = read_answer(hook, said)
    if answer.problem:
        parts.hooks.report(hook, f"{answer.problem}; the result stays as it was")
    return result if answer.text is None else replace(result, content=answer.text)


def add_notes(parts: Parts, ready: Ready | None, result: ToolResult) -> ToolResult:
    """What hooks had to say about the call stands below its result."""
    if ready is None or not ready.notes or result.status not in _RAN:
        return result
    return replace(result, content="\n\n".join((result.content, *ready.notes)))


def hide_secrets(parts: Parts, ready: Ready | None, result: ToolResult) -> ToolResult:
    """Secrets don't reach the model, the log or the file."""
    text = redact.redact(result.content)
    return result if text == result.content else replace(result, content=text)


def keep_short(parts: Parts, ready: Ready | None, result: ToolResult) -> ToolResult:
    """What is too long is cut to both ends; the whole is in a file."""
    most = parts.limits.of(ready.entry if ready else None)
    if len(result.content) <= most:
        return result
    return cut(result, parts.limits, most)


def label(parts: Parts, ready: Ready | None, result: ToolResult) -> ToolResult:
    """Where the result comes from: by its own word, by its tool's traits, by the files and hosts of the call."""
    if ready is None or result.status == "refused":
        return result
    origins = ready.call.scope.origins
    told = result.labels or _labels_of(ready)
    found = origins.labels(ready, result) if origins else ()
    return replace(result, labels=(*told, *found)) if found or told is not result.labels else result


def _labels_of(ready: Ready) -> tuple[Label, ...]:
    entry = ready.entry
    outside = entry.traits.open_world or entry.origin.startswith("mcp:")
    return (Label("outside", entry.name),) if outside else ()


def show(parts: Parts, ready: Ready | None, result: ToolResult) -> ToolResult:
    """Text from outside is shown to the model as data, inside a fence."""
    outside = next((label for label in result.labels if label.integrity == "outside"), None)
    return replace(result, shown=fence.fence(result.content, outside.source)) if outside else result


def note_origins(parts: Parts, ready: Ready | None, result: ToolResult) -> ToolResult:
    """What came of the call may be where a later value comes from."""
    if ready is not None and (origins := ready.call.scope.origins) and result.status in _RAN:
        origins.note(ready, result)
    return result


FINISH: tuple[FinishStep, ...] = (
    post_hooks,
    transform_hooks,
    add_notes,
    hide_secrets,
    keep_short,
    label,
    show,
    note_origins,
)
