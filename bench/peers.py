"""Probes for the peers, each run by its own interpreter: `python peers.py PEER`.

The same plain function is given to all of them: four parameters, arguments as JSON text with the types
right, since only some of them turn strings. 50 tools, one call, and 1,000 async naps where there is a way.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import sys
from collections.abc import Callable
from typing import Any

import samples
import timing
import together

Figures = dict[str, float]
TYPED_TEXT = json.dumps({"path": "a.txt", "limit": 5, "deep": True, "tags": ["x"]})
TOOLS = 50


def look(path: str, limit: int, deep: bool, tags: list[str]) -> str:
    """Look at a file.

    Args:
        path: The file to look at.
        limit: How many lines to return.
        deep: Whether to look into folders.
        tags: Labels to match.
    """
    return samples.ANSWER


async def wait_near(path: str) -> str:
    """Wait as one does who asks a near server."""
    await asyncio.sleep(samples.NAP_S)
    return samples.ANSWER


def named(name: str) -> Callable[..., str]:
    """The same function under another name."""

    def copy(path: str, limit: int, deep: bool, tags: list[str]) -> str:
        return samples.ANSWER

    copy.__name__ = name
    copy.__doc__ = look.__doc__
    return copy


def llm() -> Figures:
    """llm: `Response.execute_tool_calls`, and the tool list that its OpenAI plugin sends."""
    library = importlib.import_module("llm")
    models = importlib.import_module("llm.models")
    model = library.get_model("gpt-4o-mini")
    tools = [library.Tool.function(named(f"look_{i}")) for i in range(TOOLS)]
    prompt = models.Prompt("x", model=model, tools=tools)
    response = models.Response(prompt, model, stream=False)

    def call() -> Any:
        wanted = models.ToolCall(name="look_7", arguments=json.loads(TYPED_TEXT), tool_call_id="1")
        return response.execute_tool_calls(tool_calls_list=[wanted])

    _expect(call()[0].output)
    return {
        "call_us": timing.cpu_us(call),
        "defs50_again_us": timing.cpu_us(lambda: model.build_kwargs(prompt, False)["tools"]),
    }


def pydantic_ai() -> Figures:
    """pydantic-ai: `ToolManager.handle_call` on a function toolset, which validates."""
    manager, part = asyncio.run(_pydantic_manager())

    async def call() -> Any:
        return await manager.handle_call(part("look_7", TYPED_TEXT))

    async def wait() -> Any:
        return await manager.handle_call(part("wait_near", '{"path": "a"}'))

    _expect(asyncio.run(call()))
    return {
        "call_us": together.awaited_cpu_us(call, 2_000),
        "defs50_again_us": timing.cpu_us(lambda: manager.tool_defs),
        "gather1000_ms": together.gathered_cpu_ms(wait, 1_000),
    }


async def _pydantic_manager() -> tuple[Any, Any]:
    ai = importlib.import_module("pydantic_ai")
    usage = importlib.import_module("pydantic_ai.usage")
    test_model = importlib.import_module("pydantic_ai.models.test")
    managers = importlib.import_module("pydantic_ai.tool_manager")
    messages = importlib.import_module("pydantic_ai.messages")
    toolset = ai.FunctionToolset([*(named(f"look_{i}") for i in range(TOOLS)), wait_near])
    context = ai.RunContext(deps=None, model=test_model.TestModel(), usage=usage.RunUsage(), run_step=1)
    return await managers.ToolManager(toolset).for_run_step(context), messages.ToolCallPart


def toolregistry() -> Figures:
    """toolregistry: `execute_tool_calls` with one call, which goes through its thread pool."""
    library = importlib.import_module("toolregistry")
    registry = library.ToolRegistry()
    for i in range(TOOLS):
        registry.register(named(f"look_{i}"))
    wanted = [{"id": "1", "type": "function", "function": {"name": "look_7", "arguments": TYPED_TEXT}}]
    calls = [importlib.import_module("toolregistry.llm.tool_calls").convert_tool_calls(wanted)[0]]
    _expect(registry.execute_tool_calls(calls)[0].result)
    return {
        "call_us": timing.cpu_us(lambda: registry.execute_tool_calls(calls), calls=500),
        "defs50_again_us": timing.cpu_us(registry.get_schemas, calls=500),
    }


def smolagents() -> Figures:
    """smolagents: look-up, `validate_tool_arguments`, call; what its tool-calling agent does."""
    tools_module = importlib.import_module("smolagents.tools")
    models = importlib.import_module("smolagents.models")
    tool = tools_module.tool(look)
    table = {"look": tool}

    def call() -> Any:
        arguments = json.loads(TYPED_TEXT)
        tools_module.validate_tool_arguments(table["look"], arguments)
        return table["look"](**arguments, sanitize_inputs_outputs=True)

    _expect(call())
    fifty = [tool] * TOOLS
    return {
        "call_us": timing.cpu_us(call),
        "defs50_again_us": timing.cpu_us(lambda: [models.get_tool_json_schema(t) for t in fifty], calls=200),
    }


def handiwork() -> Figures:
    """Ours, with the same function through the `@tool` door."""
    library = importlib.import_module("handiwork")
    for i in range(TOOLS):
        library.tool(toolset="bench")(named(f"look_{i}"))
    library.tool(toolset="bench")(wait_near)

    async def wait() -> Any:
        return await library.call_tool("wait_near", {"path": "a"})

    _expect(library.handle_function_call("look_7", TYPED_TEXT))
    return {
        "call_us": timing.cpu_us(lambda: library.handle_function_call("look_7", TYPED_TEXT)),
        "defs50_again_us": timing.cpu_us(lambda: library.get_tool_definitions(["bench"])),
        "gather1000_ms": together.gathered_cpu_ms(wait, 1_000),
    }


def _expect(answer: object) -> None:
    if answer != samples.ANSWER:
        raise SystemExit(f"the probe measures something else: {answer!r}")


PROBES = {probe.__name__: probe for probe in (llm, pydantic_ai, toolregistry, smolagents, handiwork)}

if __name__ == "__main__":
    print(json.dumps(PROBES[sys.argv[1]]()))
