"""The functions of the package's face.

They act on the default house, with the person's files, plugins and configuration, or, with an explicit
registry, on a plain house without them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..catalog.presets import Toolset
from ..catalog.store import ToolRegistry
from ..catalog.store import registry as default_registry
from ..core.errors import UnknownNameError
from ..core.loading import Late
from ..core.types import Approver, Args, Schema, Scope, ToolCall, ToolResult
from .house import default, house_of

asyncio = Late("asyncio")
turn = Late("handiwork.pipeline.turn")
Names = Iterable[str]


def discover() -> list[str]:
    """Load the built-in tools and the person's plugins; the names of the modules that were imported."""
    return [f.name for f in default().harvest.loaded if not f.error]


def get_tool_definitions(
    enabled_toolsets: Names | None = None,
    disabled_toolsets: Names | None = None,
    *,
    registry: ToolRegistry = default_registry,
) -> list[Schema]:
    """OpenAI tool definitions, sorted by name, frozen. None means every toolset.

    Raises `UnknownNameError` for a toolset that doesn't exist.
    """
    house = house_of(registry)
    house.servers.begin()
    return house.supply.definitions(enabled_toolsets, disabled_toolsets)


def resolve_toolset(name: str) -> list[str]:
    """The tools under a toolset's name, sorted."""
    return default().toolsets.resolve(name)


def create_custom_toolset(name: str, description: str = "", tools: Names = (), includes: Names = ()) -> Toolset:
    """Define a composite toolset at run time."""
    return default().toolsets.create(name, description, tools, includes)


def handle_function_call(
    name: str,
    args: Any,
    task_id: str | None = None,
    *,
    enabled_toolsets: Names | None = None,
    disabled_toolsets: Names | None = None,
    approver: Approver | None = None,
    cwd: str | None = None,
    registry: ToolRegistry = default_registry,
    session_id: str = "",
    prompt: str = "",
    tool_call_id: str = "",
) -> str:
    """Run one call through the whole pipeline and give the text for the model. Never raises for a tool.

    *args* is what the model wrote: text, or a parsed object. Without an *approver*, what would ask a
    person is refused. *prompt* is what the person said: with one, account is kept of where the values of the
    calls of this task and session come from, and those that only text from outside named ask.
    """
    house = house_of(registry)
    if house.registry.get(name) is None:
        house.servers.await_tool(name)
    supplied = house.supplied(enabled_toolsets, disabled_toolsets)
    scope = house.scope(task_id, session_id, cwd, approver, supplied, prompt=prompt)
    return house.pipeline.run(ToolCall(name, args, tool_call_id, scope)).text


async def call_tool(
    name: str,
    args: Any,
    task_id: str | None = None,
    *,
    enabled_toolsets: Names | None = None,
    disabled_toolsets: Names | None = None,
    approver: Approver | None = None,
    cwd: str | None = None,
    registry: ToolRegistry = default_registry,
    session_id: str = "",
    prompt: str = "",
    tool_call_id: str = "",
) -> ToolResult:
    """The same for async callers; their loop stays free."""
    house = house_of(registry)
    if house.registry.get(name) is None and house.servers.may_have(name):
        await asyncio.to_thread(house.servers.await_tool, name)
    supplied = house.supplied(enabled_toolsets, disabled_toolsets)
    scope = house.scope(task_id, session_id, cwd, approver, supplied, prompt=prompt)
    return await house.pipeline.arun(ToolCall(name, args, tool_call_id, scope))


async def run_turn(
    calls: Iterable[Any],
    task_id: str | None = None,
    *,
    enabled_toolsets: Names | None = None,
    disabled_toolsets: Names | None = None,
    approver: Approver | None = None,
    cwd: str | None = None,
    registry: ToolRegistry = default_registry,
    session_id: str = "",
    fail_fast: bool = False,
    prompt: str = "",
) -> list[ToolResult]:
    """Run the calls of one model reply, independent ones together; results in the order asked.

    A call is a `ToolCall`, an OpenAI tool call (object or dict), or a pair of name and arguments. With *fail_fast*
    the first error cancels those that run beside it, and the rest is answered as not run.
    """
    house = house_of(registry)
    supplied = house.supplied(enabled_toolsets, disabled_toolsets)
    scope = house.scope(task_id, session_id, cwd, approver, supplied, prompt=prompt)
    made = [as_tool_call(call, scope) for call in calls]
    results: list[ToolResult] = await turn.run_turn(house.pipeline, made, fail_fast=fail_fast)
    return results


def coerce_tool_args(name: str, args: Any) -> Args:
    """The arguments of a registered tool, put right by its schema. Raises `ValueError` where they can't be."""
    house = default()
    entry = house.registry.get(name)
    if entry is None:
        raise UnknownNameError("tool", name, house.registry.names())
    repaired = house.pipeline.plans.of(entry).apply(args)
    if repaired.args is None:
        raise ValueError(repaired.error)
    return repaired.args


def as_tool_call(call: Any, scope: Scope) -> ToolCall:
    """A `ToolCall` from what libraries and people hand over. Raises `TypeError` for anything else."""
    if isinstance(call, ToolCall):
        return call if call.scope.call else ToolCall(call.name, call.arguments, call.id, scope)
    if isinstance(call, (tuple, list)) and len(call) == 2:
        return ToolCall(call[0], call[1], scope=scope)
    if not isinstance(call, Mapping) and not hasattr(call, "function") and not hasattr(call, "name"):
        raise TypeError(f"not a tool call: {call!r}; give a ToolCall, a call of the OpenAI kind, or (name, arguments)")
    function = _field(call, "function") or call
    arguments = _field(function, "arguments")
    arguments = _field(function, "input") if arguments is None else arguments
    return ToolCall(str(_field(function, "name")), arguments, str(_field(call, "id") or ""), scope)


def _field(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
