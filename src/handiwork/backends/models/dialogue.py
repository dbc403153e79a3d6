"""A conversation as a local model reads it: plain turns, with calls and results written out as text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from handiwork.core.types import Message, ModelRequest

from .constrained import answer_text, call_text, instructions
from .history import valid_history
from .profile import Profile

_SAME_AGAIN = "You made this same call before and its result doesn't change. Take another step."
_REMINDER = "The task: {task}\nDo only the next part that is still missing, or answer when every part is done."


@dataclass(frozen=True, slots=True)
class Dialogue:
    """The turns to send. `repeated` names the tool whose last call was one made before ("" for none)."""

    messages: list[Message]
    repeated: str = ""


def plain_dialogue(request: ModelRequest) -> Dialogue:
    """The conversation for a reply without tools."""
    kept = [_without_calls(message) for message in valid_history(request.messages)]
    return Dialogue([message for message in kept if message["content"]])


def _without_calls(message: Message) -> Message:
    role = "user" if message["role"] == "tool" else message["role"]
    return {"role": role, "content": message["content"]}


def tool_dialogue(request: ModelRequest, profile: Profile) -> Dialogue:
    """The conversation for a reply in the constrained form.

    Every past turn is written the same way each time, so that what the model has read is not read again.
    """
    telling = _Telling(profile)
    system = [instructions(request.tools, profile)]
    for message in valid_history(request.messages):
        if message["role"] == "system":
            system.insert(-1, message["content"])
        else:
            telling.tell(message)
    head = {"role": "system", "content": "\n\n".join(filter(None, system))}
    return Dialogue([head, *telling.turns], telling.repeated)


@dataclass(slots=True)
class _Telling:
    """Writes a conversation down turn by turn, remembering the task and the calls since it was given."""

    profile: Profile
    turns: list[Message] = field(default_factory=list)
    repeated: str = ""
    _task: str = ""
    _open: dict[str, dict[str, Any]] = field(default_factory=dict)
    _thought: str = ""
    _made: set[str] = field(default_factory=set)

    def tell(self, message: Message) -> None:
        if message["role"] == "user":
            self._begin(message["content"])
        elif message["role"] == "tool":
            self._tell_call(self._open.pop(message["tool_call_id"]), message["content"])
        elif message.get("tool_calls"):
            self._open = {call["id"]: call["function"] for call in message["tool_calls"]}
            self._thought = message["content"] or ""
        else:
            self.turns.append({"role": "assistant", "content": answer_text(message["content"], self.profile)})

    def _begin(self, task: str) -> None:
        self._task, self.repeated = task, ""
        self._made.clear()
        self.turns.append({"role": "user", "content": task})

    def _tell_call(self, function: dict[str, Any], result: str) -> None:
        """A call is written down with its result: one turn of each, also where several were made at once."""
        name, arguments = function["name"], function["arguments"]
        said = call_text(name, arguments, self._thought, self.profile)
        key = name + arguments
        self.repeated = name if key in self._made else ""
        self._made.add(key)
        self.turns.append({"role": "assistant", "content": said})
        self.turns.append({"role": "user", "content": "\n\n".join(self._result_parts(name, result))})

    def _result_parts(self, name: str, result: str) -> Iterator[str]:
        yield f"Result of {name}: {result}"
        if self.repeated:
            yield _SAME_AGAIN
        if self.profile.remind and self._task:
            yield _REMINDER.format(task=self._task[: self.profile.remind_chars])
