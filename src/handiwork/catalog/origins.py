"""Where registrations come from: what a source took, so that it can be taken back, and what it was refused."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Rejection:
    """A registration that was refused: who wanted what, and why not."""

    name: str
    toolset: str
    origin: str
    reason: str

    def __str__(self) -> str:
        return f"{self.name!r} from {self.origin} (toolset {self.toolset!r}): {self.reason}"


@dataclass(slots=True, eq=False)
class Source:
    """Where registrations come from, and what they took: enough to take all of it back.

    `before` says who held a tool's name, an alias or a toolset's check (the kind and the name) until then.
    `over` is why nothing more is taken from here.
    """

    origin: str
    before: dict[tuple[str, str], Any] = field(default_factory=dict)
    over: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The tools that were registered."""
        return tuple(name for kind, name in self.before if kind == "tool")

    def note(self, kind: str, name: str, holder: Any) -> None:
        """Something was taken that *holder* held (None: nobody)."""
        if self is not CODE:
            self.before.setdefault((kind, name), holder)


CODE = Source("code")  # whoever runs the process: nothing of theirs is ever taken back
current_source: ContextVar[Source] = ContextVar("handiwork_source", default=CODE)
