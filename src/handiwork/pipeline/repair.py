"""The arguments a model wrote, put right: read, coerced by the schema, and checked.

A legal value is never changed; damage, ambiguity and cut-off calls are errors that the model can act on.
"""

from __future__ import annotations

from typing import Any

from .arguments.plan import Plan, Repaired, compile_plan

__all__ = ["Plan", "Repaired", "compile_plan", "repair_arguments"]


def repair_arguments(raw: Any, parameters: Any) -> Repaired:
    """Repair *raw* (text, or an already parsed value) by the JSON Schema *parameters*.

    For many calls of one tool, keep its `compile_plan(parameters)` and use `apply`. Never raises.
    """
    return compile_plan(parameters).apply(raw)
