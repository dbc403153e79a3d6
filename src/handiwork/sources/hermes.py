"""What plugins written for Hermes Agent know by other names: modules, given to them alone, and hooks."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, NamedTuple

from ..core.loading import load
from ..core.wire import tool_error, tool_result

_NAMES = frozenset({"tools", "tools.registry", "toolsets", "model_tools"})


class ForeignHook(NamedTuple):
    """A hook of theirs at ours: `renamed` are its keywords there (theirs -> ours)."""

    ours: str
    renamed: Mapping[str, str] = {}
    guards: bool | None = None


_REQUEST = {"request_messages": "messages", "api_call_count": "step"}
_APPROVAL = {"description": "reason"}
HOOKS: Mapping[str, ForeignHook] = {
    # Once a turn, and no guard there: one that fails must not cost the prompt.
    "pre_llm_call": ForeignHook(
        "user_prompt_submit", {"user_message": "prompt", "conversation_history": "messages"}, guards=False
    ),
    "post_llm_call": ForeignHook("stop", {"user_message": "prompt", "assistant_response": "answer"}),
    "pre_api_request": ForeignHook("pre_model_request", _REQUEST),
    "post_api_request": ForeignHook("post_model_request", {"api_call_count": "step", "api_duration": "duration_ms"}),
    "on_session_start": ForeignHook("session_start"),
    "on_session_end": ForeignHook("session_end"),
    "pre_approval_request": ForeignHook("approval_asked", _APPROVAL),
    "post_approval_response": ForeignHook("approval_answered", _APPROVAL),
}


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
