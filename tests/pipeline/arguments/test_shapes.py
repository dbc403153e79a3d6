"""Members of objects and lists: spelling of names, what is left out, what is filled in."""

from __future__ import annotations

from typing import Any

import pytest

from handiwork.pipeline.arguments.compiler import Compiler
from handiwork.pipeline.arguments.trace import WRONG, Trace

STRING, INTEGER = {"type": "string"}, {"type": "integer"}
FILE = {"type": "object", "properties": {"file_path": STRING, "max": INTEGER}, "required": ["file_path"]}
MAP = {**FILE, "additionalProperties": STRING}
CLOSED = {**FILE, "additionalProperties": False}


def fix(schema: Any, value: Any) -> tuple[Any, Trace]:
    trace = Trace()
    return Compiler({}).compile(schema).fix(value, None, trace), trace


@pytest.mark.parametrize("name", ["filePath", "file-path", "File_Path", "FILE_PATH", "file path", "filepath"])
def test_a_name_spelt_otherwise_is_renamed(name: str) -> None:
    assert fix(FILE, {name: "a", "max": "1"})[0] == {"file_path": "a", "max": 1}


def test_a_name_is_renamed_only_if_it_can_mean_one_thing() -> None:
    both = {"type": "object", "properties": {"ab": STRING, "a_b": STRING}}
    assert fix(both, {"aB": "x"})[0] is WRONG
    assert fix(FILE, {"file_path": "a", "filePath": "b"})[0] == {"file_path": "a", "filePath": "b"}
    found, trace = fix(FILE, {"filePath": "a", "FilePath": "b"})
    assert found is WRONG
    assert "more than once" in trace.problems[0]


def test_names_in_a_map_are_data() -> None:
    assert fix({**MAP, "required": []}, {"filePath": "a"})[0] == {"filePath": "a"}


def test_unknown_names_are_kept_or_named() -> None:
    assert fix(FILE, {"file_path": "a", "why": "b"})[0] == {"file_path": "a", "why": "b"}
    assert fix(CLOSED, {"file_path": "a", "maxx": 1})[1].problems == ["maxx: unknown argument; did you mean max?"]
    assert "the known ones are file_path, max" in fix(CLOSED, {"file_path": "a", "why": 1})[1].problems[0]


@pytest.mark.parametrize("nothing", [None, "", "null"])
def test_nothing_for_an_optional_member_means_left_out(nothing: Any) -> None:
    assert fix(FILE, {"file_path": "a", "max": nothing})[0] == {"file_path": "a"}


def test_nothing_for_a_required_member_is_wrong() -> None:
    assert fix(FILE, {"file_path": None})[0] is WRONG
    assert fix(FILE, {"file_path": ""})[0] == {"file_path": ""}


def test_defaults_are_filled_at_every_depth_and_never_shared() -> None:
    inner = {"type": "object", "properties": {"tags": {"type": "array", "items": STRING, "default": ["x"]}}}
    outer = {"type": "object", "properties": {"items": {"type": "array", "items": inner}}}
    node = Compiler({}).compile(outer)
    first = node.fix({"items": [{}]}, None, Trace())
    first["items"][0]["tags"].append("y")
    assert node.fix({"items": [{}]}, None, Trace()) == {"items": [{"tags": ["x"]}]}


def test_a_default_that_is_illegal_is_not_filled() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "integer", "default": None}, "b": {"type": "integer", "default": "5"}},
        "required": ["a"],
    }
    found, trace = fix(schema, {})
    assert found is WRONG
    assert trace.problems == ["a: required but missing, expected an integer"]
    assert fix(schema, {"a": 1})[0] == {"a": 1, "b": 5}


def test_a_missing_name_is_told_with_the_one_given_instead() -> None:
    problem = fix(FILE, {"file_pth": "a"})[1].problems[0]
    assert problem == 'file_path: required but missing, expected a string (you gave "file_pth")'


def test_all_problems_are_told_at_once() -> None:
    _, trace = fix(CLOSED, {"max": "x", "why": 1})
    assert [problem.split(":")[0] for problem in trace.problems] == ["max", "why", "file_path"]


def test_a_bare_item_in_a_list_of_lists_is_refused() -> None:
    nested = {"type": "array", "items": {"type": "array", "items": INTEGER}}
    assert fix(nested, ["[1, 2]", (3, "4")])[0] == [[1, 2], [3, 4]]
    assert fix(nested, [1, 2])[0] is WRONG
    assert fix(nested, 5)[0] is WRONG


def test_problems_carry_the_path() -> None:
    edits = {"type": "object", "properties": {"edits": {"type": "array", "items": FILE}}}
    _, trace = fix(edits, {"edits": [{"file_path": "a"}, {"file_path": "a", "max": "b"}]})
    assert trace.problems == ['edits[1].max: expected an integer, got "b"']
