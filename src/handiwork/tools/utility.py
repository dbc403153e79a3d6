"""Arithmetic that is right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from handiwork import registry

from ..core.handler import by_name
from ..core.loading import Late
from ..core.types import Traits

if TYPE_CHECKING:
    from ..core.types import Scope

arithmetic = Late("handiwork.backends.arithmetic")


def calculate(expression: str, *, scope: Scope | None = None) -> dict[str, Any]:  # noqa: ARG001 - as all handlers
    """The value of an arithmetic expression."""
    return {"expression": expression, "result": arithmetic.calculate(expression)}


registry.register(
    name="calculate",
    toolset="utility",
    emoji="🧮",
    handler=by_name(calculate),
    traits=Traits(read_only=True, effect="read", parallel_safe=True),
    schema={
        "name": "calculate",
        "description": "Calculate exactly: + - * / // % **, sqrt exp log sin cos tan round abs min max sum mean ...",
        "parameters": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "expression": {
                    "type": "string",
                    "description": "For example: (17 + 4) * 2**10 / 3, round(sqrt(2), 3), max(1, 2)",
                },
            },
            "required": ["expression"],
        },
    },
)
