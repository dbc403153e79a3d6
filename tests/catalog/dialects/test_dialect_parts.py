"""References and merging, each on its own."""

from __future__ import annotations

from typing import Any

import pytest

from handiwork.catalog.dialects import UnsayableSchemaError, adapt, adapt_schema
from handiwork.catalog.dialects.merging import merge, same
from handiwork.catalog.dialects.notes import Notes
from handiwork.catalog.dialects.references import References
from handiwork.core.errors import UnknownNameError

from .shapes import TREE

DOCUMENT = {
    "properties": {"a/b": {"anyOf": [{}, {"type": "string"}]}, "t~": {"type": "null"}, "$ref": {"type": "boolean"}},
    "$defs": {"x y": {"type": "integer"}, "N": {"$anchor": "here", "type": "number"}, "I": {"$id": "urn:i"}},
}


@pytest.mark.parametrize(
    ("ref", "kind"),
    [
        ("#/properties/a~1b/anyOf/1", "string"),
        ("#/properties/t~0", "null"),
        ("#/$defs/x%20y", "integer"),
        ("#/properties/$ref", "boolean"),
        ("#here", "number"),
    ],
)
def test_references_find_what_they_mean(ref: str, kind: str) -> None:
    target = References(DOCUMENT).find(ref)
    assert target and target.raw["type"] == kind


@pytest.mark.parametrize("ref", ["#/nowhere", "#/properties/a~1b/anyOf/7", "https://elsewhere/x.json", "other.json#/a"])
def test_references_that_lead_nowhere_are_widened_and_told(ref: str) -> None:
    assert References(DOCUMENT).find(ref) is None
    adapted = adapt({"type": "object", "properties": {"x": {"$ref": ref}}}, "anthropic")
    assert adapted.schema["properties"]["x"] == {}
    assert [n.path for n in adapted.notes if "leads nowhere" in n.text] == ["/properties/x"]


def test_endless_references_are_known() -> None:
    references = References(TREE)
    assert references.is_endless("#/definitions/Node")
    assert not References(DOCUMENT).is_endless("#/$defs/N")


def merged(a: Any, b: Any) -> tuple[Any, int]:
    notes = Notes()
    return merge(a, b, notes.at("")), notes.losses


@pytest.mark.parametrize(
    ("a", "b", "both"),
    [
        ({"type": ["number", "null"]}, {"type": ["integer", "null"]}, {"type": ["null", "integer"]}),
        ({"enum": [1, 2, 3]}, {"enum": [2.0, 3, 4]}, {"enum": [2, 3]}),
        ({"minimum": 1, "maxLength": 5}, {"minimum": 2, "maxLength": 4}, {"minimum": 2, "maxLength": 4}),
        ({"required": ["a"]}, {"required": ["b", "a"]}, {"required": ["a", "b"]}),
        ({"multipleOf": 4}, {"multipleOf": 6}, {"multipleOf": 12}),
        ({"description": "mine"}, {"description": "yours", "title": "t"}, {"description": "mine", "title": "t"}),
        ({"additionalProperties": False}, {"additionalProperties": {}}, {"additionalProperties": False}),
        ({"not": {"const": 1}}, {"not": {"const": 2}}, {"not": {"anyOf": [{"const": 1}, {"const": 2}]}}),
        (
            {"properties": {"a": {"type": "string"}}},
            {"properties": {"a": {"minLength": 1}, "b": {}}},
            {"properties": {"a": {"allOf": [{"type": "string"}, {"minLength": 1}]}, "b": {}}},
        ),
    ],
)
def test_what_both_say_is_said(a: Any, b: Any, both: Any) -> None:
    assert merged(a, b) == (both, 0)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ({"pattern": "^a"}, {"pattern": "b$"}),
        ({"type": ["string"]}, {"type": ["object"]}),
        ({"const": 1}, {"const": True}),
        ({"if": {}, "then": {}}, {"if": {"type": ["string"]}}),
    ],
)
def test_what_cant_be_said_together_is_widened_and_told(a: Any, b: Any) -> None:
    assert merged(a, b) == (a, 1)


def test_closed_objects_are_joined_with_a_note() -> None:
    closed = {"properties": {"a": {}}, "additionalProperties": False}
    both, losses = merged(closed, {"properties": {"b": {}}})
    assert both == {"properties": {"a": {}, "b": {}}, "additionalProperties": False} and losses == 1


def test_values_are_equal_as_json_has_it() -> None:
    assert same({"a": [1.0]}, {"a": [1]}) and not same(1, True) and not same({"a": 1}, {"a": 2})


def test_a_negative_is_said_exactly_or_not_at_all() -> None:
    exact = {"type": "object", "properties": {"x": {"not": {"type": "string"}}}}
    assert adapt_schema(exact, "anthropic") == exact
    wrong = {"type": "object", "properties": {"x": {"not": {"type": "string", "minLength": "3"}}}}
    assert adapt_schema(wrong, "anthropic")["properties"]["x"] == {}


def test_what_an_error_says() -> None:
    with pytest.raises(UnknownNameError, match="gpt") as unknown:
        adapt_schema({}, "gpt")
    assert "openai-strict" in unknown.value.hint
    with pytest.raises(UnsayableSchemaError, match="/properties/größe"):
        adapt_schema({"type": "object", "properties": {"größe": {}}, "required": ["größe"]}, "gemini")
    left_out = adapt({"type": "object", "properties": {"größe": {}}, "additionalProperties": False}, "gemini")
    assert left_out.schema == {"type": "object", "properties": {}} and left_out.notes
    many = {f"p{i}": {"type": "string"} for i in range(5001)}
    with pytest.raises(UnsayableSchemaError, match="5000"):
        adapt_schema({"type": "object", "properties": many}, "openai-strict")
