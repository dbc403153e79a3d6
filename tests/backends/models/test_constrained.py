from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handiwork.backends.models.constrained import AnswerStream, instructions, read_reply, reply_schema
from handiwork.backends.models.dialogue import plain_dialogue, tool_dialogue
from handiwork.backends.models.profile import SMALL, Profile
from handiwork.backends.models.writing import Writing, runs_in_circles
from handiwork.core.types import Message, ModelReply, ModelRequest, ToolCall

PATH = {"type": "string"}


def tool(name: str, *required: str, **optional: object) -> dict[str, object]:
    properties = {**dict.fromkeys(required, PATH), **optional}
    parameters = {"type": "object", "properties": properties, "required": list(required)}
    return {"type": "function", "function": {"name": name, "description": f"Does {name}.", "parameters": parameters}}


TOOLS = [tool("read_file", "path", limit={"type": "integer"}), tool("add", "a", "b")]


def test_only_supplied_tools_are_named() -> None:
    text = instructions(TOOLS, SMALL)
    assert "read_file(path): Does read_file." in text
    assert "terminal" not in text
    assert "write_file" not in text
    assert "terminal" in instructions([*TOOLS, tool("terminal", "command"), tool("write_file", "path")], SMALL)


def test_the_schema_offers_each_tool_and_the_answer_thought_first() -> None:
    read, _add, answer = reply_schema(TOOLS, SMALL)["anyOf"]
    assert list(read["properties"]) == ["part", "tool", "arguments"]
    assert read["properties"]["tool"] == {"const": "read_file"}
    assert list(read["properties"]["arguments"]["properties"]) == ["path"]
    assert list(answer["properties"]) == ["part", "answer"]
    full = reply_schema(TOOLS, Profile(thought="", lean_arguments=False), without=["add"])["anyOf"]
    assert len(full) == 2
    assert "limit" in full[0]["properties"]["arguments"]["properties"]
    assert list(full[0]["properties"]) == ["tool", "arguments"]
    assert reply_schema(TOOLS, SMALL, loose=True)["anyOf"][1]["properties"]["arguments"] == {"type": "object"}


def test_replies_are_read_back() -> None:
    call = read_reply('{"part": "look", "tool": "add", "arguments": {"a": "ü"}}', SMALL)
    assert call == ModelReply("look", (ToolCall("add", '{"a": "ü"}'),))
    assert read_reply('{"part": "", "answer": "42"}', SMALL) == ModelReply("42")
    assert read_reply('{"part": "", "ans', SMALL) is None
    assert read_reply("[1]", SMALL) is None


def past() -> list[Message]:
    call = {"id": "c", "type": "function", "function": {"name": "add", "arguments": '{"a": "1"}'}}
    return [
        {"role": "system", "content": "You are."},
        {"role": "user", "content": "Add it up."},
        {"role": "assistant", "content": "add", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "name": "add", "content": "3"},
    ]


def test_a_dialogue_tells_calls_and_results_and_reminds_of_the_task() -> None:
    dialogue = tool_dialogue(ModelRequest(past(), TOOLS), SMALL)
    system, user, said, result = dialogue.messages
    assert system["content"].startswith("You are.")
    assert user["content"] == "Add it up."
    assert json.loads(said["content"]) == {"part": "add", "tool": "add", "arguments": {"a": "1"}}
    assert result["role"] == "user"
    assert result["content"].startswith("Result of add: 3\n\nThe task: Add it up.")
    assert dialogue.repeated == ""


def test_a_repeated_call_is_noticed_until_the_next_task() -> None:
    again = [
        {**m, "tool_calls": [{**m["tool_calls"][0], "id": "d"}]} if "tool_calls" in m else {**m, "tool_call_id": "d"}
        for m in past()[2:]
    ]
    dialogue = tool_dialogue(ModelRequest([*past(), *again], TOOLS), SMALL)
    assert dialogue.repeated == "add"
    assert "same call before" in dialogue.messages[-1]["content"]
    assert tool_dialogue(ModelRequest([*past(), *again, past()[1]], TOOLS), SMALL).repeated == ""


def test_what_was_read_stays_the_same_text_as_the_conversation_grows() -> None:
    short = tool_dialogue(ModelRequest(past(), TOOLS), SMALL).messages
    longer = tool_dialogue(
        ModelRequest([*past(), {"role": "assistant", "content": "3"}, past()[1]], TOOLS), SMALL
    ).messages
    assert longer[: len(short)] == short


def test_a_dialogue_without_tools_is_plain() -> None:
    roles = [m["role"] for m in plain_dialogue(ModelRequest(past())).messages]
    assert roles == ["system", "user", "assistant", "user"]


@given(st.text(), st.integers(1, 5))
def test_the_answer_streams_whole_and_once(answer: str, size: int) -> None:
    raw = json.dumps({"part": 'says "answer": "no"', "answer": answer})
    stream = AnswerStream()
    shown = "".join(stream.feed(raw[at : at + size]) for at in range(0, len(raw), size))
    assert shown == answer


def test_calls_do_not_stream() -> None:
    assert AnswerStream().feed('{"part": "x", "tool": "add", "arguments": {"answer_": "y"}}') == ""


@pytest.mark.parametrize(
    ("text", "circles"), [("x" + '"$(echo ' * 6, True), ("1,2,3,4,5,6", False), ("-" * 400, False)]
)
def test_circles(text: str, circles: bool) -> None:
    assert runs_in_circles(text) is circles


def test_writing_counts_and_stops() -> None:
    writing = Writing(None, AnswerStream())
    assert not writing.take({"choices": [{"delta": {"content": "a"}, "finish_reason": None}]})
    assert not writing.take(
        {"choices": [{"delta": {}, "finish_reason": "length"}], "timings": {"prompt_n": 3, "predicted_n": 1}}
    )
    assert (writing.text, writing.cut_off, writing.usage.input_tokens) == ("a", True, 3)
    assert writing.take({"error": {"message": "failed to parse grammar"}})
    assert writing.is_form_refused
