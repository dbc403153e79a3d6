"""Register whatever somebody has as a tool: whose it is, is told by the class it comes from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from ..catalog.door import tool
from ..catalog.store import ToolRegistry
from ..core.errors import UsageError
from ..core.loading import load
from ..core.types import UNDECLARED, Traits
from .adapted import Adapted, Context, fit_name


class _Kind(NamedTuple):
    """A class by where it is defined, and what makes our tools of its objects."""

    package: str
    name: str
    adapt: str


_KINDS = (
    _Kind("langchain_core", "BaseTool", "handiwork.adapters.langchain:adapt"),
    _Kind("langchain_core", "BaseToolkit", "handiwork.adapters.langchain:adapt_kit"),
    _Kind("pydantic_ai", "Tool", "handiwork.adapters.pydantic_ai:adapt"),
    _Kind("pydantic_ai", "FunctionToolset", "handiwork.adapters.pydantic_ai:adapt_set"),
    _Kind("fastmcp", "FastMCP", "handiwork.adapters.mcp_servers:adapt_fastmcp"),
    _Kind("fastmcp", "Tool", "handiwork.adapters.mcp_servers:adapt_fastmcp_tool"),
    _Kind("mcp", "MCPServer", "handiwork.adapters.mcp_servers:adapt_mcp"),
    _Kind("smolagents", "BaseTool", "handiwork.adapters.smolagents:adapt"),
    _Kind("smolagents", "ToolCollection", "handiwork.adapters.smolagents:adapt_collection"),
    _Kind("agents", "FunctionTool", "handiwork.adapters.openai_agents:adapt"),
)


def register(
    registry: ToolRegistry,
    obj: Any,
    *,
    toolset: str,
    prefix: str = "",
    traits: Traits | Mapping[str, Any] = UNDECLARED,
    context: Any = None,
) -> list[str]:
    """Register a tool of another system, a server or kit of them, a plain function, or several in a list.

    *context* is what its own runtime would hand to it: deps (pydantic-ai), a context (OpenAI Agents), or a mapping
    of the arguments that aren't the model's (LangChain). *traits* are told to the guard in place of those that the
    tool itself says. The names of what was registered; what the registry refused stands in its `rejections`.
    Raises `UsageError` for what is no tool, or can't be called as it is.
    """
    names: list[str] = []
    for one in _flat(obj):
        adapt = _adapter_of(one)
        if adapt is None:
            names += _register_function(registry, one, toolset, prefix, traits)
            continue
        for adapted in load(adapt)(one, Context(context)):
            chosen = adapted if traits == UNDECLARED else replace(adapted, traits=traits)
            names += put(registry, chosen, toolset=toolset, prefix=prefix)
    return names


def put(registry: ToolRegistry, adapted: Adapted, *, toolset: str, prefix: str = "") -> list[str]:
    """Register one adapted tool; its name, unless it was refused."""
    name = fit_name(prefix + adapted.name)
    registry.register(
        name=name,
        toolset=toolset,
        schema={"name": name, "description": adapted.description, "parameters": adapted.parameters},
        handler=adapted.handler,
        is_async=adapted.is_async,
        traits=adapted.traits,
        output_schema=adapted.output_schema,
        requires_env=adapted.requires_env,
    )
    entry = registry.get(name)
    return [name] if entry is not None and entry.handler is adapted.handler else []


def _flat(obj: Any) -> Iterable[Any]:
    return [each for one in obj for each in _flat(one)] if isinstance(obj, (list, tuple)) else [obj]


def _adapter_of(obj: Any) -> str | None:
    for base in type(obj).__mro__:
        package = base.__module__.partition(".")[0]
        for kind in _KINDS:
            if kind.name == base.__name__ and kind.package == package:
                return kind.adapt
    return None


def _register_function(registry: ToolRegistry, fn: Any, toolset: str, prefix: str, traits: Any) -> list[str]:
    if not callable(fn) or isinstance(fn, type):
        hint = "give a function, or a tool of LangChain, pydantic-ai, FastMCP, smolagents or the OpenAI Agents SDK"
        raise UsageError(f"not a tool: {fn!r}", hint)
    named = fn if hasattr(fn, "__code__") or hasattr(fn, "__func__") else fn.__call__
    own = getattr(fn, "__name__", type(fn).__name__)
    name = fit_name(prefix + own)
    before = registry.get(name)
    tool(toolset=toolset, name=name, registry=registry, traits=traits)(named)
    entry = registry.get(name)
    return [name] if entry is not None and entry is not before else []
