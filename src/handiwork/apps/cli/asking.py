"""Asking the person at the terminal. Enter, end of input and anything unclear mean no."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable
from typing import Any

from ...core.types import Answer, Approver, Args, Ask, Handler, Ready
from ...core.wire import dumps
from ...guard.approval import allow_all, deny_all
from .output import Output

_MOST_ARGS = 600


def approver_of(said: Namespace, out: Output) -> Approver | None:
    """Who says yes: everybody with --yes, nobody with --deny or without a terminal, else the person."""
    if said.yes:
        return allow_all
    if said.deny:
        return deny_all
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    return TerminalApprover(out)


class TerminalApprover:
    """Shows what would run and why it asks, and takes an answer by key. Remembers yes for the session."""

    def __init__(self, out: Output, read: Callable[[str], str] = input) -> None:
        self._out, self._read = out, read
        self._allowed: set[str] = set()

    def __call__(self, ready: Ready, ask: Ask, /) -> Answer:
        if ask.keys and self._allowed.issuperset(ask.keys):
            return Answer(True, "session")
        self._out.note(f"\n{ready.entry.name} {dumps(ready.args)[:_MOST_ARGS]}")
        self._out.note(f"  in {ready.call.scope.cwd}\n  asks because: {ask.reason}")
        self._out.note(
            f"  [1] yes, once   [2] yes, this session: {', '.join(ask.keys) or 'this call'}   [3] no, and say why"
        )
        return self._answer(ask)

    def _answer(self, ask: Ask) -> Answer:
        try:
            said = self._read("  Allow? (Enter = no) ").strip().lower()
            note = self._read("  What should it do instead? ").strip() if said == "3" else ""
        except EOFError:
            return Answer(False)
        if said == "2":
            self._allowed.update(ask.keys)
            return Answer(True, "session")
        return Answer(said in ("1", "y", "yes"), note=note)


def clarifier_of(out: Output) -> Handler | None:
    """The handler of `clarify`, where there is a person to ask."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None

    def clarify(args: Args, /, **_: Any) -> dict[str, str]:
        choices = args.get("choices") or []
        out.note(f"\n{args['question']}")
        for number, choice in enumerate(choices, 1):
            out.note(f"  [{number}] {choice}")
        said = input("  > ").strip()
        if said.isdigit() and 1 <= int(said) <= len(choices):
            said = choices[int(said) - 1]
        return {"answer": said}

    return clarify
