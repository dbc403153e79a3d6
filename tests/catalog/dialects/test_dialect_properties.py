"""What must hold for any schema at all."""

from __future__ import annotations

import copy
import json
import time
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from handiwork.catalog.dialects import DIALECTS, Adapted, UnsayableSchemaError, adapt
from handiwork.catalog.dialects.keywords import MANY, NAMED, ONE
from handiwork.core.wire import freeze

from .shapes import TREE, arguments, as_json_schema, filled, is_legal, keywords_of, roots, schemas, values

pytestmark = pytest.mark.integration  # thousands of random schemas: not for every save

CALM = settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
each = pytest.mark.parametrize("dialect", DIALECTS)
WIDE = ("openai", "anthropic", "llamacpp", "gemini")


def adapted(schema: Any, dialect: str) -> Adapted:
    """The adapted schema, where there can be one."""
    try:
        return adapt(schema, dialect)
    except UnsayableSchemaError:
        assume(False)
        raise


@each
@CALM
@given(roots)
def test_twice_is_once_and_the_same_bytes_every_time(dialect: str, schema: Any) -> None:
    once = adapted(schema, dialect).schema
    assert json.dumps(adapt(once, dialect).schema) == json.dumps(once)
    assert json.dumps(adapt(copy.deepcopy(schema), dialect).schema) == json.dumps(once)


@each
@CALM
@given(roots)
def test_only_the_dialects_own_words_in_valid_json_schema(dialect: str, schema: Any) -> None:
    before = json.dumps(schema)
    result = adapted(freeze(schema), dialect)
    assert json.dumps(schema) == before
    assert keywords_of(result.schema) <= DIALECTS[dialect].keywords
    assert type(result.schema) is dict and result.schema["type"] == "object" and "properties" in result.schema
    Draft202012Validator.check_schema(as_json_schema(result.schema))
    json.dumps(result.schema, allow_nan=False)


@pytest.mark.parametrize("dialect", WIDE)
@CALM
@given(roots, st.lists(arguments, min_size=8, max_size=8))
def test_what_was_legal_is_legal(dialect: str, schema: Any, tries: list[Any]) -> None:
    legal = [value for value in tries if is_legal(schema, value)]
    assume(legal)
    result = adapted(schema, dialect)
    assume(all(note.kind == "widened" for note in result.notes))
    form = as_json_schema(result.schema)
    for value in legal:
        assert is_legal(form, value) in (True, None), (value, result.schema, [*map(str, result.notes)])


@CALM
@given(roots, st.lists(arguments, min_size=8, max_size=8))
def test_what_was_legal_is_legal_in_strict_with_nulls(schema: Any, tries: list[Any]) -> None:
    legal = [value for value in tries if is_legal(schema, value)]
    assume(legal)
    result = adapted(schema, "openai-strict")
    assume(all(note.kind == "widened" for note in result.notes))
    for value in legal:
        unlisted: list[str] = []
        full = filled(result.schema, value, result.schema, unlisted)
        assert unlisted or is_legal(result.schema, full) in (True, None), (full, result.schema)


@CALM
@given(roots)
def test_strict_objects_are_closed_and_whole(schema: Any) -> None:
    result = adapted(schema, "openai-strict").schema
    waiting = [result]
    while waiting:
        node = waiting.pop()
        if "object" in node.get("type", ()):
            assert node["additionalProperties"] is False and node["required"] == list(node["properties"])
        assert "$ref" not in node or len(node) == 1
        waiting += [*node.get("properties", {}).values(), *node.get("$defs", {}).values(), *node.get("anyOf", ())]
        waiting += [node["items"]] if "items" in node else []


junk = st.recursive(
    values | st.sampled_from([float("nan"), object, b"x", {1, 2}, "dict", "object"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [*ONE, *MANY, *NAMED, "type", "$ref", "enum", "const", "default", "required", "minimum", "minLength",
                 "format", "pattern", "description", "nullable", "dependencies", "definitions", "exclusiveMinimum"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)  # fmt: skip


@each
@CALM
@given(junk | schemas)
@example(None)
@example([])
@example("object")
@example({"type": "object", "properties": {1: {"type": "string"}}})
def test_anything_at_all_is_adapted_or_refused_by_name(dialect: str, schema: Any) -> None:
    try:
        result = adapt(schema, dialect)
    except UnsayableSchemaError as no:
        assert str(no)
        return
    json.dumps(result.schema, allow_nan=False)
    assert json.dumps(adapt(result.schema, dialect).schema) == json.dumps(result.schema)


# --------------------------------------------------------------------------------- deep, wide, endless


def nested(times: int, key: str) -> Any:
    schema: Any = {"type": "string"}
    for _ in range(times):
        inner = {"x": schema} if key == "properties" else [schema] if key in ("anyOf", "allOf") else schema
        schema = {"type": "object", "properties": inner} if key == "properties" else {key: inner}
    return {"type": "object", "properties": {"deep": schema}}


@each
@pytest.mark.parametrize("key", ["properties", "items", "anyOf", "allOf", "not", "additionalProperties"])
def test_depth_is_bounded(dialect: str, key: str) -> None:
    schema = adapt(nested(5000, key), dialect).schema
    assert json.dumps(adapt(schema, dialect).schema) == json.dumps(schema)
    assert len(json.dumps(schema)) < 20_000


@each
def test_deep_data_and_long_chains_are_survived(dialect: str) -> None:
    deep: Any = 1
    for _ in range(5000):
        deep = [deep]
    chain = {f"d{i}": {"$ref": f"#/$defs/d{i + 1}"} for i in range(3000)} | {"d3000": {"type": "string"}}
    schema = {"type": "object", "properties": {"a": {"default": deep}, "b": {"$ref": "#/$defs/d0"}}, "$defs": chain}
    result = adapt(schema, dialect)
    assert "default" not in result.schema["properties"]["a"]


@each
def test_a_schema_that_doubles_at_every_step_stays_small(dialect: str) -> None:
    """Twenty definitions, each using the next twice: a million nodes if all were written out."""
    definitions: dict[str, Any] = {
        f"d{i}": {"type": "object", "properties": {key: {"$ref": f"#/$defs/d{i + 1}"} for key in "ab"}}
        for i in range(20)
    }
    schema = {"type": "object", "properties": {"x": {"$ref": "#/$defs/d0"}}, "$defs": {**definitions, "d20": {}}}
    before = time.process_time()
    result = adapt(schema, dialect)
    assert time.process_time() - before < 8
    assert len(json.dumps(result.schema)) < 8_000_000


@each
def test_a_thousand_properties_take_no_time(dialect: str) -> None:
    properties = {f"p{i}": {"type": ["string", "null"], "minLength": 1, "description": "text"} for i in range(1000)}
    before = time.process_time()
    adapt({"type": "object", "properties": properties}, dialect)
    assert time.process_time() - before < 2


@pytest.mark.parametrize(
    ("dialect", "stays"), [("openai", 1), ("openai-strict", 1), ("anthropic", 1), ("llamacpp", 1), ("gemini", 0)]
)
def test_an_endless_schema_stays_one_or_is_cut(dialect: str, stays: int) -> None:
    result = adapt(TREE, dialect)
    assert len(result.schema.get("$defs", {})) == stays
    assert stays or any("leads back" in note.text for note in result.notes)
    assert "Node" in json.dumps(result.schema) or not stays
