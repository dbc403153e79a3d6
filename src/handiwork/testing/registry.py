"""Registries without a past."""

from __future__ import annotations

from ..catalog.gate import Gate
from ..catalog.store import ToolRegistry
from ..core.clock import SYSTEM_CLOCK, Clock


def fresh_registry(clock: Clock = SYSTEM_CLOCK) -> ToolRegistry:
    """An empty registry whose gates go by *clock*."""
    return ToolRegistry(gate=Gate(clock))
