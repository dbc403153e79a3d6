"""A text as whole lines, seen with more or less care: where lines stand, and where a line begins."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import islice

from .views import BOTH, ENDS, TRAILING, Care, View, places, usual_end, view

MAX_PLACES = 1000
_MAX_ANCHORS = 100
_CARES = (None, ENDS, TRAILING, BOTH)


class Seen:
    """A text as whole lines, to the letter or with some care. Places are those in what is seen."""

    def __init__(self, text: str, care: Care | None) -> None:
        self.care, self.whole = care, text
        self._view = view(text, care) if care else View(text, [], [])
        seen = self._view.text
        # The line break in front makes every line begin behind one; its place is that of the line.
        self._framed = f"\n{seen}\n" if care and seen and not seen.endswith("\n") else f"\n{seen}"
        self._line, self._start = 1, 0

    @cached_property
    def usual(self) -> str:
        """The line end that most lines have."""
        return usual_end(self.whole)

    def plain(self, lines: str) -> str:
        """The lines of a hunk as they are sought here."""
        if self.care is None or not lines:
            return lines
        plain = self.care.plain(lines)
        return plain if plain.endswith("\n") else f"{plain}\n"

    def stand(self, lines: str, at: int) -> bool:
        """Whether *lines* begin at *at* and end with a line."""
        return at >= 0 and self._framed.startswith(f"\n{lines}", at) and self._ends(lines, at)

    def _ends(self, lines: str, at: int) -> bool:
        return lines.endswith("\n") or at + len(lines) + 1 == len(self._framed)

    def places(self, lines: str) -> list[int]:
        """Where *lines* stand, the first thousand places."""
        there = (at for at in places(self._framed, f"\n{lines}", step=1) if self._ends(lines, at))
        return list(islice(there, MAX_PLACES))

    def start_of(self, line: int) -> int:
        """Where the line of a number begins, -1 if there is none. Quick where lines are asked for in order."""
        if line < self._line:
            self._line, self._start = 1, 0
        while self._line < line:
            end = self._framed.find("\n", self._start + 1)
            if end < 0:
                return -1
            self._line, self._start = self._line + 1, end
        return self._start if line > 0 else -1

    def is_last(self, lines: str, at: int) -> bool:
        """Whether nothing follows *lines* at *at*."""
        return at + len(lines) + 1 == len(self._framed)

    def span(self, at: int, lines: str) -> tuple[int, int]:
        """The span in the whole text of *lines* that stand at *at*."""
        end = at + len(lines)
        last = end >= len(self._view.text)
        return self._view.back(at), len(self.whole) if last else self._view.back(end)

    def blocks(self, anchors: tuple[str, ...]) -> list[tuple[int, int]]:
        """The blocks under the lines that the last of *anchors* names, each in a block of the one before."""
        found = [(0, len(self._framed))]
        for anchor in anchors:
            found = [self._block(at) for at in self._anchored(anchor) if any(a <= at < b for a, b in found)]
        return found

    def _anchored(self, anchor: str) -> list[int]:
        """The lines that *anchor* names: that are it, or else that begin with it."""
        word = self.care.plain(anchor) if self.care else anchor
        heads = re.finditer(rf"\n[ \t]*+{re.escape(word)}(.*)", self._framed)
        named = [(found.start(), found.group(1).strip()) for found in islice(heads, _MAX_ANCHORS)]
        return [at for at, rest in named if not rest] or [at for at, _ in named]

    def _block(self, at: int) -> tuple[int, int]:
        """From a line up to the next that is indented no deeper and begins something: no closing bracket."""
        head = re.compile(r"\n[ \t]*+").match(self._framed, at)
        indent = head.end() - head.start() - 1 if head else 0
        after = re.compile(rf"\n[ \t]{{0,{indent}}}[\w@#\[<]").search(self._framed, at + 1)
        return at, after.start() if after else len(self._framed)


class Sight:
    """A text, seen with less and less care; what was looked at once is kept for the next question."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._seen: list[Seen] = []

    def __iter__(self) -> Iterator[Seen]:
        for number, care in enumerate(_CARES):
            if number == len(self._seen):
                self._seen.append(Seen(self.text, care))
            yield self._seen[number]
