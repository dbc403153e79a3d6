"""A conversation read back from what was stored of it, in the form that every provider accepts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..core.types import Entry, Message
from ..core.wire import tool_error

_GAP = "[A part of this conversation was lost here by damage to its store.]"
_LOST = tool_error("the result of this call was lost by damage to the store; whether it had an effect is unknown")
_INNER = frozenset({"intent", "outcome", "decision", "resumed", "ended", "question", "answer", "kept"})


@dataclass(frozen=True, slots=True)
class Unanswered:
    """A call without an answer, and what was noted after the reply in which it stands."""

    id: str
    name: str
    notes: tuple[Entry, ...]

    def answer(self, content: str) -> Message:
        """The tool message that answers it."""
        return {"role": "tool", "tool_call_id": self.id, "name": self.name, "content": content}


@dataclass(slots=True)
class History:
    """The messages so far, and the calls of the last reply that still wait for an answer."""

    messages: list[Message] = field(default_factory=list)
    unanswered: list[Unanswered] = field(default_factory=list)
    _reply: Message | None = None
    _answers: dict[str, Message] = field(default_factory=dict)
    _after: list[Message] = field(default_factory=list)
    _notes: list[Entry] = field(default_factory=list)

    def add(self, entry: Entry) -> None:
        """Take in the next entry."""
        message: Message | None = entry.body.get("message")
        if message is None:
            self._note(entry)
        elif message["role"] == "tool":
            self._answer(message)
        else:
            self.close()
            if message.get("tool_calls"):
                self._reply = message
            else:
                self.messages.append(message)

    def close(self, *, last: bool = False) -> None:
        """A reply with its answers, in the order of its calls; one that is missing is said to be lost.

        In the *last* reply it isn't lost but still to come: `unanswered` names it.
        """
        for call in self._calls():
            if call["id"] not in self._answers:
                missing = Unanswered(call["id"], call["function"]["name"], tuple(self._notes))
                self._answers[missing.id] = missing.answer(_LOST)
                self.unanswered += [missing] if last else []
        if self._reply is not None:
            waiting = {missing.id for missing in self.unanswered}
            answers = [self._answers[c["id"]] for c in self._calls() if c["id"] not in waiting]
            self.messages += [self._reply, *answers]
        self.messages += self._after
        self._reply, self._answers, self._after, self._notes = None, {}, [], []

    def _calls(self) -> Sequence[dict[str, Any]]:
        calls: Sequence[dict[str, Any]] = (self._reply or {}).get("tool_calls", ())
        return calls

    def _answer(self, message: Message) -> None:
        answered = message["tool_call_id"]
        if any(call["id"] == answered for call in self._calls()):
            self._answers.setdefault(answered, message)
        else:  # its call was lost
            self._after.append({"role": "user", "content": f"Result of {message.get('name')}: {message['content']}"})

    def _note(self, entry: Entry) -> None:
        self._notes.append(entry)
        if entry.kind == "lost" and entry.body.get("was") not in _INNER:
            self._after.append({"role": "user", "content": _GAP})


def history_of(entries: Iterable[Entry]) -> History:
    """The messages of a session. Where its last reply has `unanswered` calls, their answers are to be added."""
    history = History()
    for entry in entries:
        history.add(entry)
    history.close(last=True)
    return history


def last_settled(entries: Iterable[Entry]) -> int:
    """The number of the last entry before a reply whose calls are still being run; of the last one, where none is."""
    entries = list(entries)
    if not history_of(entries).unanswered:
        return entries[-1].seq
    return max(e.seq for e in entries if e.kind == "reply") - 1
