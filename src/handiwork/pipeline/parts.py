"""What a pipeline is made of: handed in once, looked at by the steps and the drivers."""

from __future__ import annotations

from copy import copy
from typing import Self

from ..catalog.store import ToolRegistry
from ..core.types import ALLOW, Approver, Audit, Journal, Judge, Ready, Verdict
from .hooks import Hooks
from .journal import NULL_JOURNAL
from .limits import Limits
from .plans import Plans
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
        audit: Audit | None = None,
    ) -> None:
        self.registry, self.judge, self.approver, self.journal = registry, judge, approver, journal
        self.hooks = hooks or Hooks()
        self.audit = audit
        self.limits = limits or Limits()
        self.plans = Plans()
        self.workers = Workers()

    def with_limits(self, limits: Limits) -> Self:
        """The same parts with other limits on results."""
        other = copy(self)
        other.limits = limits
        return other
