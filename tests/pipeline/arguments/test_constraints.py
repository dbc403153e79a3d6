"""Limits of JSON Schema as checks."""

from __future__ import annotations

from typing import Any

import pytest

from handiwork.pipeline.arguments.constraints import checks_of, same


@pytest.mark.parametrize(
    ("schema", "kind", "good", "bad"),
    [
        ({"minimum": 1}, "integer", 1, 0),
        ({"maximum": 1.5}, "number", 1.5, 1.6),
        ({"exclusiveMinimum": 0}, "integer", 1, 0),
        ({"exclusiveMaximum": 0}, "number", -0.1, 0),
        ({"minimum": 0, "exclusiveMinimum": True}, "integer", 1, 0),
        ({"multipleOf": 0.1}, "number", 0.3, 0.35),
        ({"multipleOf": 5}, "integer", 10**30, 10**30 + 1),
        ({"minLength": 1}, "string", "a", ""),
        ({"maxLength": 2}, "string", "äö", "äöü"),
        ({"pattern": "^a+$"}, "string", "aa", "ab"),
        ({"minItems": 1}, "array", [1], []),
        ({"maxItems": 1}, "array", [1], [1, 2]),
        ({"uniqueItems": True}, "array", [1, True, "1", [1], {"a": 1}], [{"a": [1]}, {"a": [1]}]),
        ({"minProperties": 1}, "object", {"a": 1}, {}),
        ({"maxProperties": 1}, "object", {"a": 1}, {"a": 1, "b": 2}),
        ({"dependentRequired": {"a": ["b"]}}, "object", {"b": 1}, {"a": 1}),
    ],
)
def test_limits(schema: dict[str, Any], kind: str, good: Any, bad: Any) -> None:
    checks = checks_of(schema)[kind]
    assert not any(check(good) for check in checks)
    assert any(check(bad) for check in checks)


@pytest.mark.parametrize(
    "schema", [{"minimum": "1"}, {"pattern": "("}, {"multipleOf": 0}, {"maxItems": None}, {"uniqueItems": 0}]
)
def test_malformed_limits_are_ignored(schema: dict[str, Any]) -> None:
    assert checks_of(schema) == {}


def test_equality_is_json_equality() -> None:
    assert same([1, {"a": 1.0}], [1.0, {"a": 1}])
    assert not same(True, 1)
    assert not same([1], [1, 2])
