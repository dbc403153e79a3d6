"""Handiwork: the hands of AI agents.

Six names are bound at import; everything else loads on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .catalog.door import tool
from .catalog.store import ToolRegistry, registry
from .core.loading import load
from .core.types import ToolEntry
from .core.wire import tool_error, tool_result

if TYPE_CHECKING:
    from .apps.face import (
        call_tool,
        coerce_tool_args,
        create_custom_toolset,
        discover,
        get_tool_definitions,
        handle_function_call,
        resolve_toolset,
        run_turn,
    )
    from .apps.toolbox import Toolbox
    from .apps.tracing import instrument
    from .catalog.dialects import adapt_schema
    from .pipeline.repair import repair_arguments

__version__ = "0.1.0"

_LATE = {
    "Toolbox": "handiwork.apps.toolbox:Toolbox",
    "adapt_schema": "handiwork.catalog.dialects:adapt_schema",
    "call_tool": "handiwork.apps.face:call_tool",
    "coerce_tool_args": "handiwork.apps.face:coerce_tool_args",
    "create_custom_toolset": "handiwork.apps.face:create_custom_toolset",
    "discover": "handiwork.apps.face:discover",
    "get_tool_definitions": "handiwork.apps.face:get_tool_definitions",
    "handle_function_call": "handiwork.apps.face:handle_function_call",
    "instrument": "handiwork.apps.tracing:instrument",
    "repair_arguments": "handiwork.pipeline.repair:repair_arguments",
    "resolve_toolset": "handiwork.apps.face:resolve_toolset",
    "run_turn": "handiwork.apps.face:run_turn",
}

__all__ = [
    "ToolEntry",
    "ToolRegistry",
    "Toolbox",
    "adapt_schema",
    "call_tool",
    "coerce_tool_args",
    "create_custom_toolset",
    "discover",
    "get_tool_definitions",
    "handle_function_call",
    "instrument",
    "registry",
    "repair_arguments",
    "resolve_toolset",
    "run_turn",
    "tool",
    "tool_error",
    "tool_result",
]


def __getattr__(name: str) -> Any:
    target = _LATE.get(name)
    if target is None:
        raise AttributeError(f"module 'handiwork' has no attribute {name!r}")
    value = globals()[name] = load(target)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATE})
