from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from handiwork.backends.models.scripted import ScriptedModel
from handiwork.core.errors import ConfigError, ModelError, UsageError
from handiwork.core.types import ModelReply, ModelRequest, ToolCall


def ask(model: ScriptedModel, *messages: dict[str, object], on_text: object = None) -> ModelReply:
    return asyncio.run(model.reply(ModelRequest(messages, on_text=on_text)))  # type: ignore[arg-type]


def test_all_kinds_of_replies_in_their_order() -> None:
    whole = ModelReply("x", (ToolCall("f", "{}", "own"),))
    model = ScriptedModel(
        [whole, {"calls": [{"name": "g", "arguments": {"a": "ü"}}]}, {"text": "t", "cut_off": True}, "end"]
    )
    assert ask(model) == whole
    assert ask(model).calls == (ToolCall("g", '{"a": "ü"}', "call_1"),)
    assert ask(model).cut_off
    heard: list[str] = []
    assert ask(model, {"role": "user", "content": "hi"}, on_text=heard.append).text == "end"
    assert heard == ["end"]
    assert model.requests[-1].messages == ({"role": "user", "content": "hi"},)


def test_arguments_as_text_are_passed_on_raw() -> None:
    model = ScriptedModel([{"calls": [{"name": "f", "arguments": '{"a": 1', "id": "c"}]}])
    assert ask(model).calls == (ToolCall("f", '{"a": 1', "c"),)


def test_the_end_of_the_script_is_told() -> None:
    model = ScriptedModel(["only"])
    ask(model)
    with pytest.raises(ModelError, match="has come to its end after 1 replies"):
        ask(model)


def test_generated_ids_do_not_repeat_those_of_the_conversation() -> None:
    past = {"role": "assistant", "tool_calls": [{"id": "call_1"}, {"id": "call_3"}]}
    assert ask(ScriptedModel([{"calls": [{"name": "f"}, {"name": "f"}]}]), past).calls[0].id == "call_4"


@pytest.mark.parametrize("line", [3, None, [], {}, {"txet": "x"}, {"calls": "f"}, {"calls": [{"arguments": {}}]}])
def test_a_reply_that_is_none_is_refused(line: object) -> None:
    with pytest.raises(UsageError, match="reply 2"):
        ScriptedModel(["fine", line])  # type: ignore[list-item]


def test_json_list_and_json_lines(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('["one",\n {"text": "two"}]')
    (tmp_path / "b.jsonl").write_text('"one"\n\n{"text": "two"}\n')
    for name in ("a.json", "b.jsonl"):
        model = ScriptedModel.from_file(tmp_path / name)
        assert [ask(model).text, ask(model).text] == ["one", "two"]


@pytest.mark.parametrize(
    ("text", "place"), [('"a"\n{"text": \n"b"', ":2:"), ('[1,\n "x"\n', ":3:"), ('"a"\n{"no": 1}', ":2"), ("[3]", ":1")]
)
def test_damage_is_told_with_its_place(tmp_path: Path, text: str, place: str) -> None:
    (tmp_path / "s.json").write_text(text)
    with pytest.raises(ConfigError) as caught:
        ScriptedModel.from_file(tmp_path / "s.json")
    assert f"s.json{place}" in str(caught.value)


def test_a_file_that_is_not_there_or_not_text(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No such file"):
        ScriptedModel.from_file(tmp_path / "none")
    (tmp_path / "x").write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(ConfigError, match="UTF-8"):
        ScriptedModel.from_file(tmp_path / "x")
