"""Asking the person at the terminal: one line for one question, and nothing that was typed before it."""

from __future__ import annotations

import os
import select
import sys
import termios
import time
from typing import Any

from ...core.types import Args, Handler, NeedsInput
from .output import Output, printable

_MOST_BYTES = 4096


def is_attended() -> bool:
    """Whether somebody can read a question and answer it."""
    return sys.stdin is not None and sys.stderr is not None and sys.stdin.isatty() and sys.stderr.isatty()


def read_line(question: str, seconds: float | None = None) -> str:
    """The line that a person types in answer to *question*, within *seconds* (None: no limit).

    Raises `EOFError` at the end of input, also that of a terminal that is gone, and `TimeoutError`.

    The question goes to standard error: standard output is for results. The descriptor is read
    directly, since a thread that waits in `input()` holds a lock that ends the process badly.
    """
    print(question, end="", file=sys.stderr, flush=True)
    until = None if seconds is None else time.monotonic() + seconds
    line = b""
    while not line.endswith(b"\n"):
        part = _read_part(until)
        if not part:
            break
        line += part
    if not line:
        raise EOFError
    return line.decode("utf-8", "replace").rstrip("\r\n")


def _read_part(until: float | None) -> bytes:
    handle = sys.stdin.fileno()
    if until is not None and not select.select([handle], [], [], max(0.0, until - time.monotonic()))[0]:
        raise TimeoutError
    try:
        return os.read(handle, _MOST_BYTES)
    except OSError as error:  # the terminal was hung up
        raise EOFError from error


def forget_typed() -> None:
    """Throw away what was typed before a question was there to be answered."""
    try:
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
    except termios.error as error:  # the terminal was hung up
        raise EOFError from error


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
