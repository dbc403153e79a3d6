"""The compiled form of each tool's schema, made when the tool is first called."""

from __future__ import annotations

from ..core.types import ToolEntry
from .repair import Plan, compile_plan


class Plans:
    """One plan a tool, as long as the registered entry is the same."""

    def __init__(self) -> None:
        self._plans: dict[str, tuple[ToolEntry, Plan]] = {}

    def of(self, entry: ToolEntry) -> Plan:
        """The plan of *entry*."""
        known = self._plans.get(entry.name)
        if known is not None and known[0] is entry:
            return known[1]
        plan = compile_plan(entry.parameters)
        self._plans[entry.name] = (entry, plan)
        return plan
