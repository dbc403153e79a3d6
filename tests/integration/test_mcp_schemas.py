"""The schemas that real MCP servers bring: said in every dialect, registered, and repaired against."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from handiwork import ToolRegistry
from handiwork.catalog.dialects import DIALECTS, adapt
from handiwork.catalog.dialects.definitions import Definer
from handiwork.pipeline.repair import repair_arguments

from .mcp_servers import SERVERS, Server, command_of, list_tools
from .packages import UnreachableError, skip

pytestmark = pytest.mark.integration
LEAST = {"everything": 8, "filesystem": 10, "memory": 8, "git": 8, "sqlite": 5}


@pytest.fixture(scope="module", params=SERVERS, ids=lambda server: server.name)
def tools(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    server: Server = request.param
    try:
        found = list_tools(command_of(server, tmp_path_factory.mktemp("served")))
    except UnreachableError as unreachable:
        skip(unreachable)
    assert len(found) >= LEAST.get(server.name, 1)
    return found


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_tool_is_sayable_in_every_dialect(dialect: str, tools: list[dict[str, Any]]) -> None:
    for tool in tools:
        schema = tool["inputSchema"]
        adapted = adapt(schema, dialect).schema
        assert set(adapted["properties"]) == set(schema.get("properties", {}))
        assert set(schema.get("required", ())) <= set(adapted.get("required", ()))
        assert json.dumps(adapt(adapted, dialect).schema) == json.dumps(adapted)
        for example in examples(schema):
            if dialect != "gemini":  # its types are words of its own
                assert Draft202012Validator(adapted).is_valid(example) or dialect == "openai-strict"


def test_all_are_registered_and_supplied(tools: list[dict[str, Any]]) -> None:
    registry = ToolRegistry()
    for tool in tools:
        definition = {"description": tool.get("description", ""), "parameters": tool["inputSchema"]}
        registry.register(tool["name"], "mcp-real", definition, lambda args: "", origin="mcp:real")
    assert set(registry.names()) == {tool["name"] for tool in tools}
    for dialect in DIALECTS:
        defined = Definer().of(registry.get_definitions(registry.names()), dialect)
        assert not defined.quarantined and len(defined.definitions) == len(tools)


def test_right_arguments_pass_untouched_and_sloppy_ones_are_put_right(tools: list[dict[str, Any]]) -> None:
    for tool in tools:
        schema = tool["inputSchema"]
        for example in examples(schema):
            right = repair_arguments(json.dumps(example), schema)
            assert right.error is None and not right.notes, (tool["name"], right)
            assert right.args is not None and right.args.items() >= example.items()
            if not example:
                continue
            sloppy = repair_arguments("```json\n" + json.dumps(_as_text(example, schema))[:-1] + ",}\n```", schema)
            assert sloppy.args == right.args, (tool["name"], sloppy)


def examples(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """Arguments that the schema takes: the required ones alone, and all of them."""
    properties = schema.get("properties", {})
    whole = {name: value_of(schema, inner) for name, inner in properties.items()}
    least = {name: whole[name] for name in schema.get("required", ())}
    return [candidate for candidate in (least, whole) if Draft202012Validator(schema).is_valid(candidate)]


def value_of(root: dict[str, Any], schema: dict[str, Any]) -> Any:
    """A value that *schema* takes."""
    if "$ref" in schema:
        found: Any = root
        for part in schema["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        return value_of(root, found)
    for key in ("default", "const"):
        if schema.get(key) is not None:
            return schema[key]
    if schema.get("enum"):
        return schema["enum"][0]
    for union in ("anyOf", "oneOf", "allOf"):
        if schema.get(union):
            return value_of(root, schema[union][0])
    return _plain_value(root, schema)


def _plain_value(root: dict[str, Any], schema: dict[str, Any]) -> Any:
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "array":
        return [value_of(root, schema.get("items", {}))] * max(1, schema.get("minItems", 1))
    if kind == "object":
        inner = schema.get("properties", {})
        return {name: value_of(root, inner[name]) for name in schema.get("required", ())}
    number = max(schema.get("minimum", 1), schema.get("exclusiveMinimum", 0) + 1)
    return {"string": "a word", "integer": number, "number": number, "boolean": True}.get(str(kind))


def _as_text(example: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """*example* with its numbers and booleans written as text."""
    kinds = {name: inner.get("type") for name, inner in schema.get("properties", {}).items()}
    loose = ("integer", "number", "boolean")
    return {k: json.dumps(v) if kinds.get(k) in loose else v for k, v in example.items()}
