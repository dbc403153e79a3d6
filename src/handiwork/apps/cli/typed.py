"""What a person types while the agent works."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from ...agent.loop import Agent
from ...agent.task import Outcome
from .asking import is_attended
from .keyboard import keyboard
from .output import Output, printable

LEAVE = ("/quit", "/exit")


class Typed:
    """What is typed meanwhile: messages that the agent hears at its next step, or that the person leaves."""

    def __init__(self, agent: Agent, out: Output) -> None:
        self._agent, self._out = agent, out
        self._leaves = False

    async def meanwhile(self, turn: Coroutine[Any, Any, Outcome]) -> Outcome:
        """The turn, while the keyboard is listened to."""
        if not is_attended():
            return await turn
        with keyboard.listening(asyncio.get_running_loop(), self._hear):
            return await turn

    def next(self) -> str | None:
        """The next prompt, of what was typed already. What comes after it the agent hears in its turn."""
        messages = self._agent.unheard()
        if self._leaves or keyboard.has_left:
            for text in messages:
                self._out.note(printable(f"not sent: {text}"))
            return LEAVE[0]
        for text in messages[1:]:
            self._agent.say(text)
        if messages:
            self._out.note(printable(f"you> {messages[0]}"))
        return messages[0] if messages else None

    def _hear(self, line: str) -> None:
        text = line.strip()
        if text in LEAVE:
            self._leaves = True
        elif text:
            self._agent.say(text)
            self._out.note(printable(f"queued: {text}"))
