"""Kinds of mistakes that were found by the grammar of mistakes, five cases of each."""

from __future__ import annotations

import json
from typing import Any

import pytest

from handiwork.pipeline.repair import compile_plan

CHOICES = ["north west", "free throw %", "Seoul, South Korea", "Ward (new)", "dry-run", "24 hours", "1-5"]
TOOL = {
    "type": "object",
    "properties": {
        "path": {"type": "string"},
        "limit": {"type": "integer"},
        "deep": {"type": "boolean"},
        "where": {"type": "object", "properties": {"line": {"type": "integer"}}},
        "choice": {"type": "string", "enum": CHOICES},
        "either": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        "grid": {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
    },
}
PAIR = {"type": "object", "properties": {"path": {"type": "string"}, "text": {"type": "string"}}, "required": ["path"]}


def repaired(schema: dict[str, Any], raw: Any) -> Any:
    """The arguments, or the error's first two lines."""
    result = compile_plan(schema).apply(raw if isinstance(raw, str) else json.dumps(raw))
    return result.args if result.error is None else result.error.split("\nNothing")[0]


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ({"limit": [5]}, {"limit": 5}),
        ({"limit": ["5"], "path": ["a"]}, {"limit": 5, "path": "a"}),
        ({"where": [{"line": ["3"]}]}, {"where": {"line": 3}}),
        ({"choice": ["DRY RUN"]}, {"choice": "dry-run"}),
        ({"either": [7], "deep": ["true"]}, {"either": 7, "deep": True}),
    ],
)
def test_a_list_of_one_where_only_a_value_is_legal(given: Any, meant: Any) -> None:
    assert repaired(TOOL, given) == meant


@pytest.mark.parametrize("given", [[1], [True], [1.5], [{"a": 1}], [["a"]]])
def test_where_text_is_wanted_a_list_may_be_meant_as_json(given: Any) -> None:
    assert "path: expected a string" in repaired(TOOL, {"path": given})


TWINS = {"type": "object", "properties": {name: {"type": "string"} for name in ("file_path", "filePath", "a")}}


@pytest.mark.parametrize("name", ["file-path", "FilePath", "file path", "FILE_PATH", "filepath"])
def test_a_name_that_may_be_either_of_two_is_asked_about(name: str) -> None:
    assert "may be file_path or filePath" in repaired(TWINS, {name: "x"})
    assert repaired(TWINS, {name: "x", "filePath": "y"}) == {name: "x", "filePath": "y"}


@pytest.mark.parametrize(
    "given", [{"limit": []}, {"limit": [5, 6]}, {"path": [["a"]]}, {"limit": [{"a": 1}]}, {"path": [None]}]
)
def test_another_list_is_no_value(given: Any) -> None:
    assert "arguments are wrong" in repaired(TOOL, given)


def test_a_list_that_is_legal_stays() -> None:
    schema = {"type": "object", "properties": {"x": {"type": ["array", "string"]}, "y": {}}}
    assert repaired(schema, {"x": ["a"], "y": ["b"]}) == {"x": ["a"], "y": ["b"]}


@pytest.mark.parametrize(
    "text",
    [
        '{"path": "a", "text": "x"',
        '{"text": "x", "path": "a"\n',
        "{'path': 'a', 'text': 'x'",
        '```json\n{"path": "a", "text": "x"\n```',
        'Here: {"path": "a", "text": "x"  ',
    ],
)
def test_a_last_brace_is_put_in_where_every_argument_is_there(text: str) -> None:
    assert repaired(PAIR, text) == {"path": "a", "text": "x"}


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        (PAIR, '{"path": "a"'),  # text may have followed
        (PAIR, '{"path": "a", "text": "x'),
        (PAIR, '{"path": "a", "text": ["x"'),
        (PAIR, '{"path": "a", "text": "x"}{"path": "a", "text": "y"'),
        ({"type": "object", "properties": {"limit": {"type": "integer"}}}, '{"limit": 5'),  # 5 may begin 50
        ({**PAIR, "additionalProperties": True}, '{"path": "a", "text": "x"'),
        ({"type": "object"}, '{"path": "a"'),
    ],
)
def test_what_may_lack_more_than_a_brace_is_cut_off(schema: dict[str, Any], text: str) -> None:
    assert "could not be read" in repaired(schema, text)


@pytest.mark.parametrize(
    ("spelt", "choice"),
    [
        ("north-west", CHOICES[0]),
        ("free-throw-%", CHOICES[1]),
        ("Seoul,-south-Korea", CHOICES[2]),
        ("ward-(new)", CHOICES[3]),
        ("DRY_RUN", CHOICES[4]),
        ("24-hours", CHOICES[5]),
    ],
)
def test_the_separators_of_a_choice(spelt: str, choice: str) -> None:
    assert repaired(TOOL, {"choice": spelt}) == {"choice": choice}


@pytest.mark.parametrize("spelt", ["15", "24hours", "-24 hours", "1--", "5-1"])
def test_no_separator_is_not_a_separator_between_numbers(spelt: str) -> None:
    assert "choice: expected one of" in repaired(TOOL, {"choice": spelt})


@pytest.mark.parametrize("word", [None, "", "null", "None", " NULL "])
def test_a_word_for_nothing_is_no_choice(word: Any) -> None:
    assert repaired(TOOL, {"path": "a", "choice": word}) == {"path": "a"}


@pytest.mark.parametrize("word", ["none", "null"])
def test_a_word_for_nothing_that_is_a_choice_stays(word: str) -> None:
    schema = {"type": "object", "properties": {"mode": {"type": "string", "enum": ["none", "null", "all"]}}}
    assert repaired(schema, {"mode": word}) == {"mode": word}


@pytest.mark.parametrize("stray", ["limits", "limt", "limit1", "Limitz", "lim_its"])
def test_a_default_does_not_stand_in_for_a_misspelt_required_name(stray: str) -> None:
    schema = {"type": "object", "properties": {"limit": {"type": "integer", "default": 9}}, "required": ["limit"]}
    assert f'(you gave "{stray}")' in repaired(schema, {stray: 3})
    assert repaired(schema, {"explanation": "why"}) == {"explanation": "why", "limit": 9}


@pytest.mark.parametrize(
    "text",
    ['{ # why\n"path": "a"}', '{"path": # why\n "a"}', '{"path": "a" # why\n}', '{# why\n# so\n"path": "a"}',
     'So: { # why\n path: "a"}'],
)  # fmt: skip
def test_comments_with_a_number_sign(text: str) -> None:
    assert repaired(TOOL, text) == {"path": "a"}


@pytest.mark.parametrize("text", ["[x, y]", "[a]", " [one, two] ", "[x,]", "[*.py]"])
def test_a_text_in_brackets_is_a_damaged_list_and_no_member(text: str) -> None:
    schema = {"type": "object", "properties": {"tags": {"type": "array", "items": {"type": "string"}}}}
    assert "tags: expected a list" in repaired(schema, {"tags": text})
    assert repaired(schema, {"tags": f"{text.strip()}.txt"}) == {"tags": [f"{text.strip()}.txt"]}


@pytest.mark.parametrize("required", [[[]], [{}], [1, None], [["path"]], [{"path": 1}]])
def test_required_names_that_are_no_names(required: Any) -> None:
    inner = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": required}
    schema = {"type": "object", "properties": {"path": {"type": "string"}, "in": inner}, "required": [*required, "in"]}
    assert "in: required" in repaired(schema, {})
