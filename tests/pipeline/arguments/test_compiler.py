"""Schemas as nodes: every keyword that a tool's author may use, with repair at every depth."""

from __future__ import annotations

from typing import Any

import pytest

from handiwork.pipeline.arguments.compiler import Compiler
from handiwork.pipeline.arguments.trace import WRONG, Trace

STRING, INTEGER, BOOLEAN = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}
TREE = {
    "$defs": {
        "node": {
            "type": "object",
            "properties": {"v": INTEGER, "kids": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
            "required": ["v"],
        },
        "loop": {"$ref": "#/$defs/pool"},
        "pool": {"$ref": "#/$defs/loop"},
    }
}


def fix(schema: Any, value: Any, root: Any = None) -> Any:
    return Compiler(root or TREE).compile(schema).fix(value, None, Trace())


@pytest.mark.parametrize(
    ("schema", "value", "fixed"),
    [
        ({"$ref": "#/$defs/node"}, {"v": "1", "kids": '[{"v": "2"}]'}, {"v": 1, "kids": [{"v": 2}]}),
        ({"$ref": "#/$defs/loop"}, "as it is", "as it is"),
        ({"$ref": "#/nowhere"}, "as it is", "as it is"),
        ({"type": "array", "prefixItems": [INTEGER, BOOLEAN], "items": STRING}, ["1", "true", 3], [1, True, "3"]),
        ({"type": "array", "items": [INTEGER, BOOLEAN]}, ["1", "true", "3"], [1, True, "3"]),
        ({"type": "object", "additionalProperties": INTEGER}, {"a": "1", "B": 2}, {"a": 1, "B": 2}),
        ({"type": "object", "patternProperties": {"^n_": INTEGER}}, {"n_a": "1", "s": "1"}, {"n_a": 1, "s": "1"}),
        ({"allOf": [{"minimum": 1}, INTEGER]}, "5", 5),
        ({"type": "dict", "properties": {"a": {"type": "float"}}}, "{'a': '1.5'}", {"a": 1.5}),
        ({"type": "STRING"}, 5, "5"),
        ({"type": "integer", "nullable": True}, "null", None),
        ({"enum": ["on", "off"], "nullable": True}, None, None),
        ({"type": ["string", "null"]}, "null", "null"),
        ({"properties": {"a": INTEGER}}, '{"a": "1"}', {"a": 1}),
        ({"type": "integer", "enum": ["1", "2"]}, 2, "2"),
        ({"type": "string", "enum": []}, 5, "5"),
        (True, [1], [1]),
    ],
)
def test_fixes(schema: Any, value: Any, fixed: Any) -> None:
    found = fix(schema, value)
    assert found == fixed
    assert repr(found) == repr(fixed)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (False, 1),
        ({"$ref": "#/$defs/node"}, {"kids": []}),
        ({"allOf": [INTEGER, {"minimum": 1}]}, "0"),
        ({"allOf": [{"minimum": 9}, INTEGER]}, "5"),
        ({"type": "array", "contains": INTEGER}, ["a"]),
        ({"type": "array", "contains": INTEGER, "maxContains": 1}, [1, 2]),
        ({"type": "object", "propertyNames": {"pattern": "^[a-z]+$"}}, {"A1": 1}),
        ({"type": "string", "not": {"enum": ["root"]}}, "root"),
        ({"type": "object", "if": {"required": ["a"]}, "then": {"required": ["b"]}}, {"a": 1}),
        ({"type": "object", "dependentSchemas": {"a": {"required": ["b"]}}}, {"a": 1}),
        ({"type": "string", "enum": ["a", 1]}, 1.5),
    ],
)
def test_refuses(schema: Any, value: Any) -> None:
    assert fix(schema, value) is WRONG


def test_a_default_that_holds_itself_is_not_filled() -> None:
    root = {"type": "object", "properties": {"inner": {"$ref": "#", "default": {}}, "n": {**INTEGER, "default": 3}}}
    assert fix({"$ref": "#"}, {"n": "1"}, root) == {"n": 1}
    assert fix({"$ref": "#"}, {"inner": {}}, root) == {"inner": {"n": 3}, "n": 3}


def test_a_default_is_completed_by_the_defaults_in_it() -> None:
    inner = {"type": "object", "properties": {"n": {**INTEGER, "default": 3}}}
    schema = {"type": "object", "properties": {"inner": {**inner, "default": {}}}}
    assert fix(schema, {}) == {"inner": {"n": 3}}


def test_recursion_deeper_than_any_sane_call_is_refused() -> None:
    value: dict[str, Any] = {"v": 1}
    for _ in range(300):
        value = {"v": 1, "kids": [value]}
    assert fix({"$ref": "#/$defs/node"}, value) is WRONG


def test_branches_that_share_a_recursive_schema_stay_fast() -> None:
    both = [{"type": "object", "properties": {k: INTEGER, "kid": {"$ref": "#/$defs/e"}}, "required": [k]} for k in "ab"]
    root = {"$defs": {"e": {"anyOf": both}}}
    value: dict[str, Any] = {"b": "1"}
    for _ in range(25):
        value = {"b": "1", "kid": value}
    trace = Trace()
    assert Compiler(root).compile({"$ref": "#/$defs/e"}).fix(value, None, trace) is not WRONG
    assert trace.steps < 2000
