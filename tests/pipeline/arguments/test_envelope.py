"""Wrappers around arguments."""

from __future__ import annotations

from typing import Any

import pytest

from handiwork.pipeline.arguments.envelope import inside_of, is_open_map

NOTHING: frozenset[str] = frozenset()


@pytest.mark.parametrize(
    ("value", "inside"),
    [
        ({"arguments": {"a": 1}}, {"a": 1}),
        ({"name": "t", "input": "{}"}, "{}"),
        ({"tool_name": "t", "tool_input": {"a": 1}}, {"a": 1}),
        ({"name": "t", "arguments": None}, {}),
        ({"arguments": None}, None),
        ({"arguments": [1]}, None),
        ({"arguments": {"a": 1}, "other": 2}, None),
        ({"a": 1}, None),
        ({1: 2}, None),
        ({}, None),
    ],
)
def test_inside(value: Any, inside: Any) -> None:
    assert inside_of(value, NOTHING) == inside


def test_a_known_name_is_no_wrapper() -> None:
    assert inside_of({"arguments": {"a": 1}}, frozenset({"arguments"})) is None
    assert inside_of({"name": "x", "arguments": {"a": 1}}, frozenset({"name"})) is None


def test_where_any_name_is_data_there_are_no_wrappers() -> None:
    assert is_open_map({"properties": {}})
    assert is_open_map({"properties": {"a": {}}, "additionalProperties": True})
    assert not is_open_map({"properties": {"a": {}}})
