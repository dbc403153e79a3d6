"""What tool searches found, read back from a conversation."""

from __future__ import annotations

import json

import pytest

from handiwork.core.finding import names_found
from handiwork.core.wire import is_loaded


def search(id, name="tool_search"):
    return {"role": "assistant", "tool_calls": [{"id": id, "function": {"name": name, "arguments": "{}"}}]}


def said(id, content):
    return {"role": "tool", "tool_call_id": id, "content": content}


def tools(*names):
    return json.dumps({"tools": [{"name": name, "description": "x"} for name in names], "note": "y"})


def test_finds_come_in_the_order_of_the_conversation():
    messages = [
        search("b"),
        said("b", tools("y", "x")),
        {"role": "user", "content": "?"},
        search("a"),
        said("a", tools("z")),
    ]
    assert list(names_found(messages).items()) == [("b", ("y", "x")), ("a", ("z",))]


def test_only_the_search_counts():
    messages = [search("a", "read_file"), said("a", tools("x")), said("lost", tools("x")), search("b")]
    assert names_found(messages) == {}


@pytest.mark.parametrize(
    "content", ["", "no", "[]", "3", '{"error": "x"}', '{"tools": {"name": "x"}}', '{"tools": ["x"]}']
)
def test_an_answer_of_another_form_is_no_find(content):
    assert names_found([search("a"), said("a", content)]) == {}


@pytest.mark.parametrize(
    ("definition", "loaded"), [({}, True), ({"defer_loading": False}, True), ({"defer_loading": True}, False)]
)
def test_what_a_model_reads_from_the_start(definition, loaded):
    assert is_loaded(definition) is loaded
