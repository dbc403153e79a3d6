"""A session once more: the calls that its model wrote go through the pipeline of today, their results come from
the recording. No model is asked, no tool is run, nobody is asked; what comes out differently is told.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from ..agent.retracing import retrace
from ..core.errors import ConfigError
from ..core.loading import Late
from ..core.types import (
    DELEGATE,
    Args,
    Ask,
    Done,
    Entry,
    Label,
    NeedsInput,
    Outcome,
    Pending,
    Ready,
    Scope,
    ToolCall,
    ToolResult,
)
from ..pipeline.line import Pipeline
from ..pipeline.parts import Parts
from ..pipeline.turn import run_turn
from .house import House
from .transcripts import FORMAT

flow = Late("handiwork.guard.flow")
_BY_AN_AGENT = "loop_guard"  # it looks at more than one call, and an agent brings it along


@dataclass(frozen=True, slots=True)
class Recording:
    """An exported session: what its first line says of it, and its entries."""

    about: Mapping[str, Any]
    entries: Sequence[Entry]


@dataclass(frozen=True, slots=True)
class Turn:
    """A reply with calls, what is recorded of each call that came to an end, and what was said and heard before."""

    before: Sequence[Entry]
    calls: Sequence[ToolCall]
    results: Mapping[str, Entry]
    decisions: Mapping[str, bool]


@dataclass(frozen=True, slots=True)
class Compared:
    """A call beside its recording; `was` and `now` are equal where nothing has changed."""

    call: ToolCall
    was: tuple[str, str]
    now: tuple[str, str]

    @property
    def same(self) -> bool:
        """Whether it came out as it did then."""
        return self.was == self.now


def read_recording(path: Path) -> Recording:
    """A file that `handiwork sessions export` wrote. Raises `ConfigError` with the line for anything else."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"can't read {path}: {error}", "give a file of `handiwork sessions export`") from None
    values = [_parse(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not values or values[0].get("handiwork_session") != FORMAT:
        raise ConfigError(f"{path} is no exported session", "handiwork sessions export ID --output FILE")
    return Recording(values[0], [_entry(path, number, value) for number, value in enumerate(values[1:], 2)])


def _parse(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except ValueError as error:
        raise ConfigError(f"{path}:{number}: not JSON: {error}", "export the session again") from None
    return value if isinstance(value, dict) else {}


def _entry(path: Path, number: int, value: dict[str, Any]) -> Entry:
    try:
        return Entry(value["seq"], value["kind"], value["at"], value["call"], value["body"])
    except KeyError as error:
        raise ConfigError(f"{path}:{number}: no entry: {error} is missing", "export the session again") from None


def turns_of(entries: Sequence[Entry]) -> Iterator[Turn]:
    """The turns of a session in which calls were written."""
    ends = [at for at, e in enumerate(entries) if e.kind == "reply"] + [len(entries)]
    heard = 0
    for start, end in pairwise(ends):
        asked = entries[start].body["message"].get("tool_calls") or ()
        after = entries[start + 1 : end]
        if asked:
            calls = [ToolCall(c["function"]["name"], c["function"]["arguments"], c["id"]) for c in asked]
            results = {e.call: e for e in after if e.kind == "result" and e.body.get("by") != _BY_AN_AGENT}
            before = [e for e in entries[heard:start] if e.kind != "result"]  # of those the pipeline hears once more
            yield Turn(before, calls, results, {e.call: e.body["allowed"] for e in after if e.kind == "decision"})
            heard = start


async def replay(house: House, recording: Recording) -> list[Compared]:
    """Every recorded call beside what the pipeline makes of it now. Calls that were cut short are left out."""
    about = recording.about
    enabled, disabled = (tuple(filter(None, about.get(k, "").split(","))) for k in ("toolsets", "disabled"))
    supplied = house.supplied(enabled or None, disabled)
    scope = house.scope(cwd=about.get("cwd") or None, platform="replay", supplied=supplied)
    pipeline = _without_hooks(house.pipeline)
    compared, ledger = [], flow.Ledger()  # with no files of its own: nothing is written here
    for turn in turns_of(recording.entries):
        retrace(ledger, turn.before, house.registry.get, of_person=about.get("platform") != DELEGATE)
        compared += await _replay_turn(pipeline, replace(scope, origins=ledger), turn)
    return compared


def _without_hooks(parts: Parts) -> Pipeline:
    """The same pipeline, but hooks, which may do anything, don't hear of what is only played."""
    return Pipeline(parts.registry, judge=parts.judge, limits=replace(parts.limits, folder=""))


async def _replay_turn(pipeline: Pipeline, scope: Scope, turn: Turn) -> list[Compared]:
    player = _Player(turn)
    names = {call.name for call in turn.calls}
    bound = pipeline.bind(replace(scope, bindings=dict.fromkeys(names, player.play), approver=player.decide))
    calls = [replace(call, scope=bound) for call in turn.calls if call.id in turn.results]
    results = await run_turn(pipeline, calls)
    return [Compared(r.call, player.recorded(r.call.id), _told(r)) for r in results]


@dataclass(frozen=True, slots=True)
class _Player:
    """Stands in for every tool and for the person, with what is recorded of them."""

    turn: Turn

    def play(self, _: Args, /, *, tool_call_id: str = "", **__: Any) -> Outcome:
        body = self.turn.results[tool_call_id].body
        text = self.recorded(tool_call_id)[1]
        match body["status"]:
            case "pending":
                return Pending(**_fields(text, pending="handle", note="note"))
            case "needs_input":
                return NeedsInput(**_fields(text, needs_input="message", form="form", handle="handle"))
        return Done(text, tuple(Label(integrity, source) for integrity, source in body.get("labels", ())))

    def decide(self, ready: Ready, _: Ask, /) -> bool:
        return self.turn.decisions.get(ready.call.id, False)

    def recorded(self, call: str) -> tuple[str, str]:
        body = self.turn.results[call].body
        refused = f"refused by {body.get('by')}" if body["status"] == "refused" else "ran"
        return refused, str(body.get("content", body["message"]["content"]))


def _fields(text: str, **names: str) -> dict[str, Any]:
    said = json.loads(text)
    return {field: said[name] for name, field in names.items() if name in said}


def _told(result: ToolResult) -> tuple[str, str]:
    refused = f"refused by {result.by}" if result.status == "refused" else "ran"
    return refused, result.content
