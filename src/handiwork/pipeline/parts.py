"""What a pipeline is made of: handed in once, looked at by the steps and the drivers."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Self

from ..catalog.store import ToolRegistry
from ..core.tracing import UNTRACED
from ..core.types import ALLOW, Approver, Audit, Journal, Judge, Ready, Scope, Tracing, Verdict
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
        audit: Audit | None = None,
        tracing: Tracing = UNTRACED,
    ) -> None:
        self.registry, self.judge, self.approver, self.journal = registry, judge, approver, journal
        self.tracing = tracing
        self.hooks = hooks or Hooks()
        self.audit = audit
        self.limits = limits or Limits()
        self.plans = Plans()
        self.workers = Workers()
        self.seats = Seats(most_at_once)

    def enter(self, ready: Ready, deadline: float | None) -> Scope:  # noqa: ARG002 (the shape of a pipeline's)
        """The scope for the handler of *ready*; parts by themselves have no way back into a line."""
        return ready.call.scope

    def with_limits(self, limits: Limits) -> Self:
        """The same parts with other limits on results."""
        other = copy(self)
        other.limits = limits
        return other
