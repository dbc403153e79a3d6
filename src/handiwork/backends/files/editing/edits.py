"""Exact edits: one place, found for certain, or no edit and a reason why."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from ....core.errors import UsageError
from .nearest import describe_nearest
from .views import BOTH, ENDS, QUOTES, TRAILING, Care, View, line_at, places, usual_end, view

_LINE_BREAK = re.compile(r"\r?\n")
# What listings put before a line: "  12: ", "12|", "12\t".
_NUMBER = re.compile(r"[ \t]*(\d+)(?:[:|\t→] ?|- )")
_MAX_LISTED = 10
_MAX_COUNTED = 1000
_TELLING_CHARS = 4


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace `old` by `new`: at its only place, or at all of them."""

    old: str
    new: str
    everywhere: bool = False


@dataclass(frozen=True, slots=True)
class Edited:
    """The new text, how many places were replaced (0: the edit was there already), and what to say."""

    text: str
    places: int
    notes: tuple[str, ...] = ()


def apply_edits(text: str, edits: Sequence[Edit]) -> Edited:
    """*text* after all *edits*, each made on what the one before it left. Raises as `apply_edit` does,
    with the number of the edit."""
    done = Edited(text, 0)
    for number, edit in enumerate(edits, 1):
        try:
            one = apply_edit(done.text, edit)
        except UsageError as error:
            if len(edits) == 1:
                raise
            raise UsageError(f"edit {number} of {len(edits)} (none was made): {error}", error.hint) from None
        said = one.notes if len(edits) == 1 else tuple(f"edit {number}: {note}" for note in one.notes)
        done = Edited(one.text, done.places + one.places, done.notes + said)
    return done


def apply_edit(text: str, edit: Edit) -> Edited:
    """*text* after *edit*. Line ends in the edit stand for whichever the text has there.

    Raises `UsageError` unless `old` is found exactly once (at least once with `everywhere`); the
    error lists the places, or those that come nearest with what differs.
    """
    if not edit.old:
        raise UsageError("old_string is empty", "give the text to replace, or write the whole file")
    if edit.old == edit.new:
        raise UsageError("old_string and new_string are the same", "nothing to change")
    for reading, care, note in _readings(edit):
        found = _find(text, reading, care)
        if found.spans or found.made:
            _refuse_many(text, found, edit)
            return _edited(text, found, note)
    if there := _already(text, edit):
        return Edited(text, 0, (f"nothing was changed: old_string isn't there, and new_string is, at line {there}",))
    raise UsageError(f"old_string was not found. {describe_nearest(ENDS.plain(text), ENDS.plain(edit.old))}")


def _already(text: str, edit: Edit) -> int:
    """The line of the one place where `new` stands, 0 if it is nowhere, in several places, or too short to tell."""
    if len(edit.new.strip()) < _TELLING_CHARS:
        return 0
    seen = view(text, ENDS)
    there = list(places(seen.text, ENDS.plain(edit.new)))
    return line_at(seen.text, there[0]) if len(there) == 1 or (there and edit.everywhere) else 0


def _readings(edit: Edit) -> Iterator[tuple[Edit, Care, str]]:
    """The edit as it was written; then what it must mean where that isn't found."""
    yield edit, ENDS, ""
    if unnumbered := _without_numbers(edit):
        yield unnumbered, ENDS, "line numbers at the start of each line of old_string were left out"
    if unescaped := _unescaped(edit):
        yield unescaped, ENDS, r"old_string and new_string were escaped twice: \n was read as a line break"
    for care in (QUOTES, TRAILING, BOTH):
        yield edit, care, care.note


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


@dataclass(frozen=True, slots=True)
class _Found:
    """Where the old text of an edit stands, and the starts of where the new one stands around it already."""

    edit: Edit
    spans: list[tuple[int, int]]
    made: list[int]


def _find(text: str, edit: Edit, care: Care) -> _Found:
    """Where the edit is to be made in *text*: to the letter, or with less care."""
    if not edit.old:  # a bare line number leaves nothing; nothing stands everywhere
        return _Found(edit, [], [])
    if "\r" in edit.old and edit.old in text:
        return _in_view(View(text, [], []), edit, edit)
    plain = Edit(care.plain(edit.old), care.plain(edit.new))
    if care.trailing and (not _is_lines(edit.old) or not plain.old.strip()):
        return _Found(edit, [], [])
    return _in_view(view(text, care), edit, plain, lines=care.trailing)


def _is_lines(old: str) -> bool:
    """Whether white space may have been lost or added at line ends of *old*, rather than between words."""
    return "\n" in old or old != old.rstrip(" \t")


