from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handiwork.backends.models.textcalls import TextGate, read_calls

NAMES = frozenset({"read_file", "add"})
CALL = '{"name": "read_file", "arguments": {"path": "a.txt"}}'


@pytest.mark.parametrize(
    "text",
    [
        CALL,
        f"\n {CALL}\n",
        f"```json\n{CALL}\n```",
        f"```\n{CALL}\n```",
        f"<tool_call>\n{CALL}\n</tool_call>",
        f"<tool_call>{CALL}",
        f"[TOOL_CALLS] [{CALL}]",
        f"[TOOL_CALLS]{CALL}",
        f"<|python_tag|>{CALL}<|eom_id|>",
        '{"name": "read_file", "parameters": {"path": "a.txt"}}',
        '<function=read_file>{"path": "a.txt"}</function>',
        '{"type": "function", "function": {"name": "read_file", "arguments": "{\\"path\\": \\"a.txt\\"}"}}',
        f"[{CALL}]",
    ],
)
def test_each_style_is_one_call(text: str) -> None:
    reading = read_calls(text, NAMES)
    assert reading.text == ""
    [call] = reading.calls
    assert call.name == "read_file"
    assert isinstance(call.arguments, str)
    assert json.loads(call.arguments) == {"path": "a.txt"}


def test_text_around_stays() -> None:
    reading = read_calls(f"I look.\n```json\n{CALL}\n```\nThen more.", NAMES)
    assert reading.text == "I look.\nThen more."
    assert len(reading.calls) == 1


def test_several_calls_keep_their_order() -> None:
    tagged = '<tool_call>{"name":"add","arguments":{"a":%d}}</tool_call>'
    two = f"{tagged % 1}\n{tagged % 2}"
    assert [call.arguments for call in read_calls(two, NAMES).calls] == ['{"a": 1}', '{"a": 2}']
    lines = '{"name":"add","arguments":{"a":1}}\n{"name":"add","arguments":{"a":2}}'
    assert len(read_calls(lines, NAMES).calls) == 2


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"colour": "red"}\n```',
        '```json\n{"name": "Ann", "age": 3}\n```',
        '{"name": "delete_all", "arguments": {}}',
        '{"name": "read_file"}',
        f"Write {CALL} to call it.",
        '<tool_call>{"name": "read_file", "arguments": {</tool_call>',
        "plain words",
        '```python\nprint({"name": "add"})\n```',
    ],
)
def test_what_is_no_call_stays_as_it_is(text: str) -> None:
    reading = read_calls(text, NAMES)
    assert (reading.text, reading.calls) == (text, ())


def test_without_tools_nothing_is_a_call() -> None:
    assert read_calls(CALL, ()).calls == ()


def test_gate_holds_a_call_back_and_lets_text_through() -> None:
    gate = TextGate()
    shown = [gate.feed(piece) for piece in ("I lo", "ok. <tool", "_call>{", '"name"', "...")]
    assert "".join(shown) == "I look. "
    assert gate.rest("I look.") == ""


def test_gate_gives_back_what_only_looked_like_a_call() -> None:
    gate = TextGate()
    text = 'Use a < b, then:\n```json\n{"colour": 1}\n```\nfine'
    shown = "".join(gate.feed(char) for char in text)
    assert shown == "Use a < b, then:\n"
    assert shown + gate.rest(text) == text


@given(st.text(alphabet="ab<>`{[ \ntool_cal", max_size=60), st.integers(1, 7))
def test_gate_never_loses_or_doubles_text(text: str, size: int) -> None:
    gate = TextGate()
    shown = "".join(gate.feed(text[at : at + size]) for at in range(0, len(text), size))
    assert shown + gate.rest(text) == text
