"""What the line can't do by itself: it yields one of these, and a driver sends back what came of it."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..core.types import Approver, Ask, Outcome, Ready, ToolResult
from .hooks import Hook

HOOK_TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True, eq=False)
class Execute:
    """Run the handler. Answered with a `Run`."""

    ready: Ready


@dataclass(frozen=True, slots=True, eq=False)
class CallHook:
    """Call a hook. Answered with what it returned, or `Broke`."""

    hook: Hook
    keywords: Mapping[str, Any]

    def __call__(self) -> Any:
        return self.hook(self.keywords)


@dataclass(frozen=True, slots=True, eq=False)
class AskPerson:
    """Ask whoever may say yes. Answered with what they said, or `Broke`."""

    approver: Approver
    ready: Ready
    ask: Ask

    def __call__(self) -> Any:
        return self.approver(self.ready, self.ask)


@dataclass(frozen=True, slots=True)
class Broke:
    """Foreign code raised, hung or was cancelled."""

    error: BaseException


# How a handler ended. Plain text, which most handlers give, is not wrapped: a frozen `Done` costs 0.5 us.
Ended: TypeAlias = Outcome | str | Broke
Run: TypeAlias = tuple[Ended, float]  # and how long it took, in milliseconds
Effect: TypeAlias = Execute | CallHook | AskPerson
Line: TypeAlias = Generator[Effect, Any, ToolResult]
