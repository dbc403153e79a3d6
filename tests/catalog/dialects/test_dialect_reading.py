"""One node made well-formed, whatever draft or language it was written in."""

from __future__ import annotations

from typing import Any

import pytest

from handiwork.catalog.dialects.notes import Notes
from handiwork.catalog.dialects.reading import read_node
from handiwork.catalog.dialects.typenames import as_type


def read(raw: Any) -> tuple[dict[str, Any], list[str]]:
    notes = Notes()
    return read_node(raw, notes.at("/x")), [n.kind for n in notes.all()]


@pytest.mark.parametrize(
    ("raw", "node"),
    [
        (True, {}),
        (False, {"not": {}}),
        ({"items": [{}, {}], "additionalItems": False}, {"prefixItems": [{}, {}], "items": False}),
        ({"items": [{}]}, {"prefixItems": [{}]}),
        ({"dependencies": {"a": ["b"], "c": {}}}, {"dependentRequired": {"a": ["b"]}, "dependentSchemas": {"c": {}}}),
        ({"minimum": 3, "exclusiveMinimum": True}, {"exclusiveMinimum": 3}),
        ({"maximum": 3, "exclusiveMaximum": False}, {"maximum": 3}),
        ({"$recursiveRef": "#"}, {"$ref": "#"}),
        ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
        ({"type": "string", "nullable": False}, {"type": ["string"]}),
        ({"type": ["integer", "number", "number"]}, {"type": ["number"]}),
        (
            {"enum": ["a"], "nullable": True, "title": "t", "minLength": 1},
            {"title": "t", "anyOf": [{"enum": ["a"], "minLength": 1}, {"type": "null"}]},
        ),
        ({"$ref": "#/x", "nullable": True}, {"anyOf": [{"$ref": "#/x"}, {"type": "null"}]}),
        ({"then": {}, "else": {}, "minContains": 2}, {}),
        ({"x-order": 3, "$comment": "c", "$defs": {}, "readOnly": True, "description": None}, {}),
        ({"default": None, "examples": [float("1.5")]}, {"default": None, "examples": [1.5]}),
    ],
)
def test_older_and_other_words_cost_nothing(raw: Any, node: Any) -> None:
    assert read(raw) == (node, [])


@pytest.mark.parametrize(
    ("name", "kind"),
    [("dict", "object"), ("HashMap", "object"), ("float", "number"), ("Tuple", "array"), ("str", "string"),
     ("long", "integer"), ("bool", "boolean"), ("None", "null"), ("any", ""), ("", ""), ("Optional[int]", "")],
)  # fmt: skip
def test_names_of_types_in_other_languages(name: str, kind: str) -> None:
    assert as_type(name) == kind
    node, notes = read({"type": name})
    assert node == ({"type": [kind]} if kind else {})
    assert notes == ["widened" if name == "Optional[int]" else "mended"]


@pytest.mark.parametrize(
    "raw",
    [
        {"enum": []},
        {"enum": {"a": 1}},
        {"required": "a"},
        {"required": True},
        {"minLength": -1},
        {"minimum": "3"},
        {"maximum": float("inf")},
        {"pattern": 3},
        {"properties": []},
        {"properties": {1: {}}},
        {"anyOf": []},
        {"anyOf": {}},
        {"additionalProperties": 3},
        {"items": "nonsense"},
        {"$ref": 3},
        {"const": object()},
        {"unevaluatedProperties": False},
        {"type": 3},
        3,
    ],
)
def test_what_is_no_value_is_left_out_and_told(raw: Any) -> None:
    assert read(raw) == ({}, ["widened"])


def test_data_is_copied_and_never_read() -> None:
    data = {"type": "dict", "nullable": True, "$ref": "#/x"}
    raw = {"const": data, "enum": [data], "default": data}
    node, notes = read(raw)
    assert node == raw and notes == []
    assert node["const"] is not data
