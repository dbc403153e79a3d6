"""`handiwork run`: a task, done by an agent."""

from __future__ import annotations

import asyncio
import math
import os
import shlex
import signal
import sys
import time
from argparse import Namespace
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

from ...agent.loop import Agent
from ...agent.session import Unkept
from ...agent.spending import Budget
from ...agent.task import Denial, Outcome
from ...core.cancel import CancelToken
from ...core.errors import UsageError
from ...core.loading import Late
from ...core.types import SessionInfo
from ...core.usage import usage_document, usage_text
from ...guard.workspace import find_workspace
from ..agents import Face, build_agent, choose_model, model_string
from ..house import House, default
from ..rule_keeping import RuleKeeper
from ..sessions import close_sessions, find_session, open_session
from ..tracing import traced
from .agent_flags import add_agent_flags, add_waiting
from .approving import approver_of
from .asking import ask_later, clarifier_of
from .output import Output, printable
from .parsing import Parser
from .selection import folder_of, selection_of
from .signals import CODES, watched
from .watching import Watching

EXAMPLES = """\
examples:
  handiwork run "How many lines of Python are in src?"
  handiwork run "Fix the typo in README.md" --toolsets file --yes
  git diff | handiwork run "Review this" --json
  handiwork run "Say hello" --model scripted:replies.json
"""
asked = Late("handiwork.agent.asked")
redact = Late("handiwork.guard.redaction")
_NOT_SAVED = 7
_LIMITS = ("max_steps", "max_seconds", "max_tokens", "max_cost")
_EXIT = {"answered": 0, "denied": 5, "limit": 4, "stuck": 1}


def configure(parser: Parser) -> None:
    """Flags of `handiwork run`."""
    parser.epilog = EXAMPLES
    parser.add_argument("prompt", help='the task; "-" reads it from standard input')
    add_agent_flags(parser)
    add_waiting(parser)


def run(said: Namespace, out: Output) -> int:
    """Do the task; the exit code says how it ended."""
    house = default()
    if not said.prompt.strip():
        raise UsageError("the task is empty", 'handiwork run "what to do"')
    watching = Watching(out)
    work = Interruptible(house)
    with agent_at_work(house, said, out, watching) as agent:  # what is wrong with it is told before anything is read
        prompt = _prompt(said.prompt)
        outcome = asyncio.run(work.run(agent, prompt))
        watching.end()
        _report(outcome, agent.conversation.session, out)
        return settle_session(agent.conversation.session, work.exit_code or exit_code_of(outcome), out)


@contextmanager
def agent_at_work(house: House, said: Namespace, out: Output, watching: Watching) -> Iterator[Agent]:
    """The agent that the flags describe; afterwards others may go on with its session."""
    try:
        with traced(house, out.note), closing(_open_agent(house, said, out, watching)) as agent:
            yield agent
    finally:
        close_sessions(house)


def _open_agent(house: House, said: Namespace, out: Output, watching: Watching) -> Agent:
    """One that resumes a session goes on as that was begun."""
    past = find_session(house, said.resume, out.note) if said.resume else None
    if past:
        said = _gone_on(said, past)
    if said.sandbox:
        house.move_commands(said.sandbox)
    if said.profile:
        house.use_profile(said.profile)
    if house.plugins.waiting:
        out.note("this project's plugins aren't run before you trust them: handiwork plugins trust")
    cwd = folder_of(said)
    if house.rules and (ignored := house.rules.ignored(find_workspace(cwd or os.getcwd()))):
        out.note(f"not trusted, so ignored: allow {', '.join(ignored)} (handiwork policy trust)")
    enabled, disabled = selection_of(house, said)
    approver = approver_of(said, out, seconds=house.config.approval_seconds, keeper=RuleKeeper(house))
    waits = getattr(said, "wait", False)
    face = Face("cli", enabled, disabled, approver, clarifier_of(out) or (ask_later if waits else None), watching)
    model = choose_model(house, said.model)
    about = past or SessionInfo(
        id="",
        model=model_string(house, said.model),
        cwd=os.path.abspath(cwd or ""),
        platform="cli",
        toolsets=said.toolsets or "",
        disabled=said.disable or "",
        started=time.time_ns() // 1_000_000,
    )
    budget = _budget(house, said)
    session = Unkept() if said.no_save else open_session(house, about, out.note, waits=waits and approver is None)
    return build_agent(house, model, face, cwd=cwd, budget=budget, session=session)


def settle_session(session: Unkept, code: int, out: Output) -> int:
    """Let go of a session; the exit code, which says where an answer was given that isn't saved."""
    session.close()
    if session.problem:
        out.note(f"this session is not saved: {session.problem} (--no-save says that you know)")
    return _NOT_SAVED if session.problem and code == 0 else code


def exit_code_of(outcome: Outcome) -> int:
    """The exit code that says how a task ended."""
    return _EXIT.get(outcome.ending, 1)


