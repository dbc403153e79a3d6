"""The history of a session: messages that every provider accepts, whatever happened."""

from __future__ import annotations

from collections.abc import Iterable

from ..core.types import Message, ModelReply, ToolCall, ToolResult
from ..core.wire import dumps, tool_error

CANCELLED = tool_error("cancelled before it finished; whether it had an effect is unknown", cancelled=True)
# How a message begins that nobody said.
NEWS = "[background: "


class Conversation:
    """System prompt, user, assistant and tool messages in order. Each call always has one answer."""

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        self.messages: list[Message] = list(messages)
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
        self.close_open_calls()
        self.messages.append({"role": "user", "content": text})

    def tell_news(self, lines: Iterable[str]) -> None:
        """What happened beside the talk: told with the person's message where that is the last one."""
        self.close_open_calls()
        text = "\n".join(f"{NEWS}{line}]" for line in lines)
        last = self.messages[-1] if self.messages else {"role": ""}
        if last["role"] == "user":
            self.messages[-1] = {**last, "content": f"{last['content']}\n\n{text}"}
        else:
            self.messages.append({"role": "user", "content": text})

    def add_reply(self, reply: ModelReply) -> None:
        """The model's reply; its calls now wait for their results."""
        message: Message = {"role": "assistant", "content": reply.text}
        if reply.calls:
            message["tool_calls"] = [_call_message(call) for call in reply.calls]
        self.messages.append(message)
        self._open = {call.id: call for call in reply.calls}

    def add_result(self, result: ToolResult) -> None:
        """The result of a call."""
        self._open.pop(result.call.id, None)
        self.messages.append(result.message())

    def close_open_calls(self) -> None:
        """Answer every call that was cut short, so that the history stays valid."""
        for call in self._open.values():
            self.messages.append({"role": "tool", "tool_call_id": call.id, "name": call.name, "content": CANCELLED})
        self._open = {}


def _call_message(call: ToolCall) -> Message:
    arguments = call.arguments if isinstance(call.arguments, str) else dumps(call.arguments or {})
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}
