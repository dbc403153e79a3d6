"""A window of a text file: some lines, in constant memory, and where to read on."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from ...core.errors import UsageError
from .text import Survey, open_regular, survey

_SKIP_CHARS = 1 << 16


@dataclass(frozen=True, slots=True)
class Place:
    """A position in a text. Both count from 1; `column` is in characters."""

    line: int
    column: int = 1


@dataclass(frozen=True, slots=True)
class Window:
    """Text from `first` on with its line ends made plain newlines; `next` is None at the end of the file."""

    text: str
    first: Place
    last_line: int
    next: Place | None
    file: Survey


def read_window(path: Path, start: Place, *, max_lines: int, max_chars: int) -> Window:
    """Up to *max_lines* lines and about *max_chars* characters from *start*.

    A line is divided only where it alone is longer than *max_chars*. A negative line counts from the
    end. Raises `UsageError` for a start behind the end and for what isn't text.
    """
    with open_regular(path) as file:
        seen = survey(file, path)
        start = _from_the_start(start, seen)
        return _read(_text_at(file, seen, start, path), start, seen, max_lines=max_lines, max_chars=max_chars)


def _from_the_start(start: Place, seen: Survey) -> Place:
    if start.line > max(seen.lines or start.line, 1):
        raise UsageError(f"there is no line {start.line}", f"the file has {seen.lines} lines")
    if start.line > 0:
        return start
    if seen.lines is None:
        raise UsageError("this file is too long to count from its end", "give a positive offset")
    return Place(max(1, seen.lines + start.line + 1) if start.line else 1, start.column)


def _text_at(file: BinaryIO, seen: Survey, start: Place, path: Path) -> io.TextIOWrapper:
    """The file as text, with everything before *start* already read."""
    file.seek(len(seen.encoding.bom))
    text = io.TextIOWrapper(file, seen.encoding.codec, newline="\n")
    line = 1
    while line < start.line:
        piece = text.readline(_SKIP_CHARS)
        if not piece:
            raise UsageError(f"{path} ends before line {start.line}", f"it has {line} lines")
        line += piece.endswith("\n")
    skipped = text.readline(start.column - 1) if start.column > 1 else ""
    if skipped.endswith("\n") or len(skipped) < start.column - 1:
        raise UsageError(f"line {line} of {path} ends before column {start.column}", "leave column out")
    return text


def _read(text: io.TextIOWrapper, start: Place, seen: Survey, *, max_lines: int, max_chars: int) -> Window:
    pieces: list[str] = []
    at, left, held = start, max_chars, ""
    while len(pieces) < max_lines and left > 0:
        piece, held = _piece(text, left)
        left -= len(piece)
        if not piece:
            break
        if not piece.endswith("\n") and left <= 0 and pieces:
            return _window(pieces, start, at, seen)  # the next window begins with this line
        pieces.append(piece)
        at = Place(at.line + 1) if piece.endswith("\n") else Place(at.line, at.column + len(piece))
    more = held or text.read(1)
    return _window(pieces, start, at if more else None, seen)


def _piece(text: io.TextIOWrapper, most: int) -> tuple[str, str]:
    """A line or the first part of it, never one that divides a CR from its LF; and a CR read too far."""
    piece = text.readline(most)
    following = text.readline(1) if piece.endswith("\r") else ""
    return (piece, following) if following == "\r" else (piece + following, "")


def _window(pieces: list[str], start: Place, following: Place | None, seen: Survey) -> Window:
    text = "".join(pieces).replace("\r\n", "\n")
    return Window(text, start, start.line + max(len(pieces) - 1, 0), following, seen)