def _gone_on(said: Namespace, past: SessionInfo) -> Namespace:
    """The flags, with what a session was begun with where they say nothing."""
    kept = {"model": past.model, "cwd": past.cwd, "toolsets": past.toolsets, "disable": past.disabled}
    return Namespace(**{**vars(said), **{flag: getattr(said, flag) or value or None for flag, value in kept.items()}})


def _budget(house: House, said: Namespace) -> Budget:
    for flag in _LIMITS:
        value = getattr(said, flag)
        if value is not None and not 0 < value < math.inf:
            raise UsageError(f"--{flag.replace('_', '-')} must be a number more than 0, got {value:g}")
    config, bounds = house.config, house.inside.budgets
    return Budget(**{key: _least(getattr(said, key) or getattr(config, key), bounds.get(key)) for key in _LIMITS})


def _least(*amounts: Any) -> Any:
    """The smallest of what is said; None where nothing is."""
    return min((amount for amount in amounts if amount is not None), default=None)


def _prompt(words: str) -> str:
    """The task, with what was piped in after it."""
    piped = _piped(even_from_terminal=words == "-")
    prompt = piped if words == "-" else words
    if not prompt.strip():
        raise UsageError("the task is empty", "nothing came on standard input")
    return f"{prompt}\n\n<stdin>\n{piped}\n</stdin>" if piped.strip() and words != "-" else prompt


def _piped(*, even_from_terminal: bool) -> str:
    if sys.stdin is None or (sys.stdin.isatty() and not even_from_terminal):
        return ""
    return sys.stdin.read()


class Interruptible:
    """Runs an agent under signals: the first ends the turn and keeps the history, a second one quits."""

    def __init__(self, house: House) -> None:
        self._house = house
        self.exit_code = 0
        self._cancel = CancelToken()

    async def run(self, agent: Agent, prompt: str) -> Outcome:
        """One task; `exit_code` is set when a signal ended it."""
        self.exit_code, self._cancel = 0, CancelToken()
        with self._listening():
            return await agent.run(prompt, cancel=self._cancel)

    @contextmanager
    def _listening(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        before = {number: signal.getsignal(number) for number in watched()}
        for number in before:
            loop.add_signal_handler(number, self._heard, CODES[number])
        try:
            yield
        finally:
            for number, handler in before.items():
                loop.remove_signal_handler(number)
                signal.signal(number, handler)

    def _heard(self, code: int) -> None:
        if self.exit_code:
            self._house.close()
            os._exit(code)  # asked twice: whatever still holds on is not waited for
        self.exit_code = code
        self._cancel.cancel()


def _report(outcome: Outcome, session: Unkept, out: Output) -> None:
    if out.json:
        out.document({**document_of(outcome), "session": session.id or None})
        return
    if outcome.answer:
        out.answer(outcome.answer)
    if outcome.ending != "answered":
        out.note(printable(f"ended: {outcome.ending}: {outcome.reason}"))
        _tell_ways(outcome, out)
        if session.id:
            verb = "sessions pending" if outcome.ending == "waiting" else f"sessions resume {session.id}"
            out.note(f"go on with: handiwork {verb}")
    if outcome.usage.tokens:
        out.note(usage_text(outcome.usage))


def _tell_ways(outcome: Outcome, out: Output) -> None:
    """How to allow what was denied, a line for each call."""
    denials = outcome.denials if outcome.ending == "denied" else ()
    for way in dict.fromkeys(ways[0] for denial in denials if (ways := _ways_to_allow(denial))):
        out.note(printable(f"to allow it: {way}   (or once: --yes)"))


def document_of(outcome: Outcome) -> dict[str, Any]:
    """Everything about a task that was done, for scripts."""
    return {
        "result": outcome.answer or None,
        "ending": outcome.ending,
        "reason": outcome.reason or None,
        "steps": outcome.steps,
        "usage": usage_document(outcome.usage),
        "calls": [
            {
                "name": r.call.name,
                "arguments": r.call.arguments,
                "status": r.status,
                "duration_ms": round(r.duration_ms, 1),
                "content": r.content,
            }
            for r in outcome.results
        ],
        "permission_denials": [*map(_denial_document, outcome.denials)],
    }


def _denial_document(denial: Denial) -> dict[str, Any]:
    """A call that was denied, why, and what would allow it."""
    call = denial.ready.call
    return {
        "name": call.name,
        "arguments": call.arguments,
        "reason": redact.redact(denial.reason),
        "by": denial.by,
        "allow_with": _ways_to_allow(denial),
    }


def _ways_to_allow(denial: Denial) -> list[str]:
    """The commands of ours that would have let a call run, the narrowest first; none for what can't be allowed."""
    if denial.by != "approval" or not denial.ready.asks:
        return []
    offers = asked.asked_of(denial.ready, denial.ready.asks).offers
    return [f"handiwork policy add allow {shlex.quote(rule)}" for _, rule, _ in offers]
