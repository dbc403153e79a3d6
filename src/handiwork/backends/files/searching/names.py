"""How well a file's name is what somebody wrote: exactly, in part, abbreviated, or misspelt."""

from __future__ import annotations

import re
from functools import lru_cache

from .globs import glob_pattern

# From here on the name only resembles what was asked for.
ALIKE = 10
_WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[^a-zA-Z0-9])(?=[a-zA-Z0-9])|^")


def contains_rank(wanted: str, path: str) -> int | None:
    """0 for exactly this name up to 4 for a name that contains it somewhere; None for other names."""
    if not glob_pattern(wanted).fullmatch(path):
        return None
    name, want = path.rpartition("/")[2], wanted.rpartition("/")[2].lower()
    low = name.lower()
    if low == want:
        return 0
    if low.partition(".")[0] == want:
        return 1
    if low.startswith(want):
        return 2
    return 3 if any(low.startswith(want, m.start()) for m in _WORD_START.finditer(name)) else 4


class AlikeRank:
    """Ranks names that resemble *wanted*; how far off they are, in hundredths, from `ALIKE` on."""

    def __init__(self, wanted: str) -> None:
        folders, _, last = wanted.rpartition("/")
        self._folders = folders.lower()
        self._want = last.lower()
        self._signs = set(self._want)
        self._limit = max(1, len(self._want) // 3)
        self._in_order = re.compile(".*?".join(map(re.escape, self._want)), re.S)
        self._far = lru_cache(maxsize=100_000)(self._distance)

    def __call__(self, path: str) -> int | None:
        far = self._far(path.rpartition("/")[2])
        if far is None:
            return None
        elsewhere = self._folders and self._folders not in path.lower()
        return ALIKE + far + (50 if elsewhere else 0)

    def _distance(self, name: str) -> int | None:
        low = name.lower()
        found = [self._misspelt(low), self._misspelt(low.partition(".")[0]), self._abbreviated(name, low)]
        return min((far for far in found if far is not None), default=None)

    def _misspelt(self, name: str) -> int | None:
        if abs(len(name) - len(self._want)) > self._limit or len(self._signs - set(name)) > self._limit:
            return None
        steps = edit_distance(self._want, name)
        return 100 * steps // max(len(self._want), 1) if steps <= self._limit else None

    def _abbreviated(self, name: str, low: str) -> int | None:
        """Letters of the name in order, most of them first letters of its words or side by side."""
        if len(self._want) < 2 or not self._in_order.search(low):
            return None
        starts = {m.start() for m in _WORD_START.finditer(name)}
        loose, at = 0, -1
        for index, sign in enumerate(self._want):
            following = self._next(low, sign, at + 1, starts, index)
            loose += following not in starts and following != at + 1
            at = following
        first = min(starts, default=0)
        more = min(len(low) - len(self._want), 40) // 4  # of two that fit alike, the shorter one
        far = 10 + 100 * loose // len(self._want) + more
        return far + (low.find(self._want[0]) != first) * 10 if loose * 2 <= len(self._want) else None

    def _next(self, low: str, sign: str, begin: int, starts: set[int], index: int) -> int:
        """Where the sign stands next: side by side, else at the start of a word, else anywhere."""
        places = [i for i in range(begin, len(low)) if low[i] == sign and self._rest_fits(low, i + 1, index + 1)]
        beside = [i for i in places if i == begin and index]
        return next(iter(beside or [i for i in places if i in starts] or places))

    def _rest_fits(self, low: str, begin: int, index: int) -> bool:
        signs = iter(low[begin:])
        return all(sign in signs for sign in self._want[index:])


def edit_distance(one: str, other: str) -> int:
    """How many letters must be put in, left out, replaced or swapped with their neighbour."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(other, 1):
            steps = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and b == one[i - 2]:
                steps = min(steps, before[j - 2] + 1)
            row.append(steps)
        before, last = last, row
    return last[-1]
