"""A line that is traced: the same effects, each told to the span of its call on the way."""

from __future__ import annotations

from typing import Any

from ..core.types import CallSpan
from ..guard.approval import settle
from .effects import AskPerson, Effect, Execute, Line


def followed(span: CallSpan, line: Line) -> Line:
    """Serve *line* as it is, with a span for each wait for a person."""
    try:
        effect = next(line)
        while True:
            effect = line.send((yield from _answered(span, effect)))
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]


def _answered(span: CallSpan, effect: Effect) -> Any:
    if isinstance(effect, AskPerson):
        with span.question(effect.ready, effect.ask) as asking:
            said = yield effect
            asking.end(settle(said).allowed)
        return said
    if isinstance(effect, Execute):
        span.ready(effect.ready)
    return (yield effect)
