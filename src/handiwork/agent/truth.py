"""What became of a call that was cut short: done, not done, or not known. Read from the journal and the files.

The words are for the model, which must neither repeat what was done nor take for done what wasn't.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from ..core.types import Entry
from ..core.wire import dumps
from ..guard.fencing import fence
from .file_marks import marks_of, tellable

State: TypeAlias = Literal["done", "not done", "partly done", "unknown"]
_MOST_CHARS = 20_000
_NOT_BEGUN = "Interrupted before it began, or before it changed anything. Call it again if you still need it."
_UNKNOWN = "Interrupted while it ran; whether it had its effect is unknown. Look before you repeat it."
_UNCHANGED = "Interrupted while it ran; what it would change is as it was before, so nothing was done."
_CHANGED = "Interrupted while it ran; what it was to change has changed since, so it was done. Don't repeat it."
_PARTLY = "Interrupted while it ran; some of what it was to change has changed, some is as it was."
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


def truth_about(call: str, entries: Sequence[Entry], *, settled: bool = True) -> Truth:
    """What became of the call of that id, by the *entries* that follow the reply in which it stands.

    While something of it may still run, *settled* is False: then the files don't tell yet.
    """
    ended = {e.body["intent"]: e for e in entries if e.kind == "outcome"}
    intents = [e for e in entries if e.kind == "intent" and e.call == call]
    if not intents:
        return Truth("not done", _NOT_BEGUN, {})
    intent = intents[-1]
    outcome = ended.get(intent.seq)
    if outcome:
        return _from_outcome(outcome)
    return _from_files(intent) if settled else Truth("unknown", _UNKNOWN, {})


def loose_ends(entries: Iterable[Entry]) -> list[str]:
    """What other tools had begun on their own, such as the call behind a `tool_call`, and what became of it."""
    entries = list(entries)
    ended = {e.body["intent"]: e for e in entries if e.kind == "outcome"}
    loose = [e for e in entries if e.kind == "intent" and not e.call]
    return [_in_a_line(e, _from_outcome(ended[e.seq]) if e.seq in ended else _from_files(e)) for e in loose]


def _in_a_line(intent: Entry, truth: Truth) -> str:
    return f"{intent.body['tool']} {dumps(intent.body['args'])[:200]}: {truth.state}"


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
