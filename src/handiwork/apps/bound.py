"""What an agent of this house has beside the registered tools: the handlers it binds, and what it knows from before."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from ..agent.memory import Memory
from ..core.types import Handler
from .house import House


@dataclass(slots=True)
class Bound:
    """Handlers by the names of their tools, and texts for the end of the prompt."""

    handlers: dict[str, Handler] = field(default_factory=dict)
    known: list[str] = field(default_factory=list)


def bind_memory(house: House, selected: Collection[str], bound: Bound) -> None:
    """The notes of the person's home, where the tool is among those *selected*."""
    if "memory" in selected and house.home:
        memory = Memory(Path(house.home, "memory"))
        bound.handlers["memory"] = memory
        bound.known += filter(None, [memory.prompt()])
