"""What is looked for, as it was asked and as an engine works it off."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from ....core.cancel import CancelToken
from .globs import Choice
from .page import Page

Output = Literal["lines", "files", "counts"]
# `hung`: the pattern took too long on several files.
End = Literal["ended", "timed_out", "cancelled", "enough", "hung"]

# A search that has found so many hits stops counting.
MAX_COUNTED = 200_000


@dataclass(frozen=True, slots=True)
class Query:
    """What to look for. `path` is shown before the hits as it is given here, relative to `cwd`.

    `types` is names such as `py` or `js,ts`. `seconds` is the time limit. Pages of the same `session`
    keep the order of the first one. `root` is where the path leads, if somebody has looked already.
    """

    pattern: str
    cwd: str
    path: str = "."
    target: Literal["content", "files"] = "content"
    glob: str = ""
    limit: int = 50
    offset: int = 0
    context: int = 0
    ignore_case: bool = False
    literal: bool = False
    multiline: bool = False
    types: str = ""
    output: Output = "lines"
    session: str = ""
    seconds: float = 60.0
    root: str = ""


@dataclass(frozen=True, slots=True)
class Needle:
    """What is looked for in contents."""

    pattern: str
    literal: bool = False
    ignore_case: bool = False
    multiline: bool = False
    context: int = 0


_ANYTHING = Choice()


@dataclass(frozen=True, slots=True)
class Sweep:
    """Where is looked: below `root`, an absolute path, or in that single file."""

    root: str
    single: bool = False
    choice: Choice = _ANYTHING
    excluded: tuple[str, ...] = ()
    obey_ignores: bool = True
    obey_parents: bool = True


@dataclass(frozen=True, slots=True)
class Watch:
    """When a search must stop: at `deadline` (monotonic, seconds), or when it is cancelled."""

    deadline: float
    cancel: CancelToken | None = None

    def left(self) -> float:
        """Seconds until the deadline."""
        return max(self.deadline - time.monotonic(), 0.0)

    def over(self) -> End | None:
        """Why it must stop now; None if it needn't."""
        if self.cancel and self.cancel.is_set():
            return "cancelled"
        return "timed_out" if time.monotonic() > self.deadline else None


@dataclass(frozen=True, slots=True)
class Report:
    """How a search ended. `searched` is how many files were looked into, where that is known."""

    end: End
    searched: int | None = None
    notes: tuple[str, ...] = ()

    def noting(self, *notes: str) -> Report:
        """This report with more notes."""
        return replace(self, notes=(*self.notes, *notes))


Rank = Callable[[str], int | None]


class Engine(Protocol):
    """A way to search. Both verbs put what they find on a page, in any order."""

    def contents(self, sweep: Sweep, needle: Needle, page: Page, watch: Watch) -> Report:
        """Find the needle in files. Raises `UsageError` for a bad pattern."""
        ...

    def names(self, sweep: Sweep, rank: Rank, page: Page, watch: Watch) -> Report:
        """Find files whose paths *rank* gives a rank."""
        ...
