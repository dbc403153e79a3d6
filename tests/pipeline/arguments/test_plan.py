"""A tool's plan: wrappers, kinds of raw input, errors."""

from __future__ import annotations

from typing import Any

import pytest

from handiwork.core.wire import freeze
from handiwork.pipeline.arguments.plan import compile_plan

STRING, INTEGER = {"type": "string"}, {"type": "integer"}
FILE = compile_plan({"type": "object", "properties": {"path": STRING, "limit": INTEGER}, "required": ["path"]})
LOOSE = compile_plan({"type": "object", "properties": {"limit": INTEGER}})


@pytest.mark.parametrize(
    "raw",
    [
        {"arguments": {"path": "a"}},
        {"arguments": '{"path": "a"}'},
        {"name": "read_file", "arguments": {"path": "a"}},
        {"name": "read_file", "parameters": {"path": "a"}},
        {"type": "function", "function": {"name": "read_file", "arguments": '{"path": "a"}'}},
        {"id": "1", "function_call": {"name": "read_file", "arguments": {"arguments": {"path": "a"}}}},
        {"properties": {"path": "a"}},
        '[{"path": "a"}]',
        [{"name": "read_file", "arguments": {"path": "a"}}],
        b'{"path": "a"}',
        freeze({"path": "a"}),
    ],
)
def test_wrappers_are_taken_off(raw: Any) -> None:
    assert FILE.apply(raw).args == {"path": "a"}


def test_parameters_may_be_a_reference() -> None:
    file = {"type": "object", "properties": {"path": STRING}, "required": ["path"]}
    plan = compile_plan({"$ref": "#/$defs/file", "$defs": {"file": file}})
    assert plan.apply({"arguments": {"Path": "a"}}).args == {"path": "a"}
    assert str(plan.apply("{}").error).endswith('A right call: {"path": "..."}')


def test_a_wrapper_that_is_a_parameter_stays() -> None:
    parameters = {"type": "object", "properties": {"arguments": {"type": "object"}, "path": STRING}}
    assert compile_plan(parameters).apply({"arguments": {"path": "a"}}).args == {"arguments": {"path": "a"}}
    free = compile_plan({"type": "object"})
    assert free.apply({"arguments": {"path": "a"}}).args == {"arguments": {"path": "a"}}


def test_other_arguments_beside_a_wrapper_keep_it_a_plain_argument() -> None:
    assert LOOSE.apply({"arguments": {}, "limit": "5"}).args == {"arguments": {}, "limit": 5}


def test_a_named_call_without_arguments_is_an_empty_call() -> None:
    assert LOOSE.apply({"name": "count", "arguments": ""}).args == {}
    assert LOOSE.apply({"name": "count", "arguments": None}).args == {}


@pytest.mark.parametrize("raw", [{"arguments": '{"limit": 5'}, '{"name": "count", "arguments": "{\\"limit\\": 5"}'])
def test_damage_inside_a_wrapper_is_damage(raw: Any) -> None:
    repaired = LOOSE.apply(raw)
    assert repaired.args is None
    assert "cut off" in str(repaired.error)


@pytest.mark.parametrize("raw", [3, 1.5, True, [], [1], [{}, {}], '"x"', "3", "[]", b"\xff", object()])
def test_what_is_no_object_is_refused(raw: Any) -> None:
    repaired = LOOSE.apply(raw)
    assert repaired.args is None
    assert "could not be read" in str(repaired.error)
    assert "Nothing was run" in str(repaired.error)


def test_names_that_are_not_text_become_text() -> None:
    assert LOOSE.apply({1: "a", "limit": 2}).args == {"1": "a", "limit": 2}
    assert "given twice" in str(LOOSE.apply({1: "a", "1": "b"}).error)


HUGE = "x" * 100_000


@pytest.mark.parametrize(
    "raw",
    [
        {"limit": HUGE, **{f"k{i}": i for i in range(1000)}, "path": HUGE},
        {HUGE: 1},
        {"path": {HUGE: 1}},
        f"{{'{HUGE}': 1, '{HUGE}': 2}}",
        f'{{"{HUGE}": 1, "{HUGE}": 2}}',
        f'{{"{HUGE}": 1',
        f'{{"path": {HUGE}}}',
        HUGE,
    ],
)
def test_an_error_stays_short_whatever_was_sent(raw: Any) -> None:
    closed = {"type": "object", "properties": {"path": STRING, "limit": INTEGER}, "additionalProperties": False}
    repaired = compile_plan(closed).apply(raw)
    assert repaired.error is not None
    assert len(repaired.error) < 1500
