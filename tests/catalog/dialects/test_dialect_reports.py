"""Faults that people met with other systems, one test of each kind."""

from __future__ import annotations

import json
from typing import Any

import pytest

from handiwork import Toolbox, adapt_schema
from handiwork.catalog.dialects import DIALECTS, adapt
from handiwork.catalog.dialects.definitions import Definer

from .shapes import keywords_of

EMPTY = {"type": "object", "properties": {}}
each = pytest.mark.parametrize("dialect", DIALECTS)


def parameters(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def prop(schema: dict[str, Any], dialect: str, name: str = "x") -> Any:
    return adapt_schema(schema, dialect)["properties"][name]


@pytest.mark.parametrize("dialect", ["openai", "anthropic", "llamacpp"])
def test_additional_properties_as_text_are_that_type(dialect: str) -> None:
    schema = adapt_schema({"type": "object", "additionalProperties": "object"}, dialect)
    assert schema["additionalProperties"]["type"] == "object"
    assert isinstance(adapt_schema({"type": "object", "additionalProperties": "nonsense"}, dialect), dict)


@each
def test_references_are_resolved_before_unions_collapse(dialect: str) -> None:
    inner = {"type": "object", "properties": {"l": {"type": "integer"}}}
    schema = parameters(n={"$ref": "#/properties/m/anyOf/0/properties/l"}, m={"anyOf": [inner, {"type": "null"}]})
    result = adapt_schema(schema, dialect)
    reached = json.dumps([result["properties"]["n"], result.get("$defs", {}).get("l")])
    assert '"integer"' in reached
    assert "#/properties" not in json.dumps(result)


@each
def test_dependent_required_is_kept_or_dropped_whole(dialect: str) -> None:
    schema = {**parameters(a={"type": "string"}, b={"type": "string"}), "dependentRequired": {"a": ["b"]}}
    result = adapt(schema, dialect)
    kept = result.schema.get("dependentRequired")
    assert kept == ({"a": ["b"]} if dialect == "anthropic" else None)
    assert kept or any("dependentRequired" in note.text for note in result.notes)


@each
def test_nothing_stands_beside_a_reference_that_may_not(dialect: str) -> None:
    schema = parameters(x={"anyOf": [{"$ref": "#/$defs/F"}, {"type": "null"}], "default": None})
    schema["$defs"] = {"F": {"type": "object", "properties": {"again": {"$ref": "#/$defs/F"}}}}
    for node in nodes(adapt_schema(schema, dialect)):
        assert "$ref" not in node or set(node) == {"$ref"}


def nodes(schema: Any) -> list[dict[str, Any]]:
    inner = list(schema.values()) if isinstance(schema, dict) else schema if isinstance(schema, list) else []
    return ([schema] if isinstance(schema, dict) else []) + [n for i in inner for n in nodes(i)]


@pytest.mark.parametrize("dialect", ["openai", "openai-strict", "gemini", "llamacpp"])
@pytest.mark.parametrize("key", ["items", "prefixItems"])
def test_a_tuple_has_one_item_schema(dialect: str, key: str) -> None:
    pair = [{"type": "number"}, {"type": "string"}]
    assert prop(parameters(x={"type": "array", key: pair, "maxItems": 2}), dialect)["items"] == {"anyOf": pair}
    open_ended = prop(parameters(x={"type": "array", key: pair}), dialect)
    assert open_ended["items"]["anyOf"][:2] == pair
    assert len(open_ended["items"]["anyOf"]) > 2  # what may follow the pair


@pytest.mark.parametrize("dialect", ["openai"])
def test_items_are_said_at_every_depth(dialect: str) -> None:
    schema = adapt_schema(
        {"type": "object", "additionalProperties": {"anyOf": [{"type": "string"}, {"type": "array"}]}}, dialect
    )
    assert schema["additionalProperties"]["anyOf"][1] == {"type": "array", "items": {}}


@each
@pytest.mark.parametrize("root", [{"type": None}, {}, None, True])
def test_a_missing_type_at_the_root_is_an_object(dialect: str, root: Any) -> None:
    closed = {"required": [], "additionalProperties": False} if dialect == "openai-strict" else {}
    assert adapt_schema(root, dialect) == {**EMPTY, **closed}


@each
def test_one_bad_tool_doesnt_take_the_others_with_it(dialect: str, caplog: pytest.LogCaptureFixture) -> None:
    functions = [
        {"name": "one", "description": "", "parameters": parameters(a={"type": "string"})},
        {"name": "two", "description": "", "parameters": parameters(x={"description": "x", "default": None})},
        {"name": "bad", "description": "", "parameters": {"type": "array"}},
    ]
    defined = Definer().of([{"type": "function", "function": f} for f in functions], dialect)
    names = [d.get("function", d)["name"] for d in defined.definitions]
    assert names == ["one", "two"]
    assert "must be an object" in defined.quarantined["bad"] and "bad" in caplog.text


@each
def test_a_property_without_a_type_is_mended_where_one_must_be_said(dialect: str) -> None:
    x = prop(parameters(x={"description": "x", "default": None}), dialect)
    assert "type" in x or "anyOf" in x or dialect == "anthropic"
    assert "default" not in x or x["default"] is None


def test_a_list_of_types_is_one_type_and_a_flag_for_gemini() -> None:
    inner = {"type": ["object", "null"], "properties": {"a": {"type": "string"}}}
    x = prop(parameters(x=inner), "gemini")
    assert x == {"type": "object", "nullable": True, "properties": {"a": {"type": "string"}}}
    assert adapt_schema({**EMPTY, "type": ["object", "null"]}, "gemini") == EMPTY


@each
def test_meta_keys_go(dialect: str) -> None:
    schema = parameters(x={"type": "string", "$comment": "c", "x-order": 1, "$id": "urn:x", "readOnly": True})
    schema |= {"$schema": "http://json-schema.org/draft-07/schema#", "$id": "urn:root", "title": "T"}
    assert keywords_of(adapt_schema(schema, dialect)) <= DIALECTS[dialect].keywords
    assert not [n for n in adapt(schema, dialect).notes if n.kind != "mended"]


@each
@pytest.mark.parametrize("where", ["definitions", "$defs"])
def test_definitions_of_every_draft_resolve(dialect: str, where: str) -> None:
    schema = {**parameters(x={"$ref": f"#/{where}/F"}), where: {"F": {"type": "integer", "minimum": 3}}}
    result = adapt_schema({**schema, "required": ["x"]}, dialect)
    x = result["properties"]["x"]
    x = result["$defs"]["F"] if "$ref" in x else x
    assert x == {"type": "integer", "minimum": 3}


def test_a_result_beyond_its_output_schema_is_delivered(registry: Any, add: Any) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": False}
    add("entity", lambda args: {"a": 1, "type": "entity"}, output_schema=schema)
    box = Toolbox(registry)
    assert box.definitions("mcp")[0]["outputSchema"] == schema
    (message,) = box.run([("entity", "{}")])
    assert json.loads(message["content"]) == {"a": 1, "type": "entity"}


@each
def test_names_of_properties_and_data_are_never_taken_for_keywords(dialect: str) -> None:
    data = {"$ref": "#/nowhere", "type": "dict", "nullable": True, "properties": {"a": "dict"}}
    names = ("type", "properties", "items", "nullable", "required", "enum", "default", "anyOf", "const")
    schema = parameters(**{n: {"type": "string"} for n in names}, x={"type": "object", "default": data})
    result = adapt_schema({**schema, "required": list(names)}, dialect)
    for name in names:
        assert result["properties"][name] == {"type": "string"}
    x = result["properties"]["x"]
    assert x.get("default", data) == data
    assert ("default" in x) == ("default" in DIALECTS[dialect].keywords)


def test_enums_and_consts_come_through_as_they_are() -> None:
    listed = [{"type": "dict"}, {"$ref": "x"}, None, 1, 1.5, "a"]
    for dialect in ("openai", "openai-strict", "anthropic", "llamacpp"):
        result = adapt_schema({**parameters(x={"enum": listed}, y={"const": {"nullable": True}}),
                               "required": ["x", "y"]}, dialect)  # fmt: skip
        assert result["properties"]["x"]["enum"] == listed
        assert result["properties"]["y"]["const"] == {"nullable": True}
