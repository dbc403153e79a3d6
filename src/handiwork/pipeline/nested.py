"""Calls inside calls: what one hears of another that it makes, and how it is put aside while a person is waited for.

A call that waits is run again when it was answered, with what its inner calls have done already given back to it. So
only those wait whose handlers have no effect of their own beside their inner calls; the others are told no.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from ..core.loading import Late
from ..core.types import Ready, Scope, ToolCall, ToolResult
from ..core.wire import dumps, tool_error

hashlib = Late("hashlib")  # start-up doesn't wait for it
_MOST_ARGS = 300


class Suspended(BaseException):
    """An inner call waits for somebody: unwinds the handlers around it. No `Exception`, which they may well catch."""

    def __init__(self, content: str) -> None:
        super().__init__("a call inside it waits for an answer")
        self.content = content


def text_inside(result: ToolResult) -> str:
    """What the handler around a call is told of it. Raises `Suspended` where both wait for somebody."""
    scope = result.call.scope
    if result.status != "refused" or result.by != "approval" or not scope.waits or scope.around is None:
        return result.text
    said = json.loads(result.content)
    why = said.get("error", result.content)
    if "inside" in said:  # it waits for a call that is further in
        raise Suspended(result.content)
    for outer in calls_around(scope):
        if outer.entry.traits.resolved_effect() == "write":
            return tool_error(why, refused_by="approval", hint=_too_late(outer, result.call))
    asked = f"{result.call.name} {dumps(result.call.arguments)[:_MOST_ARGS]}: {why}"
    raise Suspended(tool_error(asked, refused_by="approval", inside=mark_of(result.call)))


def calls_around(scope: Scope) -> Iterator[Ready]:
    """The calls in whose handlers a call of *scope* is made, from the inside out."""
    around = scope.around
    while around is not None:
        yield around
        around = around.call.scope.around


def mark_of(call: ToolCall) -> str:
    """What an inner call is known by: its tool and its arguments as they were written. It has no id."""
    written = dumps([call.name, call.arguments]).encode("utf-8", "surrogatepass")
    mark: str = hashlib.sha256(written).hexdigest()[:16]
    return mark


def suspended_in(error: BaseException) -> Suspended | None:
    """The waiting that ended a handler, also where a group of tasks has wrapped it."""
    if isinstance(error, BaseExceptionGroup):
        return next(filter(None, map(suspended_in, error.exceptions)), None)
    return error if isinstance(error, Suspended) else None


def _too_late(outer: Ready, call: ToolCall) -> str:
    why = "since running it again could repeat what it has done"
    return f"{outer.entry.name} can't wait for an answer, {why}: call {call.name} by itself"
