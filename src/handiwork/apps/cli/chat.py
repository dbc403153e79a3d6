"""`handiwork chat`: one task after the other in one conversation."""

from __future__ import annotations

import asyncio
import sys
from argparse import Namespace
from collections.abc import Callable, Coroutine
from typing import Any

from ...agent.loop import Agent, Outcome
from ...core.errors import HandiworkError, ModelUnavailableError
from ..house import default
from .agent_flags import add_agent_flags
from .asking import is_attended
from .keyboard import keyboard
from .output import Output, printable
from .parsing import Parser
from .run import Interruptible, agent_at_work, document_of, exit_code_of, settle_session
from .signals import Stopped
from .watching import Watching

INTERRUPTED = 130
_LEAVE = ("/quit", "/exit")
_GO_ON = (0, INTERRUPTED)  # Ctrl-C stops a turn, not the talk; TERM and HUP end it

EXAMPLES = """\
examples:
  handiwork chat
  handiwork chat --model ollama/qwen3:8b --toolsets file,terminal
inside: /quit ends, Ctrl-C stops the running turn, Ctrl-D leaves; what you type while it works it hears at its next step
"""


def configure(parser: Parser) -> None:
    """Flags of `handiwork chat`."""
    parser.epilog = EXAMPLES
    add_agent_flags(parser)


def run(said: Namespace, out: Output) -> int:
    """Talk until the person leaves. Where nobody sits, the exit code tells how the last turn ended."""
    house = default()
    work = Interruptible(house)
    told: list[dict[str, Any]] = []
    code = 0
    with agent_at_work(house, said, out, Watching(out)) as agent, asyncio.Runner() as runner:
        session = agent.conversation.session
        if session.problem and is_attended():  # at the end may be too late to know
            out.note(f"this session will not be saved: {session.problem}")
        typed = _Typed(agent, out)
        while work.exit_code in _GO_ON and (prompt := typed.next() or _read_prompt()) is not None:
            if prompt in _LEAVE:
                break
            document, code = _turn(runner.run, typed.meanwhile(work.run(agent, prompt)), out)
            told.append(document)
    if out.json:
        out.document({"turns": told, "session": session.id or None})
    if work.exit_code not in _GO_ON:
        code = work.exit_code
    elif is_attended():
        code = 0
    return settle_session(session, code, out)


class _Typed:
    """What a person types while the agent works: messages that it hears at its next step, or that they leave."""

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
            return _LEAVE[0]
        for text in messages[1:]:
            self._agent.say(text)
        if messages:
            self._out.note(printable(f"you> {messages[0]}"))
        return messages[0] if messages else None

    def _hear(self, line: str) -> None:
        text = line.strip()
        if text in _LEAVE:
            self._leaves = True
        elif text:
            self._agent.say(text)
            self._out.note(printable(f"queued: {text}"))


def _turn(wait: Callable[..., Outcome], turn: Coroutine[Any, Any, Outcome], out: Output) -> tuple[dict[str, Any], int]:
    """One turn: its document and its exit code. A model that fails ends the turn, not the talk."""
    try:
        outcome = wait(turn)
    except ModelUnavailableError:
        raise
    except HandiworkError as error:
        out.tell(str(error), error.hint)
        return {"error": str(error), "hint": error.hint or None, "exit_code": error.exit_code}, error.exit_code
    if not out.json:
        out.answer(outcome.answer or f"(ended: {outcome.reason})")
    return document_of(outcome), exit_code_of(outcome)


def _read_prompt() -> str | None:
    """The next message; None when the person leaves."""
    while True:
        try:
            line = _next_line().strip()
        except (EOFError, KeyboardInterrupt) as end:
            if isinstance(end, Stopped) and end.code != INTERRUPTED:
                raise
            return None
        if line:
            return line


def _next_line() -> str:
    if is_attended():
        return keyboard.prompt("you> ")
    line = sys.stdin.readline() if sys.stdin is not None else ""
    if not line:
        raise EOFError
    return line
