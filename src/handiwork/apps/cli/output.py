"""What a command prints: text for people, or one JSON document; everything else on standard error."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

from ...core.loading import Late
from ...core.wire import dumps

redact = Late("handiwork.guard.redaction")
_COLOURS = {"green": "32", "red": "31", "yellow": "33", "dim": "2", "bold": "1", "cyan": "36"}


class Output:
    """Standard output and standard error of one command. *json* gives documents instead of text.

    It keeps standard output for itself: what tools and plugins print goes elsewhere.
    """

    def __init__(self, *, json: bool = False) -> None:
        self.json = json
        self.stream = sys.stdout

    def text(self, text: str) -> None:
        """A line or more for people."""
        self._write(text)

    def document(self, value: Any) -> None:
        """One JSON document, in ASCII where the stream can't hold more."""
        text = dumps(value)
        wide = (getattr(self.stream, "encoding", None) or "utf-8").lower().startswith("utf")
        self._write(text if wide else json.dumps(json.loads(text)))

    def show(self, document: Any, lines: Iterable[str]) -> None:
        """The document, or the lines that say the same to people."""
        if self.json:
            self.document(document)
        else:
            for line in lines:
                self._write(line)

    def note(self, text: str) -> None:
        """Something said beside the result."""
        if sys.stderr is not None:
            print(text, file=sys.stderr)

    def fail(self, message: str, hint: str, code: int) -> None:
        """An error: what happened and what to do next. A server may quote a key in what it says: it is masked."""
        message = redact.redact(message)
        if self.json:
            self.document({"error": message, "hint": hint or None, "exit_code": code})
        self.tell(message, hint)

    def tell(self, message: str, hint: str) -> None:
        """An error that doesn't end the command."""
        self.note(printable(f"error: {redact.redact(message)}" + (f"\n  {hint}" if hint else "")))

    def answer(self, text: str) -> None:
        """What a model or a tool said: as it is for a program, without control characters for a terminal."""
        self.text(printable(text) if self.stream is not None and self.stream.isatty() else text)

    def _write(self, text: str) -> None:
        if self.stream is not None:  # closed before we started: to `print`, no stream is standard output
            print(text, file=self.stream)

    def flush(self) -> None:
        """Write what is still in the stream's buffer."""
        if self.stream is not None:
            self.stream.flush()

    def paint(self, text: str, colour: str, stream: TextIO | None = None) -> str:
        """*text* in a colour, where that can be seen and is wanted."""
        return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m" if shows_colour(stream or self.stream) else text


def shows_colour(stream: TextIO) -> bool:
    """True for a terminal, unless NO_COLOR or TERM=dumb say otherwise."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return stream is not None and stream.isatty() and not plain


def printable(text: str) -> str:
    """*text* without the power to move a cursor, colour, reorder or hide: such characters are shown by number."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else f"\\u{ord(c):04x}" for c in text)


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows as aligned lines; the last column is left as long as it is."""
    if not rows:
        return []
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]) - 1)]
    return ["  ".join([*(c.ljust(w) for c, w in zip(row, widths, strict=False)), row[-1]]).rstrip() for row in rows]
