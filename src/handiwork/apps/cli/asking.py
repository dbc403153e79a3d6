"""Asking the person at the terminal: one line for one question, and nothing that was typed before it."""

from __future__ import annotations

import sys
from typing import Any

from ...core.types import Args, Handler, NeedsInput
from .keyboard import keyboard
from .output import Output, printable


def is_attended() -> bool:
    """Whether somebody can read a question and answer it."""
    return sys.stdin is not None and sys.stderr is not None and sys.stdin.isatty() and sys.stderr.isatty()


def read_line(question: str, seconds: float | None = None) -> str:
    """The line that a person types in answer to *question*, within *seconds* (None: no limit).

    Raises `EOFError` where none comes, `TimeoutError` where none comes in time.
    """
    return keyboard.ask(question, seconds)


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
