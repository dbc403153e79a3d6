"""Ids for calls that came without one: stable, and unique in the whole conversation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import count

from handiwork.core.types import Message, ToolCall


def identify(calls: Iterable[ToolCall], messages: Sequence[Message] = ()) -> tuple[ToolCall, ...]:
    """The calls, each with an id of its own: the one it has, else `call_1`, `call_2`, ...

    Ids that *messages* already hold are not given again; an id that two calls share is kept for the first.
    """
    taken = set(_past_ids(messages))
    fresh = (f"call_{n}" for n in count(len(taken) + 1))
    return tuple(_claim(call, taken, fresh) for call in calls)


def _past_ids(messages: Sequence[Message]) -> Iterator[str]:
    for message in messages:
        for call in message.get("tool_calls") or ():
            yield str(call.get("id", ""))


def _claim(call: ToolCall, taken: set[str], fresh: Iterator[str]) -> ToolCall:
    own = call.id if call.id and call.id not in taken else next(x for x in fresh if x not in taken)
    taken.add(own)
    return call if own == call.id else replace(call, id=own)
