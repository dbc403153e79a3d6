"""What a person is told who is asked about a call: on a terminal, in an editor, or from the queue of what waits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from ..backends.files.editing.diffs import whole_diff
from ..core.loading import Late
from ..core.types import DELEGATE, Ask, PlannedFile, Ready, Scope
from ..core.wire import dumps
from ..guard.deeds import deeds
from ..guard.verdict import READING

offering = Late("handiwork.guard.rules.offers")

# Programs as such, and what only looks, say nothing about what a call would change.
_DULL: Final = READING | {"run"}
_MOST_SHOWN: Final = 40


@dataclass(frozen=True, slots=True)
class Change:
    """A file that a call would change, as the lines of a diff; `note` says it where that can't."""

    path: str
    lines: tuple[str, ...] = ()
    note: str = ""

    @property
    def counts(self) -> str:
        """How many lines come and go."""
        added, gone = (sum(line.startswith(sign) for line in self.lines) for sign in "+-")
        return f"+{added} -{gone}"


@dataclass(frozen=True, slots=True)
class Asked:
    """The facts of one question. `text` is the call's commands, or its arguments as JSON; `effects` are kind and
    target; `offers` are the rules that a yes could be kept as: how much they cover, the rule, the same in words."""

    tool: str
    origin: str
    who: str
    cwd: str
    reason: str
    text: str
    effects: tuple[tuple[str, str], ...] = ()
    changes: tuple[Change, ...] = ()
    offers: tuple[tuple[str, str, str], ...] = ()
    digests: tuple[tuple[str, str, str], ...] = ()

    def document(self) -> dict[str, Any]:
        """The same as JSON, for the queue."""
        return {
            "origin": self.origin,
            "who": self.who,
            "cwd": self.cwd,
            "reason": self.reason,
            "text": self.text,
            "effects": [list(effect) for effect in self.effects],
            "changes": [
                {"path": c.path, "diff": "\n".join(c.lines[:_MOST_SHOWN]), "note": c.note} for c in self.changes
            ],
            "offers": [list(offer) for offer in self.offers],
            "digests": [list(digest) for digest in self.digests],
        }


def asked_of(ready: Ready, asks: Iterable[Ask]) -> Asked:
    """What somebody is told who is asked *asks* about *ready*."""
    asks = list(asks)
    return Asked(
        ready.entry.name,
        ready.entry.origin,
        _who(ready.call.scope),
        ready.call.scope.here,
        "; ".join(dict.fromkeys(ask.reason for ask in asks)),
        _text(ready),
        tuple((deed.kind, deed.target) for deed in deeds(ready) if deed.kind not in _DULL),
        tuple(map(_change, ready.planned or ())),
        _offers(ready, asks),
        tuple((file.real, file.before, file.after) for file in ready.planned or ()),
    )


def digests_of(ready: Ready) -> list[list[str]]:
    """What tells the change of files that *ready* would make from any other, as a document has it."""
    return [[file.real, file.before, file.after] for file in ready.planned or ()]


def _who(scope: Scope) -> str:
    if scope.platform == DELEGATE:
        return f"a delegate ({scope.session_id})"
    return scope.session_id or scope.platform


def _text(ready: Ready) -> str:
    touches = ready.entry.traits.touches
    commands = [str(ready.args[name]) for name, touch in touches.items() if touch == "command" and name in ready.args]
    return "\n".join(commands) or dumps(ready.args)


def _change(file: PlannedFile) -> Change:
    if file.before == file.after:
        return Change(file.path, note="stays as it is")
    if (file.old is None and file.before) or (file.new is None and file.after):
        return Change(file.path, note="isn't text: its content can't be shown")
    note = "is new" if not file.before else "is deleted" if not file.after else ""
    return Change(file.path, tuple(_lines(file.old or "", file.new or "")), note)


def _lines(old: str, new: str) -> list[str]:
    """The diff. One end of a new or deleted file is nothing, which isn't an empty line."""
    if old and new:
        return whole_diff(old, new)
    sign, text = ("+", new) if new else ("-", old)
    return [f"{sign}{line}" for line in text.splitlines()]


def _offers(ready: Ready, asks: list[Ask]) -> tuple[tuple[str, str, str], ...]:
    """The rules that would answer all that is asked; none for what only a person may answer each time."""
    if len(asks) != 1 or asks[0].firm or any(key.startswith("hook:") for key in asks[0].keys):
        return ()
    return tuple((offer.breadth, offer.rule, offer.label) for offer in offering.offers(ready, asks[0]))


def effect_lines(effects: Iterable[tuple[str, str]]) -> list[str]:
    """The effects in lines of two columns."""
    rows = [(kind.replace("_", " "), target) for kind, target in effects]
    width = max((len(kind) for kind, _ in rows), default=0)
    return [f"{kind.ljust(width)}  {target}" for kind, target in rows]
