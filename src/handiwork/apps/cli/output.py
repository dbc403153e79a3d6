"""What a command prints: text for people, or one JSON document; everything else on standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

from ...core.wire import dumps

_COLOURS = {"green": "32", "red": "31", "yellow": "33", "dim": "2", "bold": "1", "cyan": "36"}


class Output:
    """Standard output and standard error of one command. *json* gives documents instead of text."""

    def __init__(self, *, json: bool = False) -> None:
        self.json = json

    def text(self, text: str) -> None:
        """A line or more for people."""
        print(text)

    def document(self, value: Any) -> None:
        """One JSON document."""
        print(dumps(value))

    def show(self, document: Any, lines: Iterable[str]) -> None:
        """The document, or the lines that say the same to people."""
        if self.json:
            self.document(document)
        else:
            for line in lines:
                print(line)

    def note(self, text: str) -> None:
        """Something said beside the result."""
        print(text, file=sys.stderr)

    def fail(self, message: str, hint: str, code: int) -> None:
        """An error: what happened and what to do next."""
        if self.json:
            self.document({"error": message, "hint": hint or None, "exit_code": code})
        self.note(f"error: {message}" + (f"\n  {hint}" if hint else ""))

    def paint(self, text: str, colour: str, stream: TextIO | None = None) -> str:
        """*text* in a colour, where that can be seen and is wanted."""
        return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m" if shows_colour(stream or sys.stdout) else text


def shows_colour(stream: TextIO) -> bool:
    """True for a terminal, unless NO_COLOR or TERM=dumb say otherwise."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows as aligned lines; the last column is left as long as it is."""
    if not rows:
        return []
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]) - 1)]
    return ["  ".join([*(c.ljust(w) for c, w in zip(row, widths, strict=False)), row[-1]]).rstrip() for row in rows]
