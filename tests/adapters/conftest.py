"""A registry whose tools are called through a house, as an agent would."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from handiwork.apps.house import House
from handiwork.core.types import ToolCall, ToolResult


@pytest.fixture
def call(registry, tmp_path) -> Callable[..., ToolResult]:
    house = House(registry)

    def run(name: str, approver: Any = None, /, **args: Any) -> ToolResult:
        scope = house.scope(cwd=str(tmp_path), approver=approver)
        return house.pipeline.run(ToolCall(name, args, "call_7", scope))

    return run
