"""Wrappers around arguments."""

from __future__ import annotations

from typing import Any

import pytest

from handiwork.pipeline.arguments.envelope import inside_of, is_open_map
from handiwork.pipeline.arguments.strings import Unreadable

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


PERSON = frozenset({"name", "age", "city"})


@pytest.mark.parametrize(
    ("value", "inside"),
    [
        ({"name": "add_person", "arguments": {"name": "Bo", "age": 5}}, {"name": "Bo", "age": 5}),
        ({"name": "add_person", "arguments": '{"name": "Bo"}'}, '{"name": "Bo"}'),
        ({"functionCall": {"args": {"age": 5}}}, {"args": {"age": 5}}),
        ({"tool_calls": [{"function": {"arguments": "{}"}}]}, {"function": {"arguments": "{}"}}),
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"age": 5}}, {"age": 5}),
        ({"thought": "so", "action": "add_person", "action_input": {"age": 5}}, {"age": 5}),
        ({"type": "object", "properties": {"age": 5}, "required": ["age"]}, {"age": 5}),
    ],
)
def test_a_whole_call_in_many_dialects(value: Any, inside: Any) -> None:
    assert inside_of(value, PERSON) == inside


@pytest.mark.parametrize(
    ("value", "inside"),
    [
        ({"tool": "t", "arguments": {}, "city": "Oslo"}, {"city": "Oslo"}),
        ({"type": "function", "args": None, "city": "Oslo", "age": 5}, {"city": "Oslo", "age": 5}),
        ({"id": "c1", "input": "", "city": "Oslo", "more": 1}, {"city": "Oslo", "more": 1}),
        ({"tool": "t", "params": "{}", "name": "Bo"}, {"name": "Bo"}),
        ({"arguments": {}, "city": "Oslo"}, None),
    ],
)
def test_an_empty_wrapper_with_a_tool_beside_real_arguments_is_dropped(value: Any, inside: Any) -> None:
    assert inside_of(value, PERSON) == inside


@pytest.mark.parametrize(
    "value",
    [
        {"name": "Bo", "arguments": {"age": 5}},
        {"city": "Oslo", "params": {"name": "Bo"}},
        {"tool": "t", "city": "Oslo", "input": {"city": "Rome"}},
        {"age": 5, "arguments": '{"city": "Oslo"}'},
        {"age": 5, "arguments": {"Age": 6}, "x": 1},
    ],
)
def test_arguments_in_a_wrapper_and_beside_it_are_refused(value: Any) -> None:
    with pytest.raises(Unreadable, match="one level"):
        inside_of(value, PERSON)


REQUIRED = frozenset({"name"})


@pytest.mark.parametrize(
    ("value", "inside"),
    [
        ({"add_person": {"name": "Bo"}}, {"name": "Bo"}),
        ({"addPerson": {"Name": "Bo", "age": 5}}, {"Name": "Bo", "age": 5}),
        ({"payload": {"age": 5}}, None),  # the required one isn't in it
        ({"payload": {"name": "Bo", "other": 1}}, None),
        ({"city": {"name": "Bo"}}, None),
    ],
)
def test_an_unknown_name_around_all_that_is_required(value: Any, inside: Any) -> None:
    assert inside_of(value, PERSON, REQUIRED) == inside


def test_where_any_name_is_data_there_are_no_wrappers() -> None:
    assert is_open_map({"properties": {}})
    assert is_open_map({"properties": {"a": {}}, "additionalProperties": True})
    assert not is_open_map({"properties": {"a": {}}})
