"""Faults that were reported of other systems' streams and histories, and others of their kind."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from handiwork.backends.models.assembly import CallAssembly
from handiwork.backends.models.history import valid_arguments, valid_history
from handiwork.backends.models.sse import read_events

Delta = dict[str, Any]


def piece(index: int | None, id: str = "", name: str = "", args: str = "") -> Delta:
    function = {"name": name, "arguments": args}
    made: Delta = {"function": {key: value for key, value in function.items() if value}}
    return made | ({"index": index} if index is not None else {}) | ({"id": id} if id else {})


def assembled(*deltas: Delta) -> list[tuple[str, str, str]]:
    assembly = CallAssembly(("f", "g"))
    for delta in deltas:
        assembly.add(delta)
    return [(call.id, call.name, call.arguments) for call in assembly.calls()]


@pytest.mark.parametrize(
    "second",
    [
        piece(0, "B", "f", '{"path":"b"}'),
        piece(0, "B", "g", '{"path":"b"}'),
        piece(None, "B", "f", '{"path":"b"}'),
        piece(5, "B", "f", '{"path":"b"}'),
        piece(0, "B", "", '{"path":"b"}'),
    ],
)
def test_parallel_calls_under_one_index_stay_two(second: Delta) -> None:
    got = assembled(piece(0, "A", "f", '{"path":"a"}'), second)
    assert [(own, args) for own, _, args in got] == [("A", '{"path":"a"}'), ("B", '{"path":"b"}')]


@pytest.mark.parametrize(
    "tail",
    [
        [piece(1, args='"y":'), piece(1, args="2}")],
        [piece(1, args='"y":2}')],
        [piece(None, args='"y":2}')],
        [piece(0, args='"y":2}')],
        [piece(1, "B", args='"y":'), piece(0, "B", args="2}")],
    ],
)
def test_head_and_tail_under_different_indexes_are_one_call(tail: list[Delta]) -> None:
    got = assembled(piece(0, "A", "f", '{"x":1}'), piece(0, "B", "g", "{"), *tail)
    assert got == [("A", "f", '{"x":1}'), ("B", "g", '{"y":2}')]


def test_a_third_call_may_take_the_index_of_a_tail() -> None:
    got = assembled(
        piece(0, "A", "f", "{}"),
        piece(0, "B", "g", "{"),
        piece(1, args="}"),
        piece(1, "C", "f", "{"),
        piece(1, args="}"),
    )
    assert got == [("A", "f", "{}"), ("B", "g", "{}"), ("C", "f", "{}")]


@pytest.mark.parametrize("times", [1, 2, 5])
def test_a_name_in_every_piece_counts_once(times: int) -> None:
    pieces = [piece(0, "A", "f", char) for char in ("{", '"x":', "1", "}")[:times]]
    assert assembled(*pieces)[0][1] == "f"


@pytest.mark.parametrize(
    "raw",
    ['{"a": "x"', '{"a": NaN}', '{"a": [Infinity, -Infinity]}', "[1]", '"x"', "3", "[" * 100_000, '{"a":1}{"a":1}'],
)
def test_a_broken_call_in_the_past_goes_out_as_valid_json(raw: str) -> None:
    sent = valid_arguments(raw)
    value = json.loads(sent, parse_constant=lambda name: pytest.fail(f"{name} was sent"))
    assert value == {"unreadable": raw}


def test_every_provider_gets_the_same_form_and_the_answer_stays() -> None:
    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"a": "x"'}}
    answer = {"role": "tool", "tool_call_id": "1", "name": "f", "content": '{"error": "cut off"}'}
    sent = valid_history([{"role": "assistant", "content": "", "tool_calls": [call]}, answer])
    assert json.loads(sent[0]["tool_calls"][0]["function"]["arguments"]) == {"unreadable": '{"a": "x"'}
    assert sent[1]["content"] == answer["content"]
    assert valid_history(sent) == sent


def events(*lines: str) -> list[str]:
    async def stream() -> AsyncIterator[str]:
        for line in lines:
            yield line

    async def read() -> list[str]:
        return [data async for data in read_events(stream())]

    return asyncio.run(read())


@pytest.mark.parametrize(
    "foreign",
    [
        ["event: tool.progress", "data: searching ...", ""],
        ["event: ping", "data:", ""],
        [": keep-alive", ""],
        ["event: heartbeat", "data: 3", "id: 7", ""],
        ["event:progress", "data: half", "data: done", ""],
    ],
)
def test_frames_of_others_in_a_stream_are_left_out(foreign: list[str]) -> None:
    assert events('data: {"a": 1}', "", *foreign, "data: [DONE]", "") == ['{"a": 1}', "[DONE]"]


@pytest.mark.parametrize("name", ["message", "error", "completion.chunk"])
def test_a_named_event_that_holds_an_object_is_read(name: str) -> None:
    assert events(f"event: {name}", 'data: {"error": "x"}', "") == ['{"error": "x"}']
