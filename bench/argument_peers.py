"""What each library hands to a tool for a model's text: `python argument_peers.py LIBRARY FILE`.

Run by the library's own interpreter. Reads a file of cases as JSON lines (`params`, `raw`) and prints one JSON list:
`{"args": {...}}` where the tool ran, `{"error": "..."}` where it didn't. Every library gets the text by the
way that its own agent loop sends it. Where it reads Python signatures, the schema is written as one.
"""

from __future__ import annotations

import asyncio
import importlib
import io
import json
import logging
import sys
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import typed

Schema = Mapping[str, Any]
Ask = Callable[[Schema, str], Any]
_NOT_RUN = object()


class Receiver:
    """The tool's inside: it keeps what it got."""

    def __init__(self) -> None:
        self.got: Any = _NOT_RUN

    def __call__(self, args: Any) -> str:
        self.got = args
        return "ok"


class RefusedError(Exception):
    """The tool did not run; the message is what the library said."""


def _received(receiver: Receiver, said: object) -> Any:
    if receiver.got is _NOT_RUN:
        raise RefusedError(str(said)[:300])
    return receiver.got


def handiwork() -> Ask:
    """`handle_function_call`, the whole line."""
    library = importlib.import_module("handiwork")

    def ask(schema: Schema, raw: str) -> Any:
        receiver, registry = Receiver(), library.ToolRegistry()
        definition = {"name": "probe", "description": "Probe.", "parameters": schema}
        registry.register(name="probe", toolset="bench", schema=definition, handler=receiver)
        return _received(receiver, library.handle_function_call("probe", raw, registry=registry))

    return ask


def hermes_agent() -> Ask:
    """The repair of its stream reader, the check of its executor, then `handle_function_call`, which coerces."""
    model_tools = importlib.import_module("model_tools")
    registry = importlib.import_module("tools.registry").registry
    repair = importlib.import_module("agent.message_sanitization")._repair_tool_call_arguments
    parse = importlib.import_module("agent.tool_executor")._parse_tool_arguments

    def ask(schema: Schema, raw: str) -> Any:
        receiver = Receiver()
        definition = {"name": "probe", "description": "Probe.", "parameters": schema}
        registry.register(name="probe", toolset="bench", schema=definition, handler=lambda args, **_: receiver(args))
        raw = raw if raw.strip() else "{}"
        if _is_broken(raw):
            raw = repair(raw, "probe")
            if raw == "{}":
                raise RefusedError("taken as cut off")
        arguments, refusal = parse(raw)
        if refusal:
            raise RefusedError(refusal)
        return _received(receiver, model_tools.handle_function_call("probe", arguments))

    return ask


def _is_broken(raw: str) -> bool:
    try:
        json.loads(raw)
    except ValueError:
        return True
    return False


def pydantic_ai_slim() -> Ask:
    """`ToolManager.validate_tool_call`, then its execution."""
    ai = importlib.import_module("pydantic_ai")
    managers = importlib.import_module("pydantic_ai.tool_manager")
    messages = importlib.import_module("pydantic_ai.messages")
    usage = importlib.import_module("pydantic_ai.usage")
    models = importlib.import_module("pydantic_ai.models.test")

    async def run(schema: Schema, raw: str) -> Any:
        receiver = Receiver()
        toolset = ai.FunctionToolset([typed.function_of(schema, receiver)])
        context = ai.RunContext(deps=None, model=models.TestModel(), usage=usage.RunUsage(), run_step=1)
        manager = await managers.ToolManager(toolset).for_run_step(context)
        await manager.handle_call(messages.ToolCallPart("probe", raw))
        return _received(receiver, "not run")

    return lambda schema, raw: asyncio.run(run(schema, raw))


def langchain_core() -> Ask:
    """`parse_tool_call` of its OpenAI parser, then `StructuredTool.invoke` with the call."""
    parsers = importlib.import_module("langchain_core.output_parsers.openai_tools")
    tools = importlib.import_module("langchain_core.tools")

    def ask(schema: Schema, raw: str) -> Any:
        receiver = Receiver()
        tool = tools.StructuredTool.from_function(typed.function_of(schema, receiver))
        call = parsers.parse_tool_call({"id": "1", "function": {"name": "probe", "arguments": raw}})
        return _received(receiver, tool.invoke(call))

    return ask


