"""Where a text that wasn't found was perhaps meant, and what differs there."""

from __future__ import annotations

from difflib import get_close_matches
from heapq import nlargest

_MAX_WANTED = 40
_MAX_LINES = 200_000
_MAX_UNIQUE = 4_000
_MAX_SHOWN = 6
_MAX_WIDTH = 160


def describe_nearest(text: str, wanted: str) -> str:
    """The places of *text* that come nearest to *wanted*, with line numbers and the differing lines."""
    lines = text.split("\n")[:_MAX_LINES]
    want = wanted.strip("\n").split("\n")[:_MAX_WANTED]
    places = _best_windows(lines, want) or _alike_line(lines, want)
    if not places:
        return "Nothing in the file comes near it: read the file again."
    shown = [_difference(lines[at : at + len(want)], want, at) for at in places]
    return "Nearest (- wanted, + in the file):\n" + "\n".join(shown)


def _best_windows(lines: list[str], want: list[str], most: int = 2) -> list[int]:
    """Starts of the windows that share most lines with *want*, white space disregarded."""
    bare = [line.strip() for line in lines]
    where: dict[str, list[int]] = {}
    for offset, line in enumerate(want):
        if line.strip():
            where.setdefault(line.strip(), []).append(offset)
    scores: dict[int, int] = {}
    for number, line in enumerate(bare):
        for offset in where.get(line, ()):
            if number >= offset:
                scores[number - offset] = scores.get(number - offset, 0) + 1
    best = nlargest(most, scores, key=lambda start: (scores[start], -start))
    return [start for start in best if scores[start] == scores[best[0]]]


def _alike_line(lines: list[str], want: list[str]) -> list[int]:
    """The start of the window whose line holds, or looks most like, the longest line that is wanted."""
    offset, longest = max(enumerate(line.strip() for line in want), key=lambda pair: len(pair[1]))
    holding = next((number for number, line in enumerate(lines) if longest and longest in line), None)
    if holding is not None:
        return [max(0, holding - offset)]
    first_at: dict[str, int] = {}
    for number, line in enumerate(lines):
        if len(first_at) < _MAX_UNIQUE and len(line) < 2 * len(longest) + 40:
            first_at.setdefault(line.strip(), number)
    close = get_close_matches(longest, first_at, n=1, cutoff=0.6) if len(longest) < 500 else []
    return [max(0, first_at[line] - offset) for line in close]


def _difference(there: list[str], want: list[str], at: int) -> str:
    pairs = zip(want, [*there, *[None] * (len(want) - len(there))], strict=True)
    rows = [
        f"line {number}\n- {_visible(wanted, found)}\n+ {_visible(found, wanted)}"
        for number, (wanted, found) in enumerate(pairs, at + 1)
        if wanted != found
    ]
    if not rows:
        return f"lines {at + 1}-{at + len(there)} are the same but for line breaks before or after them"
    more = ["..."] if len(rows) > _MAX_SHOWN else []
    return "\n".join(rows[:_MAX_SHOWN] + more)


def _visible(line: str | None, other: str | None) -> str:
    """The line; where only white space differs, with that made visible."""
    if line is None:
        return "(the file ends)"
    odd = _odd_character(line, other or "")
    if other is not None and line.split() == other.split():
        line = line.replace("\t", "→").replace(" ", "·") + " (white space differs: · space, → tab)"
    return (line if len(line) <= _MAX_WIDTH else line[:_MAX_WIDTH] + "...") + odd


def _odd_character(line: str, other: str) -> str:
    """The first character that differs, by its number, where one of the two may look like the other."""
    pairs = enumerate(zip(line, other, strict=False), 1)
    column, (mine, yours) = next(((n, pair) for n, pair in pairs if pair[0] != pair[1]), (0, ("", "")))
    plain = f"{mine}{yours}".isascii() and f"{mine}{yours}".isprintable()
    return "" if plain or "\t" in (mine, yours) else f" (column {column} is U+{ord(mine):04X})"
