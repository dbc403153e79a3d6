"""What one repair did and found wrong, and where: collected on the way through the value."""

from __future__ import annotations

import json
import re
from typing import Any, TypeAlias

At: TypeAlias = "tuple[At, str | int] | None"

_SCALARS = frozenset((int, bool))
_NUMBER = re.compile(r"(?<![\w.+-])-?\d[\w.+-]*")
_LONGEST_NAME = 80
MOST_NOTES = 30
MOST_PROBLEMS = 6
MOST_COST = 100_000


class _Mark:
    """A value that no JSON can be."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


WRONG = _Mark("WRONG")
Memo: TypeAlias = "dict[tuple[int, int], tuple[Any, Any, Trace]]"


class Source:
    """The text that the arguments were read from."""

    __slots__ = ("_numbers", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._numbers: frozenset[str] | None = None

    @property
    def numbers(self) -> frozenset[str]:
        """The numbers in it as they are spelt."""
        if self._numbers is None:
            self._numbers = frozenset(_NUMBER.findall(self.text))
        return self._numbers


class Trace:
    """Notes of repairs, problems, and `cost`: how far the repairs went from what was written.

    `filling` are the objects whose defaults are just being made.
    """

    __slots__ = ("cost", "depth", "filling", "memo", "notes", "problems", "source", "steps")

    def __init__(self, source: Source | None = None) -> None:
        self.notes: list[str] = []
        self.problems: list[str] = []
        self.cost = 0
        self.depth = 0
        self.steps = 0
        self.source = source
        self.memo: Memo | None = None
        self.filling: tuple[int, ...] = ()

    def fork(self) -> Trace:
        """A trace for an attempt that may be thrown away."""
        other = Trace(self.source)
        other.depth, other.steps, other.memo, other.filling = self.depth, self.steps, self.memo, self.filling
        return other

    def join(self, other: Trace) -> None:
        """Take over what an attempt did."""
        self.notes += other.notes
        self.problems += other.problems
        self.cost += other.cost
        self.steps = max(self.steps, other.steps)

    @property
    def clean(self) -> bool:
        """Nothing was changed and nothing is wrong (defaults may have been filled)."""
        return not self.cost and not self.problems

    def repaired(self, at: At, how: str, cost: int = 1) -> None:
        """Leave a note about a change."""
        self.cost += cost
        if len(self.notes) < MOST_NOTES:
            self.notes.append(f"{place(at)}: {how}")
        elif len(self.notes) == MOST_NOTES:
            self.notes.append("and more of the same kind")

    def turned(self, at: At, before: Any, turned: tuple[Any, str, int]) -> None:
        """Leave a note about a change of type: (new value, how, cost)."""
        after, how, cost = turned
        self.cost += cost
        notes = self.notes
        if len(notes) > MOST_NOTES:
            return
        if type(before) is str and type(after) in _SCALARS and len(before) < 40 and len(notes) < MOST_NOTES:
            where = at[1] if at is not None and at[0] is None else place(at)
            told = after if type(after) is int else "true" if after else "false"
            notes.append(f"{where}: {before!r} -> {told} ({how})")
        else:
            self.repaired(at, f"{shown(before, 40)} -> {shown(after, 40)} ({how})", 0)

    def wrong(self, at: At, what: str) -> Any:
        """Leave a problem; returns the mark that stands for "no value"."""
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(f"{place(at)}: {what}")
        elif len(self.problems) == MOST_PROBLEMS:
            self.problems.append("and more")
        return WRONG

    @property
    def tired(self) -> bool:
        """So much was put right that the whole is more likely wrong; also keeps the time bounded."""
        return self.cost > MOST_COST

    @property
    def full(self) -> bool:
        """Enough problems were found to stop looking."""
        return len(self.problems) > MOST_PROBLEMS


def place(at: At) -> str:
    """The path of a parameter, as `edits[2].path`; long names are cut."""
    steps: list[str] = []
    while at is not None:
        at, key = at
        steps.append(f"[{key}]" if isinstance(key, int) else f".{key[:_LONGEST_NAME]}")
    return "".join(reversed(steps)).removeprefix(".") or "arguments"


def shown(value: Any, most: int = 60) -> str:
    """A value as a model would write it, cut for a message."""
    if value is True or value is False:
        return "true" if value else "false"
    if type(value) is str and len(value) < most and value.isprintable() and value.isascii():
        return f'"{value}"'
    if isinstance(value, str):
        text = json.dumps(value[: most * 2], ensure_ascii=False)
    elif isinstance(value, (dict, list)):
        members = "1 member" if len(value) == 1 else f"{len(value)} members"
        text = f"{'an object' if isinstance(value, dict) else 'a list'} with {members}"
    elif value is None or isinstance(value, (bool, int, float)):
        text = json.dumps(value) if not isinstance(value, int) or value.bit_length() < 10_000 else "a huge number"
    else:
        text = f"a Python {type(value).__name__}"
    return text if len(text) <= most else text[:most] + "…"
