"""`handiwork chat`: one task after the other in one conversation."""

from __future__ import annotations

import asyncio
import sys
from argparse import Namespace
from collections.abc import Callable, Coroutine
from typing import Any

from ...agent.loop import Agent
from ...agent.session import Session
from ...agent.task import Outcome
from ...core.bridge import tools_bridge
from ...core.errors import HandiworkError, ModelUnavailableError, UsageError
from ...core.handler import describe_exception
from ...core.usage import usage_text
from ..house import House, default
from ..sessions import used_by
from .agent_flags import add_agent_flags
from .asking import is_attended
from .keyboard import keyboard
from .output import Output, printable
from .parsing import Parser
from .run import Interruptible, agent_at_work, document_of, exit_code_of, settle_session
from .server_prompts import expanded
from .signals import Stopped
from .typed import LEAVE, Typed
from .watching import Watching

INTERRUPTED = 130
_GO_ON = (0, INTERRUPTED)  # Ctrl-C stops a turn, not the talk; TERM and HUP end it

EXAMPLES = """\
examples:
  handiwork chat
  handiwork chat --model ollama/qwen3:8b --toolsets file,terminal
inside: /cost tells tokens and cost so far, /quit ends, Ctrl-C stops the running turn, Ctrl-D leaves;
        what you type while it works it hears at its next step; /mcp__SERVER__PROMPT a=b says a prompt of a server
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
        typed = Typed(agent, out)
        while work.exit_code in _GO_ON and (prompt := typed.next() or _read_prompt()) is not None:
            if prompt in LEAVE:
                break
            _look_for_changes(house, out)
            answer = _cost(house, agent, out) if prompt == "/cost" else _command(house, prompt)
            if answer is not None:
                (out.note if out.json else out.answer)(printable(answer))
                continue
            if (meant := _meant(house, prompt, out)) is None:
                continue
            document, code = _turn(runner.run, typed.meanwhile(work.run(agent, meant)), out)
            told.append(document)
    if out.json:
        out.document({"turns": told, "session": session.id or None})
    if work.exit_code not in _GO_ON:
        code = work.exit_code
    elif is_attended():
        code = 0
    return settle_session(session, code, out)


def _cost(house: House, agent: Agent, out: Output) -> str:
    """What this talk has taken, with what was before it was resumed."""
    session = agent.conversation.session
    if isinstance(session, Session) and session.info.number and not session.problem:
        return usage_text(used_by(house, session.info, out.note))
    return usage_text(agent.tally.total)


def _look_for_changes(house: House, out: Output) -> None:
    """Plugins that were edited since the last prompt are loaded anew."""
    for change in house.plugins.refresh():
        out.note(printable(f"↻ {change}"))


def _command(house: House, prompt: str) -> str | None:
    """The answer of a plugin's command; None where the prompt is none. What it raises is its answer."""
    name, _, rest = prompt[1:].partition(" ")
    command = house.ground.commands.get(name.lower()) if prompt.startswith("/") else None
    if command is None:
        return None
    try:
        said = command.handler(rest.strip())
        said = tools_bridge.run(said, label=command.name) if hasattr(said, "__await__") else said
    except Exception as error:  # noqa: BLE001 - somebody else's code: the talk goes on
        return f"/{name} of {command.plugin} failed: {describe_exception(error)}"
    return str(said if said is not None else "done")


def _meant(house: House, prompt: str, out: Output) -> str | None:
    """The prompt, or that of a server which it names; None where the server has no such one."""
    try:
        return expanded(house, prompt)
    except UsageError as error:
        out.tell(str(error), error.hint)
        return None


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
