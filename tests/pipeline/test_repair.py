"""The whole of argument repair: the case file, the contract, and what must hold for any input."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handiwork.pipeline.repair import compile_plan, repair_arguments

CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "cases" / "arguments.jsonl").read_text("utf-8").splitlines()
]
FILE = {
    "type": "object",
    "properties": {
        "path": {"type": "string"},
        "limit": {"type": "integer"},
        "deep": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["path"],
}


def same(a: Any, b: Any) -> bool:
    return json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case(case: dict[str, Any]) -> None:
    accepted = [
        json.loads(a["$json_str"]) if isinstance(a, dict) and a.keys() == {"$json_str"} else a
        for a in case["accept"]
        if a != "ERR"
    ]
    repaired = repair_arguments(case["raw"], case["params"])
    if repaired.error is not None:
        assert "ERR" in case["accept"], repaired.error
        assert repaired.args is None
    else:
        assert any(same(repaired.args, a) for a in accepted), repaired.args


def test_right_arguments_come_back_as_the_same_object() -> None:
    args = {"path": "a", "limit": 5, "deep": True, "tags": ["x"], "extra": {"kept": 1}}
    repaired = repair_arguments(args, FILE)
    assert repaired.args is args
    assert repaired.notes == []


def test_every_repair_leaves_a_note_with_its_place() -> None:
    repaired = repair_arguments('{"path": 7, "limit": "5", "deep": "TRUE", "tags": "x"}', FILE)
    assert repaired.args == {"path": "7", "limit": 5, "deep": True, "tags": ["x"]}
    assert [note.split(":")[0] for note in repaired.notes] == ["path", "limit", "deep", "tags"]


def test_the_input_is_not_changed() -> None:
    args = {"path": "a", "limit": "5", "tags": [1]}
    repair_arguments(args, FILE)
    assert args == {"path": "a", "limit": "5", "tags": [1]}


def test_an_error_names_the_place_the_expectation_and_a_right_call() -> None:
    error = repair_arguments('{"limit": "many", "deep": true}', FILE).error
    assert error is not None
    assert 'limit: expected an integer, got "many"' in error
    assert "path: required but missing, expected a string" in error
    assert error.endswith('A right call: {"path": "...", "limit": 1, "deep": true}')


@pytest.mark.parametrize("parameters", [None, {}, [], "object", {"type": "object"}, {"properties": None}])
def test_odd_schemas_accept_any_object(parameters: Any) -> None:
    assert repair_arguments('{"a": [1, "2"]}', parameters).args == {"a": [1, "2"]}


@pytest.mark.parametrize("raw", [None, "", "  \n", "null", "None"])
def test_nothing_is_an_empty_call_only_if_nothing_is_required(raw: Any) -> None:
    assert repair_arguments(raw, {"type": "object", "properties": {"a": {"type": "string"}}}).args == {}
    assert "path: required" in str(repair_arguments(raw, FILE).error)


# ------------------------------------------------------------------------------------------ any input

TRICKY = ["007", "true", "null", "None", "[1]", '{"a": 1}', "", "1e5", " 5 ", "{'a': 1}", "0x1F", "“", "\\d"]
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=8),
    st.sampled_from(TRICKY),
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=10,
)
names = st.sampled_from(["a", "b", "fileName", "file_path", "arguments", "name"])
objects = st.dictionaries(names, values, max_size=4)
odd = st.one_of(values, st.binary(max_size=6), st.floats(), st.tuples(values), st.sets(st.integers(), max_size=2))
leaves = st.sampled_from(
    [
        *({"type": t} for t in ("string", "integer", "number", "boolean", "null", "object", "array")),
        {"type": ["integer", "null"]},
        {"type": ["string", "integer"]},
        {"enum": ["a", "B", 1, None, True]},
        {"type": "integer", "minimum": 0, "maximum": 9, "default": 3},
        {"type": "string", "pattern": "^[a-z]", "default": None},
        {"$ref": "#"},
        {"$ref": "#/nowhere"},
        True,
        False,
        {},
    ]
)


def _object(properties: dict[str, Any], required: int, others: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties)[:required],
        "additionalProperties": others,
    }


def _nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    others = st.sampled_from([True, False, {"type": "integer"}])
    return st.one_of(
        st.builds(lambda items: {"type": "array", "items": items}, inner),
        st.builds(_object, st.dictionaries(names, inner, max_size=3), st.integers(0, 2), others),
        st.builds(
            lambda k, b: {k: b}, st.sampled_from(["anyOf", "oneOf", "allOf"]), st.lists(inner, min_size=1, max_size=3)
        ),
        st.builds(lambda schema: {"not": schema}, inner),
        st.builds(lambda a, b: {"if": a, "then": b}, inner, inner),
    )


schemas = st.recursive(leaves, _nested, max_leaves=6)
roots = st.builds(_object, st.dictionaries(names, schemas, max_size=4), st.integers(0, 2), st.booleans())


@settings(max_examples=300, deadline=None)
@given(st.one_of(odd, objects, st.text(), st.text(alphabet="{}[]\":,\\'ab1 `n")), roots | values)
def test_any_input_gives_args_or_an_error_and_repair_is_idempotent(raw: Any, parameters: Any) -> None:
    plan = compile_plan(parameters)
    repaired = plan.apply(raw)
    assert (repaired.args is None) != (repaired.error is None)
    if repaired.args is not None:
        again = plan.apply(repaired.args)
        assert again.error is None
        assert repr(again.args) == repr(repaired.args)


KEYWORDS = [
    "type",
    "properties",
    "required",
    "items",
    "prefixItems",
    "enum",
    "const",
    "default",
    "anyOf",
    "oneOf",
    "allOf",
    "not",
    "if",
    "then",
    "else",
    "$ref",
    "minimum",
    "maximum",
    "multipleOf",
    "minLength",
    "pattern",
    "minItems",
    "uniqueItems",
    "contains",
    "minContains",
    "maxContains",
    "patternProperties",
    "propertyNames",
    "additionalProperties",
    "dependentRequired",
    "dependentSchemas",
    "nullable",
    "exclusiveMinimum",
    "examples",
]
nonsense = st.recursive(
    st.one_of(scalars, st.sampled_from(["object", "array", "#", "#/properties/a", "("])),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(KEYWORDS), inner, max_size=4),
        st.dictionaries(names | st.integers(0, 2), inner, max_size=2),
    ),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None)
@given(odd | objects, st.dictionaries(st.sampled_from(KEYWORDS), nonsense, max_size=5))
def test_a_nonsensical_schema_never_raises(raw: Any, parameters: Any) -> None:
    repaired = repair_arguments(raw, parameters)
    assert (repaired.args is None) != (repaired.error is None)


@settings(max_examples=150, deadline=None)
@given(objects, st.booleans(), st.sampled_from([None, 1]))
def test_a_text_that_is_cut_anywhere_is_never_read_as_something_else(
    args: dict[str, Any], ascii_only: bool, indent: int | None
) -> None:
    text = json.dumps(args, ensure_ascii=ascii_only, indent=indent)
    for end in range(1, len(text)):
        repaired = repair_arguments(text[:end], {"type": "object"})
        assert repaired.error is not None or repr(repaired.args) == repr(args)


@settings(max_examples=150, deadline=None)
@given(objects)
def test_a_python_literal_is_read_exactly_or_refused_also_when_cut(args: dict[str, Any]) -> None:
    text = repr(args)
    for end in range(1, len(text) + 1):
        repaired = repair_arguments(text[:end], {"type": "object"})
        assert repaired.error is not None or repr(repaired.args) == repr(args)


@settings(max_examples=150, deadline=None)
@given(objects)
def test_text_around_the_object_changes_nothing(args: dict[str, Any]) -> None:
    fenced = f"Here it is:\n```json\n{json.dumps(args)}\n```\nDone."
    assert repr(repair_arguments(fenced, {"type": "object"}).args) == repr(args)


@st.composite
def legal_pairs(draw: st.DrawFn, depth: int = 2) -> tuple[dict[str, Any], Any]:
    """A schema, and a value that is legal under it."""
    plain = {
        "string": st.text(max_size=6) | st.sampled_from(TRICKY),
        "integer": st.integers(),
        "number": st.integers() | st.floats(allow_nan=False, allow_infinity=False),
        "boolean": st.booleans(),
        "null": st.none(),
    }
    kind = draw(st.sampled_from([*plain, "array", "object", "anyOf", "ref"] if depth else list(plain)))
    if kind in plain:
        return {"type": kind}, draw(plain[kind])
    inner, value = draw(legal_pairs(depth - 1))
    other, _ = draw(legal_pairs(depth - 1))
    if kind == "array":
        return {"type": "array", "items": inner}, [value] * draw(st.integers(0, 2))
    if kind == "object":
        return {"type": "object", "properties": {"k": inner, "o": other}, "required": ["k"]}, {"k": value}
    if kind == "anyOf":
        return {"anyOf": draw(st.permutations([inner, other]))}, value
    return {"allOf": [inner, {"description": "same"}]}, value


@settings(max_examples=400, deadline=None)
@given(st.lists(legal_pairs(), min_size=1, max_size=3))
def test_legal_values_are_untouched(pairs: list[tuple[dict[str, Any], Any]]) -> None:
    args = {f"p{i}": value for i, (_, value) in enumerate(pairs)}
    properties = {f"p{i}": schema for i, (schema, _) in enumerate(pairs)}
    parameters = {"type": "object", "properties": properties, "required": list(args)}
    assert repair_arguments(args, parameters).args is args
    assert repr(repair_arguments(json.dumps(args), parameters).args) == repr(args)


# ---------------------------------------------------------------------------------------------- size

MEGABYTES = 3_000_000
LARGE = {
    "legal": json.dumps({"path": "a", "text": "x\n" * (MEGABYTES // 2)}),
    "raw line breaks": '{"path": "a", "text": "' + "x\n" * (MEGABYTES // 2) + '",}',
    "cut off": '{"path": "a", "text": "' + "x\\n" * (MEGABYTES // 3),
    "stray backslashes": '{"path": "' + "\\d" * (MEGABYTES // 2) + '"}',
    "many values, cut off": '{"path": "a", "x": [' + "1," * (MEGABYTES // 2),
    "braces": "{" * MEGABYTES,
    "brackets": "[" * MEGABYTES,
    "objects": '{"a":1}' * (MEGABYTES // 7),
    "fences": "~~~\n" * (MEGABYTES // 4),
    "comments": "{" + "//\n" * (MEGABYTES // 3) + '"path": "a"}',
    "prose": "word " * (MEGABYTES // 5) + '{"path": "a"}',
    "wrong members": json.dumps({"path": "a", "limits": ["1"] * (MEGABYTES // 5)}),
    "unknown names": json.dumps({"path": "a", **{f"k{i}": i for i in range(MEGABYTES // 16)}}),
}


@pytest.mark.parametrize("kind", LARGE)
def test_large_texts_are_read_or_refused_in_linear_time(kind: str) -> None:
    limits = {"limits": {"type": "array", "items": {"type": "integer"}}}
    plan = compile_plan({**FILE, "properties": {**FILE["properties"], **limits}})  # type: ignore[dict-item]
    started = time.process_time()
    repaired = plan.apply(LARGE[kind])
    assert time.process_time() - started < 3
    assert (repaired.args is None) != (repaired.error is None)
