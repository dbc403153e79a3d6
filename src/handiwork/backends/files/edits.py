"""Exact edits: one place, found for certain, or no edit and a reason why."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from ...core.errors import UsageError
from .nearest import describe_nearest

_LINE_BREAK = re.compile(r"\r?\n")
# What listings put before a line: "  12: ", "12|", "12\t".
_NUMBER = re.compile(r"[ \t]*(\d+)(?:[:|\t→] ?|- )")
_MAX_LISTED = 10
_TELLING_CHARS = 4


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace `old` by `new`: at its only place, or at all of them."""

    old: str
    new: str
    everywhere: bool = False


@dataclass(frozen=True, slots=True)
class Edited:
    """The new text, how many places were replaced (0: the edit was there already), and a note."""

    text: str
    places: int
    note: str = ""


def apply_edit(text: str, edit: Edit) -> Edited:
    """*text* after *edit*. Line ends in the edit stand for whichever the text has there.

    Raises `UsageError` unless `old` is found exactly once (at least once with `everywhere`); the
    error lists the places, or those that come nearest with what differs.
    """
    if not edit.old:
        raise UsageError("old_string is empty", "give the text to replace, or write the whole file")
    if edit.old == edit.new:
        raise UsageError("old_string and new_string are the same", "nothing to change")
    for reading, note in _readings(edit):
        if spans := _found(text, reading.old):
            _refuse_many(text, spans, reading)
            return Edited(_replaced(text, spans, reading.new), len(spans), note)
    if there := _already(text, edit):
        return Edited(text, 0, f"nothing was changed: old_string isn't there, and new_string is, at line {there}")
    raise UsageError(f"old_string was not found. {describe_nearest(_plain(text), _plain(edit.old))}")


def _already(text: str, edit: Edit) -> int:
    """The line of the one place where `new` stands, 0 if it is nowhere, in several places, or too short to tell."""
    spans = _found(text, edit.new) if len(edit.new.strip()) >= _TELLING_CHARS else []
    return text.count("\n", 0, spans[0][0]) + 1 if len(spans) == 1 or (spans and edit.everywhere) else 0


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n")


def _readings(edit: Edit) -> Iterator[tuple[Edit, str]]:
    """The edit as it was written; then what it must mean where that isn't found."""
    yield edit, ""
    if unnumbered := _without_numbers(edit):
        yield unnumbered, "line numbers at the start of each line of old_string were left out"
    if unescaped := _unescaped(edit):
        yield unescaped, r"old_string and new_string were escaped twice: \n was read as a line break"


def _without_numbers(edit: Edit) -> Edit | None:
    """The edit without the line numbers of a listing, if all lines have one and they count up."""
    old = _unnumbered_lines(edit.old)
    if old is None:
        return None
    new = _unnumbered_lines(edit.new)
    return Edit(old, edit.new if new is None else new, edit.everywhere)


def _unnumbered_lines(text: str) -> str | None:
    lines = text.split("\n")
    found = [_NUMBER.match(line) for line in (lines[:-1] if lines[-1] == "" else lines)]
    numbers = [int(m.group(1)) for m in found if m]
    if not numbers or len(numbers) < len(found) or numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        return None
    bare = [line[m.end() :] if m else line for line, m in zip(lines, [*found, None], strict=False)]
    return "\n".join(bare)


def _unescaped(edit: Edit) -> Edit | None:
    r"""The edit with `\n` as line breaks, if it has no real one and both texts read as JSON strings."""
    if r"\n" not in edit.old or "\n" in edit.old + edit.new:
        return None
    try:
        old, new = (json.loads(f'"{_quoted(part)}"') for part in (edit.old, edit.new))
    except ValueError:
        return None
    return Edit(old, new, edit.everywhere)


def _quoted(text: str) -> str:
    """*text* with its bare double quotes escaped, as the inside of a JSON string."""
    return re.sub(r'(\\.)|"', lambda m: m.group(1) or r"\"", text)


def _found(text: str, old: str) -> list[tuple[int, int]]:
    """Where *old* stands in *text*: to the letter, or with CRLF and LF taken for the same."""
    if not old:  # a bare line number leaves nothing; nothing stands everywhere
        return []
    if "\r" in old and old in text:
        return [(start, start + len(old)) for start in _starts(text, old)]
    old = _plain(old)
    if "\r\n" not in text:
        return [(start, start + len(old)) for start in _starts(text, old)]
    # The n-th CRLF moves everything behind its line break by n characters.
    shifts = [m.start() - n for n, m in enumerate(re.finditer("\r\n", text))]
    return [
        (start + bisect_left(shifts, start), start + len(old) + bisect_left(shifts, start + len(old)))
        for start in _starts(_plain(text), old)
    ]


def _starts(text: str, old: str) -> Iterator[int]:
    start = text.find(old)
    while start >= 0:
        yield start
        start = text.find(old, start + len(old))


def _refuse_many(text: str, spans: list[tuple[int, int]], edit: Edit) -> None:
    if len(spans) == 1 or edit.everywhere:
        return
    listed = ", ".join(str(text.count("\n", 0, start) + 1) for start, _ in spans[:_MAX_LISTED])
    raise UsageError(
        f"old_string was found {len(spans)} times, at lines {listed}{', ...' * (len(spans) > _MAX_LISTED)}",
        "add neighbouring lines until it is the only one, or set replace_all",
    )


def _replaced(text: str, spans: list[tuple[int, int]], new: str) -> str:
    """*text* with *new* at all *spans*, each line that stays keeping its own line end."""
    plain, usual = _plain(new), _usual_end(text)
    parts, last = [], 0
    for start, end in spans:
        parts += [text[last:start], _with_ends(text[start:end], plain, usual)]
        last = end
    return "".join([*parts, text[last:]])


def _usual_end(text: str) -> str:
    return "\r\n" if 2 * text.count("\r\n") > text.count("\n") else "\n"


def _with_ends(old: str, new: str, usual: str) -> str:
    """*new* with the line ends of the lines of *old* that it keeps; others get the usual one there."""
    ends = _LINE_BREAK.findall(old)
    was, lines = _LINE_BREAK.split(old), new.split("\n")
    wanted = len(lines) - 1
    if len(ends) != wanted:
        common = Counter(ends).most_common(1)[0][0] if ends else usual
        first = _same(was, lines, min(len(ends), wanted))
        last = _same(was[::-1], lines[::-1], min(len(ends), wanted) - first)
        ends = ends[:first] + [common] * (wanted - first - last) + ends[len(ends) - last :]
    return "".join(line + end for line, end in zip(lines, [*ends, ""], strict=True))


def _same(a: list[str], b: list[str], most: int) -> int:
    pairs = zip(a[:most], b[:most], strict=True)
    return next((n for n, (x, y) in enumerate(pairs) if x != y), most)
