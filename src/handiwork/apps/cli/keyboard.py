"""The person's keyboard: who reads it, and what becomes of a line that was typed before anybody asked.

What was typed before a question was shown is no answer to it. While an agent works such lines are messages to it; a
line that was only begun is kept, shown again, and goes on with what is typed next.
"""

from __future__ import annotations

import os
import select
import sys
import termios
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

_MOST_BYTES = 4096
_EOF = "\x00"  # how the key that ends input reads, where lines aren't put together


class _Listening:
    """Somebody hears what is typed. When that is over, whoever still asks gets no answer."""

    def __init__(self, hear: Callable[[str], object]) -> None:
        self.hear = hear
        self.over, self._end = os.pipe()

    def stop(self) -> None:
        os.write(self._end, b".")

    def close(self) -> None:
        os.close(self.over)
        os.close(self._end)


class Keyboard:
    """Standard input as a terminal. `has_left` is whether the person ended the input while nobody asked."""

    def __init__(self) -> None:
        self._reading = threading.Lock()
        self._listening: _Listening | None = None
        self._draft = ""
        self.has_left = False

    def ask(self, question: str, seconds: float | None = None) -> str:
        """The line that a person types in answer to *question*, within *seconds* (None: no limit).

        Raises `EOFError` where none comes, also from a terminal that is gone, and `TimeoutError`.

        The question goes to standard error: standard output is for results. The descriptor is read
        directly, since a thread that waits in `input()` holds a lock that ends the process badly.
        """
        listening = self._listening
        with self._reading:
            if listening is not self._listening:  # its turn ended while it waited for the keyboard
                raise EOFError
            self._set_aside(listening)
            print(question, end="", file=sys.stderr, flush=True)
            line = _line(listening, None if seconds is None else time.monotonic() + seconds)
            if self._draft:
                print(self._draft, end="", file=sys.stderr, flush=True)
        return line

    def prompt(self, question: str) -> str:
        """The next line for the one who reads on: also one that was typed ahead. Raises `EOFError` at the end."""
        with self._reading:
            draft, self._draft = self._draft, ""
            print(f"{question}{draft}", end="", file=sys.stderr, flush=True)
            return draft + _line(None)

    @contextmanager
    def listening(self, loop: AbstractEventLoop, hear: Callable[[str], object]) -> Iterator[None]:
        """Within, *hear* is told, on *loop*, of each line that answers no question."""
        listening = self._listening = _Listening(hear)
        descriptor = sys.stdin.fileno()
        loop.add_reader(descriptor, self._take, loop, listening)
        try:
            yield
        finally:
            loop.remove_reader(descriptor)
            self._listening = None
            listening.stop()
            with self._reading:  # whoever asks has gone
                listening.close()

    def _take(self, loop: AbstractEventLoop, listening: _Listening) -> None:
        """A line may be there, for us if nobody asks."""
        if not self._reading.acquire(blocking=False):
            return
        try:
            text = _read() if select.select([sys.stdin.fileno()], [], [], 0)[0] else None
        finally:
            self._reading.release()
        if text == "":
            loop.remove_reader(sys.stdin.fileno())
            self.has_left = True
        elif text is not None:
            self._tell(listening, text)

    def _tell(self, listening: _Listening | None, text: str) -> None:
        """Hand on whole lines; the rest is a draft."""
        *lines, self._draft = (self._draft + text).split("\n")
        for line in lines:
            if listening:
                listening.hear(line)
            elif line.strip():
                print(f"(typed before the question, so no answer to it: {line!r})", file=sys.stderr)

    def _set_aside(self, listening: _Listening | None) -> None:
        if typed := _typed_ahead():
            self._tell(listening, typed.replace(_EOF, ""))
        if self._draft and not listening:  # nobody will read on
            self._tell(None, "\n")


keyboard = Keyboard()


def _line(listening: _Listening | None, until: float | None = None) -> str:
    """The next line, without its end, before the time *until*."""
    watched = [sys.stdin.fileno(), *([listening.over] if listening else [])]
    line = ""
    while not line.endswith("\n"):
        ready = select.select(watched, [], [], None if until is None else max(0.0, until - time.monotonic()))[0]
        if not ready:
            raise TimeoutError
        if listening and listening.over in ready:
            raise EOFError
        part = _read()
        if not part:
            break
        line += part
    if not line:
        raise EOFError
    return line.rstrip("\r\n")


def _read() -> str:
    """What there is; nothing at the end of input, which is also when the terminal was hung up."""
    try:
        return os.read(sys.stdin.fileno(), _MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


def _typed_ahead() -> str:
    """All that was typed and not read, also of a line that isn't ended: the terminal gives that only key by key."""
    descriptor = sys.stdin.fileno()
    if not os.isatty(descriptor):
        return ""
    before = termios.tcgetattr(descriptor)
    keys: list[Any] = [*before[:6], [*before[6]]]
    keys[3] &= ~termios.ICANON
    keys[6][termios.VMIN] = keys[6][termios.VTIME] = 0
    termios.tcsetattr(descriptor, termios.TCSANOW, keys)
    typed = b""
    try:
        with suppress(BlockingIOError):
            while part := os.read(descriptor, _MOST_BYTES):
                typed += part
    finally:
        termios.tcsetattr(descriptor, termios.TCSANOW, before)
    return typed.decode("utf-8", "replace")
