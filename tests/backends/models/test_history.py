from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handiwork.backends.models.history import valid_arguments, valid_history


def call(id: str, arguments: object = "{}", name: str = "f") -> dict[str, object]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def test_a_valid_history_stays_as_it_is() -> None:
    messages = [
        {"role": "system", "content": "s"},
        {"role": "user", "content": "u"},
        {"role": "assistant", "content": "thinking", "tool_calls": [call("1", '{"a": 1}')]},
        {"role": "tool", "tool_call_id": "1", "content": "r"},
        {"role": "assistant", "content": "done"},
    ]
    assert valid_history(messages) == messages


def test_a_call_without_an_answer_gets_one_and_answers_follow_their_calls() -> None:
    messages = [
        {"role": "assistant", "content": "", "tool_calls": [call("1"), call("2")]},
        {"role": "user", "content": "and?"},
        {"role": "tool", "tool_call_id": "2", "name": "f", "content": "late"},
    ]
    roles = [(m["role"], m.get("tool_call_id")) for m in valid_history(messages)]
    assert roles == [("assistant", None), ("tool", "1"), ("tool", "2"), ("user", None)]
    assert "error" in json.loads(valid_history(messages)[1]["content"])


def test_an_answer_without_a_call_is_kept_as_text() -> None:
    [message] = valid_history([{"role": "tool", "tool_call_id": "x", "name": "f", "content": "42"}])
    assert message == {"role": "user", "content": "Result of f: 42"}


@pytest.mark.parametrize("raw", ['{"a": 1', "no", "[1]", "3", 7, None, "", {"a": 1}, '{"a": 1}'])
def test_arguments_are_always_the_text_of_an_object(raw: object) -> None:
    assert isinstance(json.loads(valid_arguments(raw)), dict)


def test_unreadable_arguments_are_kept() -> None:
    assert json.loads(valid_arguments('{"a": 1')) == {"unreadable": '{"a": 1'}


@given(st.text())
def test_any_text_survives(raw: str) -> None:
    value = json.loads(valid_arguments(raw))
    assert raw in ("", value.get("unreadable")) or json.loads(raw) == value or value == {"unreadable": raw}
