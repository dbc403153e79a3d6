"""What became of a call that was cut short: done, not done, or not known. Read from the journal and the files.

The words are for the model, which must neither repeat what was done nor take for done what wasn't.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from ..core.types import Done, Entry, Label
from ..core.wire import dumps
from ..guard.fencing import fence
from .file_marks import marks_of, tellable

State: TypeAlias = Literal["done", "not done", "partly done", "unknown"]
_MOST_CHARS = 20_000
_MOST_ARGS = 200
_NOT_BEGUN = "Interrupted before it began, or before it changed anything. Call it again if you still need it."
_UNKNOWN = "Interrupted while it ran; whether it had its effect is unknown. Look before you repeat it."
_UNCHANGED = "Interrupted while it ran; what it would change is as it was before, so nothing was done."
_CHANGED = "Interrupted while it ran; what it was to change has changed since, so it was done. Don't repeat it."
_PARTLY = "Interrupted while it ran; some of what it was to change has changed, some is as it was."
_DONE_WITHIN = "Interrupted while it ran; what it did by calling other tools is in `within`. Look before you repeat it."
_RAN = "Interrupted after it had run to its end; this is its result. Don't repeat it."


@dataclass(frozen=True, slots=True)
class Truth:
    """What is known of a call, and the content of the message that tells it."""

    state: State
    note: str
    facts: dict[str, Any]

    def content(self) -> str:
        """The text of the tool message."""
        return dumps({"interrupted": True, "state": self.state, "note": self.note, **self.facts})


_NOTHING_DONE = Truth("not done", _NOT_BEGUN, {})


def truth_about(call: str, entries: Sequence[Entry], *, settled: bool = True) -> Truth:
    """What became of the call of that id, by the *entries* that follow the reply in which it stands.

    While something of it may still run, *settled* is False: then the files don't tell yet.
    """
    intents = [e for e in entries if e.kind == "intent" and e.call == call]
    if not intents:
        inner = [(e, truth) for e, truth in inner_truths(call, entries) if "within" in e.body]
        return Truth("partly done", _DONE_WITHIN, {"within": in_short(inner)}) if inner else _NOTHING_DONE
    if outcome := _outcome_of(intents[-1], entries):
        return _from_outcome(outcome)
    return _from_traces(intents[-1], entries) if settled else Truth("unknown", _UNKNOWN, {})


def _outcome_of(intent: Entry, entries: Iterable[Entry]) -> Entry | None:
    return next((e for e in entries if e.kind == "outcome" and e.body["intent"] == intent.seq), None)


def _from_traces(intent: Entry, entries: Sequence[Entry]) -> Truth:
    """What a call that didn't come to its end has done, by itself and through tools that it called."""
    inner = [(e, truth) for e, truth in inner_truths(intent.call, entries) if e.seq > intent.seq]
    within = in_short(inner)
    if not intent.body.get("through"):
        truth = _from_files(intent)
        return replace(truth, facts={**truth.facts, "within": within}) if within else truth
    if not inner:
        return _NOTHING_DONE
    only = inner[0][1] if len(inner) == 1 else Truth("unknown", _UNKNOWN, {})
    return replace(only, facts={**only.facts, "within": within})


def inner_truths(call: str, entries: Sequence[Entry]) -> list[tuple[Entry, Truth]]:
    """The intents of calls that were made within the call of that id, and what became of them."""
    begun = [e for e in entries if e.kind == "intent" and not e.call and e.body.get("within", call) == call]
    return [(e, _from_outcome(o) if (o := _outcome_of(e, entries)) else _from_files(e)) for e in begun]


def in_short(inner: Iterable[tuple[Entry, Truth]]) -> list[str]:
    """A line for each of several inner calls."""
    return [f"{e.body['tool']} {dumps(e.body['args'])[:_MOST_ARGS]}: {truth.state}" for e, truth in inner]


def past_of(call: str, entries: Sequence[Entry]) -> list[tuple[str, Done]]:
    """What the inner calls of a call have come to, each with its tool and arguments: they aren't to run again."""
    return [
        (dumps([e.body["tool"], e.body["args"]]), _as_done(e, truth, entries))
        for e, truth in inner_truths(call, entries)
    ]


def _as_done(intent: Entry, truth: Truth, entries: Iterable[Entry]) -> Done:
    outcome = _outcome_of(intent, entries)
    if outcome is None:
        return Done(truth.content(), is_error=True)
    source = outcome.body.get("outside")
    labels = (Label("outside", source),) if source else ()
    return Done(outcome.body["text"], labels=labels, is_error=bool(outcome.body.get("is_error")))


def _from_outcome(outcome: Entry) -> Truth:
    text = outcome.body["text"]
    shown = text if len(text) <= _MOST_CHARS else f"{text[:_MOST_CHARS]}... [{len(text) - _MOST_CHARS} more]"
    outside = outcome.body.get("outside")
    return Truth("done", _RAN, {"result": fence(shown, outside) if outside else shown})


def _from_files(intent: Entry) -> Truth:
    before = intent.body["files"]
    now = marks_of(before)
    if not before or not all(map(tellable, (*before.values(), *now.values()))):
        return Truth("unknown", _UNKNOWN, {})
    changed = [path for path in before if before[path] != now[path]]
    if not changed:
        return Truth("not done", _UNCHANGED, {"files": sorted(before)})
    if len(changed) == len(before):
        return Truth("done", _CHANGED, {"files": sorted(before)})
    return Truth("partly done", _PARTLY, {"changed": changed, "as_before": sorted(before.keys() - set(changed))})
