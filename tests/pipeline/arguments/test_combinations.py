"""Unions: what is legal stays, what isn't takes its one cheapest reading, or none."""

from __future__ import annotations

from typing import Any

import pytest

from handiwork.pipeline.arguments.compiler import Compiler
from handiwork.pipeline.arguments.trace import WRONG, Trace

STRING, INTEGER, BOOLEAN, NULL = ({"type": t} for t in ("string", "integer", "boolean", "null"))
STRINGS = {"type": "array", "items": STRING}


def need(name: str, schema: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {name: schema}, "required": [name]}


def fix(schema: Any, value: Any) -> tuple[Any, Trace]:
    trace = Trace()
    return Compiler({}).compile(schema).fix(value, None, trace), trace


@pytest.mark.parametrize(
    ("branches", "value", "fixed"),
    [
        ([STRING, INTEGER], "5", "5"),
        ([STRING, STRINGS], '["a"]', '["a"]'),
        ([INTEGER, NULL], "5", 5),
        ([INTEGER, NULL], "null", None),
        ([INTEGER, NULL], "", None),
        ([STRINGS, NULL], "null", None),
        ([STRINGS, NULL], "a", ["a"]),
        ([STRINGS, INTEGER], "5", 5),
        ([INTEGER, BOOLEAN], "1", 1),
        ([BOOLEAN, STRINGS], "true", True),
        ([STRING, BOOLEAN], 5, "5"),
        ([need("a", INTEGER), need("b", STRING)], {"b": 1}, {"b": "1"}),
        ([need("a", INTEGER), need("b", INTEGER)], '{"b": "1"}', {"b": 1}),
    ],
)
@pytest.mark.parametrize("keyword", ["anyOf", "oneOf"])
def test_reads_one_way(keyword: str, branches: list[Any], value: Any, fixed: Any) -> None:
    found, _ = fix({keyword: branches}, value)
    assert found == fixed
    assert type(found) is type(fixed)


def test_two_readings_of_equal_worth_are_refused() -> None:
    found, trace = fix({"anyOf": [{"enum": ["ab"]}, {"enum": ["a-b"]}]}, "AB")
    assert found is WRONG
    assert "more than one way" in trace.problems[0]


def test_one_of_refuses_an_object_that_meets_two_demands() -> None:
    either = {"oneOf": [need("url", STRING), need("path", STRING)]}
    assert fix(either, {"url": "u"})[0] == {"url": "u"}
    found, trace = fix(either, {"url": "u", "path": "p"})
    assert found is WRONG
    assert "only one of: url or path" in trace.problems[0]


def test_the_nearest_branch_explains() -> None:
    union = {"anyOf": [need("a", INTEGER), {**need("b", INTEGER), "required": ["b", "c", "d"]}, STRINGS]}
    found, trace = fix(union, {"a": "x"})
    assert found is WRONG
    assert trace.problems == ['a: expected an integer, got "x"']


def test_a_default_is_filled_in_the_only_fitting_branch() -> None:
    branch = {"type": "object", "properties": {"a": INTEGER, "n": {"type": "integer", "default": 3}}, "required": ["a"]}
    assert fix({"anyOf": [branch, NULL]}, {"a": 1})[0] == {"a": 1, "n": 3}
    assert fix({"anyOf": [branch, {"type": "object"}]}, {"a": 1})[0] == {"a": 1}
