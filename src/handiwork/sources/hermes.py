"""What plugins written for Hermes Agent know by other names: hooks, and modules that are given to them alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import SimpleNamespace
from typing import Any, NamedTuple

from ..core.config import home_folder
from ..core.errors import UnknownNameError
from ..core.loading import Late, load
from ..core.wire import tool_error, tool_result
from .view import RegistryView

pathlib = Late("pathlib")


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


class HermesRegistry:
    """The registry under the names of their methods; all else is the plugin's view."""

    def __init__(self, view: RegistryView) -> None:
        self._view = view

    def get_entry(self, name: str) -> Any:
        """The tool of that name."""
        return self._view.get(name)

    def get_all_tool_names(self) -> list[str]:
        """The names of all tools, sorted."""
        return sorted(self._view.names())

    def get_schema(self, name: str) -> Any:
        """The schema of a tool."""
        return getattr(self._view.get(name), "schema", None)

    def get_toolset_for_tool(self, name: str) -> Any:
        """The toolset of a tool."""
        return getattr(self._view.get(name), "toolset", None)

    def get_emoji(self, name: str, default: str = "⚡") -> str:
        """The emoji of a tool."""
        return getattr(self._view.get(name), "emoji", "") or default

    def get_tool_names_for_toolset(self, toolset: str) -> list[str]:
        """The tools that say they belong to *toolset*, sorted."""
        return sorted(self._view.members(toolset))

    def get_registered_toolset_names(self) -> list[str]:
        """All toolsets that have a tool, sorted."""
        names: list[str] = self._view.toolsets()
        return names

    def get_registered_toolset_aliases(self) -> dict[str, str]:
        """What stands for which toolset."""
        return dict(self._view.aliases())

    def __getattr__(self, name: str) -> Any:
        return getattr(self._view, name)


def _tools(view: RegistryView) -> Mapping[str, Any]:
    return {"registry": SimpleNamespace(**_tools_registry(view))}


def _tools_registry(view: RegistryView) -> Mapping[str, Any]:
    return {"registry": HermesRegistry(view), "tool_error": tool_error, "tool_result": tool_result}


def _toolsets(view: RegistryView) -> Mapping[str, Any]:
    def create(name: str, description: str, tools: Any = None, includes: Any = None) -> None:
        view.create_custom_toolset(name, description, tools or (), includes or ())

    return {
        "create_custom_toolset": create,
        "resolve_toolset": _of_face("resolve_toolset"),
        "resolve_multiple_toolsets": _resolve_several,
        "validate_toolset": _is_toolset,
    }


def _resolve_several(names: Iterable[str]) -> list[str]:
    resolve = _of_face("resolve_toolset")
    return sorted({tool for name in names for tool in resolve(name)})


def _is_toolset(name: str) -> bool:
    try:
        _of_face("resolve_toolset")(name)
    except UnknownNameError:
        return False
    return True


def _model_tools(view: RegistryView) -> Mapping[str, Any]:
    registry = HermesRegistry(view)
    return {
        "coerce_tool_args": _of_face("coerce_tool_args"),
        "get_all_tool_names": registry.get_all_tool_names,
        "get_tool_definitions": _definitions,
        "get_toolset_for_tool": registry.get_toolset_for_tool,
        "handle_function_call": _of_face("handle_function_call"),
    }


def _definitions(enabled_toolsets: Any = None, disabled_toolsets: Any = None, quiet_mode: bool = False) -> Any:  # noqa: ARG001
    return _of_face("get_tool_definitions")(enabled_toolsets, disabled_toolsets)


def _of_face(name: str) -> Callable[..., Any]:
    """A function of the package's face, found when it is called: it is above this room."""

    def call(*args: Any, **kw: Any) -> Any:
        return load(f"handiwork:{name}")(*args, **kw)

    call.__name__ = name
    return call


def _constants(_: RegistryView) -> Mapping[str, Any]:
    return {"get_hermes_home": lambda: pathlib.Path(home_folder())}


MODULES: Mapping[str, Callable[[RegistryView], Mapping[str, Any]]] = {
    "tools": _tools,
    "tools.registry": _tools_registry,
    "toolsets": _toolsets,
    "model_tools": _model_tools,
    "hermes_constants": _constants,
}