def smolagents() -> Ask:
    """`parse_json_if_needed`, `validate_tool_arguments` and the call, as its tool-calling agent does."""
    models = importlib.import_module("smolagents.models")
    tools = importlib.import_module("smolagents.tools")
    known = set(tools.AUTHORIZED_TYPES)

    def inputs(schema: Schema) -> dict[str, Any]:
        needed = set(schema.get("required", ()))
        made = {}
        for name, inner in schema.get("properties", {}).items():
            kinds = inner.get("type") if isinstance(inner.get("type"), list) else [inner.get("type")]
            kind = inner.get("type") if known.issuperset(kinds) else "any"
            made[name] = {**inner, "type": kind, "description": "", "nullable": name not in needed or "null" in kinds}
        return made

    def ask(schema: Schema, raw: str) -> Any:
        receiver = Receiver()
        members = {
            "name": "probe", "description": "Probe.", "inputs": inputs(schema), "output_type": "string",
            "skip_forward_signature_validation": True,
            "forward": lambda self, *given, **args: receiver({**dict(zip(self.inputs, given, strict=False)), **args}),
        }  # fmt: skip
        tool = type("Probe", (tools.Tool,), members)()
        arguments = models.parse_json_if_needed(raw) or {}
        tools.validate_tool_arguments(tool, arguments)
        said = tool(**arguments) if isinstance(arguments, dict) else tool(arguments)
        return _received(receiver, said)

    return ask


def openai_agents() -> Ask:
    """`FunctionTool.on_invoke_tool` of a function tool with a schema that isn't strict."""
    agents = importlib.import_module("agents")
    contexts = importlib.import_module("agents.tool_context")

    def ask(schema: Schema, raw: str) -> Any:
        receiver = Receiver()
        function = typed.function_of(schema, receiver)
        tool = agents.function_tool(function, strict_mode=False, failure_error_function=None)
        context = contexts.ToolContext(None, tool_name="probe", tool_call_id="1", tool_arguments=raw)
        return _received(receiver, asyncio.run(tool.on_invoke_tool(context, raw)))

    return ask


def llm() -> Ask:
    """`json.loads` as its OpenAI plugin does, then `Response.execute_tool_calls`."""
    library = importlib.import_module("llm")
    models = importlib.import_module("llm.models")
    model = library.get_model("gpt-4o-mini")

    def ask(schema: Schema, raw: str) -> Any:
        receiver = Receiver()
        tool = library.Tool.function(typed.function_of(schema, receiver))
        response = models.Response(models.Prompt("x", model=model, tools=[tool]), model, stream=False)
        call = models.ToolCall(name="probe", arguments=json.loads(raw or "{}"), tool_call_id="1")
        results = response.execute_tool_calls(tool_calls_list=[call])
        return _received(receiver, results[0].output)

    return ask


def agno() -> Ask:
    """`get_function_call`, then `FunctionCall.execute`, with its validation by pydantic."""
    functions = importlib.import_module("agno.utils.functions")
    tools = importlib.import_module("agno.tools.function")

    def ask(schema: Schema, raw: str) -> Any:
        receiver = Receiver()
        function = tools.Function.from_callable(typed.function_of(schema, receiver))
        function.process_entrypoint()
        call = functions.get_function_call("probe", raw, "1", {"probe": function})
        if call.error:
            raise RefusedError(call.error)
        return _received(receiver, call.execute().error)

    return ask


def json_repair() -> Ask:
    """`json_repair.loads`, and no schema."""
    library = importlib.import_module("json_repair")
    return lambda schema, raw: _object(library.loads(raw))


def json_loads() -> Ask:
    """The standard library, and no schema."""
    return lambda schema, raw: _object(json.loads(raw))


def _object(value: Any) -> Any:
    if not isinstance(value, dict):
        raise RefusedError(f"{type(value).__name__}, not an object")
    return value


LIBRARIES: dict[str, Callable[[], Ask]] = {
    made.__name__.replace("_", "-"): made
    for made in (
        handiwork, hermes_agent, pydantic_ai_slim, langchain_core, smolagents, openai_agents, llm, agno, json_repair,
        json_loads,
    )
}  # fmt: skip


def outcome(ask: Ask, case: Mapping[str, Any]) -> dict[str, Any]:
    """What came of one case. Anything a library raises is its way to say no."""
    raw = case["raw"]
    text = "" if raw is None else raw if isinstance(raw, str) else json.dumps(raw)
    try:
        return {"args": typed.plain(ask(case["params"], text))}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"[:300]}


def main() -> None:
    """Answer all cases; nothing that a library prints may get between them."""
    logging.disable(logging.CRITICAL)
    cases = [json.loads(line) for line in Path(sys.argv[2]).read_text("utf-8").splitlines() if line.strip()]
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        ask = LIBRARIES[sys.argv[1]]()
        outcomes = [outcome(ask, case) for case in cases]
    print(json.dumps(outcomes, default=str))


if __name__ == "__main__":
    main()
