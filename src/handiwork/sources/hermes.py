"""The names that plugins written for Hermes Agent import, given to plugin modules alone."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from types import ModuleType
from typing import Any

from ..core.loading import load
from ..core.wire import tool_error, tool_result

_NAMES = frozenset({"tools", "tools.registry", "toolsets", "model_tools"})


def foreign_import(registry: Any) -> Callable[..., Any]:
    """An `__import__` that answers for `tools.registry`, `toolsets` and `model_tools` first."""
    modules: dict[str, ModuleType] = {}  # made at the first import of one of them: most plugins need none

    def import_(name: str, *args: Any, **kw: Any) -> Any:
        if name not in _NAMES or kw.get("level", args[3] if len(args) > 3 else 0):
            return builtins.__import__(name, *args, **kw)
        modules.update({} if modules else _foreign_modules(registry))
        from_names = kw.get("fromlist", args[2] if len(args) > 2 else ())
        return modules[name] if from_names else modules[name.partition(".")[0]]

    return import_


def _foreign_modules(registry: Any) -> dict[str, ModuleType]:
    tools, tools_registry = ModuleType("tools"), ModuleType("tools.registry")
    vars(tools_registry).update(registry=registry, tool_error=tool_error, tool_result=tool_result)
    vars(tools).update(registry=tools_registry)
    return {
        "tools": tools,
        "tools.registry": tools_registry,
        "toolsets": _late_module("toolsets", ("create_custom_toolset", "resolve_toolset")),
        "model_tools": _late_module("model_tools", ("get_tool_definitions", "handle_function_call")),
    }


def _late_module(name: str, names: tuple[str, ...]) -> ModuleType:
    module = ModuleType(name)
    vars(module).update({n: _late_function(n) for n in names})
    return module


def _late_function(name: str) -> Callable[..., Any]:
    def call(*args: Any, **kw: Any) -> Any:
        return load(f"handiwork:{name}")(*args, **kw)

    call.__name__ = name
    return call
