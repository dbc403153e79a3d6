"""The history of a session: messages that every provider accepts, whatever happened."""

from __future__ import annotations

from collections.abc import Iterable

from ..core.types import EntryKind, Message, ModelReply, ToolCall, ToolResult
from ..core.wire import dumps, tool_error
from .session import Unkept

CANCELLED = tool_error("cancelled before it finished; whether it had an effect is unknown", cancelled=True)
# How a message begins that nobody said.
NEWS = "[background: "


class Conversation:
    """System prompt, user, assistant and tool messages in order. Each call always has one answer.

    It goes on where *session* ended, and tells it of every message but the system prompt, which is made anew.
    """

    def __init__(self, session: Unkept | None = None) -> None:
        self.session = session or Unkept()
        self.messages: list[Message] = list(self.session.history)
        self._open: dict[str, ToolCall] = {}

    def set_system(self, prompt: str) -> None:
        """Put *prompt* first, in place of an earlier one."""
        message = {"role": "system", "content": prompt}
        if self.messages and self.messages[0]["role"] == "system":
            self.messages[0] = message
        else:
            self.messages.insert(0, message)

    def say(self, text: str) -> None:
        """A message of the person's. Calls that were left unanswered are answered first."""
        self._say(text, "prompt")

    def nudge(self, text: str) -> None:
        """The same of ours, where a reply was of no use."""
        self._say(text, "nudge")

    def add_reply(self, reply: ModelReply) -> None:
        """The model's reply; its calls now wait for their results."""
        message: Message = {"role": "assistant", "content": reply.text}
        if reply.calls:
            message["tool_calls"] = [_call_message(call) for call in reply.calls]
        self.messages.append(message)
        self.expect(reply.calls)
        self.session.keep_message(message, "reply", reply.usage)

    def expect(self, calls: Iterable[ToolCall]) -> None:
        """These calls are to be answered next."""
        self._open = {call.id: call for call in calls}

    def add_result(self, result: ToolResult) -> None:
        """The result of a call."""
        self._open.pop(result.call.id, None)
        self.messages.append(result.message())
        self.session.keep_result(result, self.messages[-1])

    def leave_open(self, result: ToolResult) -> None:
        """A call gets its result later, from somebody else."""
        self._open.pop(result.call.id, None)

    def close_open_calls(self) -> None:
        """Answer every call that was cut short, so that the history stays valid."""
        known = self.session.tell_interrupted() if self._open else {}
        for call in self._open.values():
            content = known.get(call.id, CANCELLED)
            message = {"role": "tool", "tool_call_id": call.id, "name": call.name, "content": content}
            self.messages.append(message)
            self.session.keep_message(message, "mended")
        self._open = {}

    def _say(self, text: str, kind: EntryKind) -> None:
        self.close_open_calls()
        message = {"role": "user", "content": text}
        self.messages.append(message)
        self.session.keep_message(message, kind)


def _call_message(call: ToolCall) -> Message:
    arguments = call.arguments if isinstance(call.arguments, str) else dumps(call.arguments or {})
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}
