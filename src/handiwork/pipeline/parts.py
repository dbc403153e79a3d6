"""What a pipeline is made of: handed in once, looked at by the steps and the drivers."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any, Self

from ..catalog.store import ToolRegistry
from ..core.types import ALLOW, Approver, Journal, Judge, Ready, Scope, Verdict
from .hooks import Hooks
from .journal import NULL_JOURNAL
from .limits import Limits
from .plans import Plans
from .seats import Seats
from .workers import Workers


def allow_all(_: Ready, /) -> Verdict:
    """A judge without objections, for pipelines that are given none."""
    return ALLOW


class Parts:
    """Everything that one call meets on its way."""

    def __init__(
        self,
        registry: ToolRegistry,
        *,
        judge: Judge = allow_all,
        approver: Approver | None = None,
        hooks: Hooks | None = None,
        journal: Journal = NULL_JOURNAL,
        limits: Limits | None = None,
        most_at_once: Mapping[str, int] | None = None,
    ) -> None:
        self.registry, self.judge, self.approver, self.journal = registry, judge, approver, journal
        self.hooks = hooks or Hooks()
        self.limits = limits or Limits()
        self.plans = Plans()
        self.workers = Workers()
        self.seats = Seats(most_at_once)

    def bind(self, scope: Scope, **_: Any) -> Scope:
        """The scope with ways back into the line that runs through these parts; parts by themselves have none."""
        return scope

    def with_limits(self, limits: Limits) -> Self:
        """The same parts with other limits on results."""
        other = copy(self)
        other.limits = limits
        return other
