"""One task of an agent: its state while it is worked on, and how it ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from ..core.types import Background, Ready, Scope, ToolResult, Usage
from .conversation import NEWS

Ending: TypeAlias = Literal["answered", "denied", "limit", "stuck", "cancelled", "waiting"]
DENIALS = ("approval", "guard", "pre_tool_call")


@dataclass(frozen=True, slots=True)
class Denial:
    """A call that was denied, by the agent itself, a tool that it called or a delegate: as far as it had come."""

    ready: Ready
    reason: str
    by: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a task ended: the answer, if there is one, why it ended, and what it took, delegates included."""

    ending: Ending
    answer: str
    reason: str
    steps: int
    usage: Usage
    results: tuple[ToolResult, ...] = ()
    denials: tuple[Denial, ...] = ()


@dataclass(slots=True)
class Task:
    """The state of one task while it runs."""

    scope: Scope
    guides: str  # read once: the prompt keeps its bytes while the task runs
    background: Background | None = None
    steps: int = 0
    results: list[ToolResult] = field(default_factory=list)
    last_turn: list[ToolResult] = field(default_factory=list)
    denials: list[Denial] = field(default_factory=list)
    denied_before: int = 0
    waits: bool = False
    anew: int = 0
    empty: int = 0

    def news(self) -> str:
        """What happened in the background since it was last told, a line each."""
        return "\n".join(f"{NEWS}{line}]" for line in self.background.notices()) if self.background else ""
