"""Asking the person at the terminal. Enter, end of input and anything unclear mean no."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable
from typing import Any

from ...core.types import Answer, Approver, Args, Ask, Handler, NeedsInput, Ready
from ...core.wire import dumps
from ...guard.approval import Approvals, allow_all, deny_all
from .keyboard import keyboard
from .output import Output, printable

_MOST_ARGS = 600


def approver_of(said: Namespace, out: Output) -> Approver | None:
    """Who says yes: everybody with --yes, nobody with --deny or without a terminal, else the person."""
    if said.yes:
        return allow_all
    if said.deny:
        return deny_all
    return TerminalApprover(out) if is_attended() else None


def is_attended() -> bool:
    """Whether somebody can read a question and answer it."""
    return sys.stdin is not None and sys.stderr is not None and sys.stdin.isatty() and sys.stderr.isatty()


def read_line(question: str) -> str:
    """The line that a person types in answer to *question*. Raises `EOFError` where none comes."""
    return keyboard.ask(question)


class TerminalApprover:
    """Shows what would run and why it asks, and takes an answer by key. Remembers yes for the session."""

    def __init__(self, out: Output, read: Callable[[str], str] = read_line) -> None:
        self._out, self._read = out, read
        self._approvals = Approvals()

    def __call__(self, ready: Ready, ask: Ask, /) -> Answer:
        if self._approvals.covers(ask):
            return Answer(True, "session")
        self._out.note(printable(f"\n{ready.entry.name} {_short(dumps(ready.args))}"))
        self._out.note(printable(f"  in {ready.call.scope.cwd}\n  asks because: {ask.reason}"))
        session = f"[2] yes, this session: {', '.join(ask.keys)}   " if ask.keys else ""
        self._out.note(printable(f"  [1] yes, once   {session}[3] no, and say why"))
        answer = self._answer()
        self._approvals.remember(ask, answer)
        return answer

    def _answer(self) -> Answer:
        try:
            said = self._read("  Allow? (Enter = no) ").strip().lower()
            note = self._read("  What should it do instead? ").strip() if said == "3" else ""
        except EOFError:
            return Answer(False)
        return Answer(said in ("1", "2", "y", "yes"), "session" if said == "2" else "once", note)


def _short(text: str) -> str:
    """Both ends of a long text: what is hidden in its middle is said to be there."""
    if len(text) <= _MOST_ARGS:
        return text
    half = _MOST_ARGS // 2
    return f"{text[:half]} ... [{len(text) - 2 * half} characters not shown] ... {text[-half:]}"


def clarifier_of(out: Output) -> Handler | None:
    """The handler of `clarify`, where there is a person to ask."""
    if not is_attended():
        return None

    def clarify(args: Args, /, **_: Any) -> dict[str, str]:
        choices = args.get("choices") or []
        out.note(printable(f"\n{args['question']}"))
        for number, choice in enumerate(choices, 1):
            out.note(printable(f"  [{number}] {choice}"))
        said = _said()
        if said.isdigit() and 1 <= int(said) <= len(choices):
            said = choices[int(said) - 1]
        return {"answer": said} if said else {"error": "the person gave no answer; decide yourself and say so"}

    return clarify


def ask_later(args: Args, /, **_: Any) -> NeedsInput:
    """The handler of `clarify` where the person answers another time."""
    choices = args.get("choices") or []
    told = f" ({', '.join(choices)})" if choices else ""
    return NeedsInput(f"{args['question']}{told}", {"type": "string"})


def _said() -> str:
    try:
        return read_line("  > ").strip()
    except EOFError:
        return ""
