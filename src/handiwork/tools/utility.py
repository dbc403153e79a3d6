"""Arithmetic that is right."""

from __future__ import annotations

from typing import Annotated, Any

from handiwork import tool

from ..core.loading import Late
from ..core.types import Traits

arithmetic = Late("handiwork.backends.arithmetic")


@tool(toolset="utility", emoji="🧮", traits=Traits(read_only=True, effect="read", parallel_safe=True))
def calculate(
    expression: Annotated[str, "For example: (17 + 4) * 2**10 / 3, sqrt(2), round(x, 2), max(1, 2)"],
) -> dict[str, Any]:
    """Calculate exactly. Operators + - * / // % **; functions sqrt exp log sin cos tan round abs min max sum ..."""
    return {"expression": expression, "result": arithmetic.calculate(expression)}