def _in_view(seen: View, edit: Edit, plain: Edit, *, lines: bool = False) -> _Found:
    offsets = list(places(plain.new, plain.old, step=1)) if len(plain.new) > len(plain.old) else []
    spans, made = list[tuple[int, int]](), list[int]()
    step, most = (0, None) if edit.everywhere else (1, _MAX_COUNTED)
    for start in islice(places(seen.text, plain.old, step=step), most):
        end = start + len(plain.old)
        if lines and not _is_whole(seen.text, start, end):
            continue
        if any(start >= o and seen.text.startswith(plain.new, start - o) for o in offsets):
            made.append(seen.back(start))
        else:
            spans.append((seen.back(start), seen.back(end)))
    return _Found(edit, spans, made)


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether what stands there begins and ends with a line."""
    begins = start == 0 or text[start - 1] == "\n"
    return begins and (end == len(text) or text[end] == "\n" or text[end - 1] == "\n")


def _refuse_many(text: str, found: _Found, edit: Edit) -> None:
    starts = sorted([*found.made, *(start for start, _ in found.spans)])
    if len(starts) == 1 or edit.everywhere:
        return
    listed = ", ".join(str(line_at(text, start)) for start in starts[:_MAX_LISTED])
    count = f"{len(starts)} times{' or more' * (len(starts) >= _MAX_COUNTED)}"
    raise UsageError(
        f"old_string was found {count}, at lines {listed}{', ...' * (len(starts) > _MAX_LISTED)}",
        "add neighbouring lines until it is the only one, or set replace_all",
    )


def _edited(text: str, found: _Found, note: str) -> Edited:
    if not found.spans:
        line = line_at(text, found.made[0])
        return Edited(text, 0, (f"nothing was changed: new_string is there already, at line {line}",))
    notes = [note] if note else []
    if "\n" in found.edit.old and "\r" not in found.edit.old and "\r\n" in text[slice(*found.spans[0])]:
        notes.append(ENDS.note)
    after = _replaced(text, found.spans, found.edit)
    if after == text:  # what the edit changes was disregarded
        return Edited(text, 0, (f"nothing was changed: it is so already, at line {line_at(text, found.spans[0][0])}",))
    return Edited(after, len(found.spans), tuple(notes))


def _replaced(text: str, spans: list[tuple[int, int]], edit: Edit) -> str:
    """*text* with the edit made at all *spans*; what the edit doesn't change stays as it is there."""
    old, new, usual = ENDS.plain(edit.old), ENDS.plain(edit.new), usual_end(text)
    parts, last = [], 0
    for start, end in spans:
        parts += [text[last:start], _woven(text[start:end], old.split("\n"), new.split("\n"), usual)]
        last = end
    return "".join([*parts, text[last:]])


def _woven(there: str, old: list[str], new: list[str], usual: str) -> str:
    """*new* with the lines of *there* that it keeps of *old*, and their ends; others get the usual end."""
    ends, was, wanted = _LINE_BREAK.findall(there), _LINE_BREAK.split(there), len(new) - 1
    first = _same(old, new, min(len(old), len(new)))
    last = _same(old[::-1], new[::-1], min(len(old), len(new)) - first)
    middle = new[first : len(new) - last]
    if len(ends) == wanted:
        middle = [_spliced(was[i], old[i], line) for i, line in enumerate(middle, first)]
    else:
        common = Counter(ends).most_common(1)[0][0] if ends else usual
        before = min(first, len(ends), wanted)
        after = min(last, min(len(ends), wanted) - before)
        ends = ends[:before] + [common] * (wanted - before - after) + ends[len(ends) - after :]
    lines = was[:first] + middle + was[len(was) - last :]
    return "".join(line + end for line, end in zip(lines, [*ends, ""], strict=True))


def _spliced(there: str, old: str, new: str) -> str:
    """The line *new* with what it has of *old* at both ends as it stands *there*, where only quotes differ."""
    if len(there) != len(old) or there == old:
        return new
    most = min(len(old), len(new))
    first = next((n for n in range(most) if old[n] != new[n]), most)
    last = next((n for n in range(most - first) if old[-1 - n] != new[-1 - n]), most - first)
    return there[:first] + new[first : len(new) - last] + there[len(there) - last :]


def _same(a: list[str], b: list[str], most: int) -> int:
    pairs = zip(a[:most], b[:most], strict=True)
    return next((n for n, (x, y) in enumerate(pairs) if x != y), most)
