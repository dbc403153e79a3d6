"""Types and choices."""

from __future__ import annotations

from typing import Any

import pytest

from handiwork.pipeline.arguments.compiler import Compiler
from handiwork.pipeline.arguments.trace import WRONG, Trace


def fix(schema: Any, value: Any) -> Any:
    return Compiler({}).compile(schema).fix(value, None, Trace())


@pytest.mark.parametrize(
    ("choices", "value", "meant"),
    [
        (["overwrite", "read_only"], "Overwrite", "overwrite"),
        (["overwrite", "read_only"], " overwrite\n", "overwrite"),
        (["overwrite", "read_only"], "read-only", "read_only"),
        (["overwrite", "read_only"], "readOnly", "read_only"),
        (["overwrite", "read_only"], '"overwrite"', "overwrite"),
        (["asc", "ASC"], "asc", "asc"),
        ([1, 2], "2", 2),
        (["1", "2"], 2, "2"),
        ([True, "auto"], "True", True),
        (["a", None], "null", None),
        (["a", None], "None", None),
    ],
)
def test_a_choice_is_found_by_its_spelling(choices: list[Any], value: Any, meant: Any) -> None:
    found = fix({"enum": choices}, value)
    assert found == meant
    assert type(found) is type(meant)


@pytest.mark.parametrize(
    ("choices", "value"),
    [
        (["overwrite", "append"], "delete"),
        (["overwrite", "append"], "over"),
        (["overwrite"], ""),
        (["a-b", "a_b"], "A B"),
        ([1, 2], "-1"),
        ([1], True),
        (["c++", "c"], "C#"),
        ([["a"]], "a"),
        (["a"], {"a": 1}),
    ],
)
def test_no_choice_is_guessed(choices: list[Any], value: Any) -> None:
    assert fix({"enum": choices}, value) is WRONG


def test_a_const_is_a_choice_of_one() -> None:
    assert fix({"const": "file"}, "File") == "file"
    assert fix({"const": 5, "type": "integer"}, "5") == 5
    assert fix({"const": 5}, 6) is WRONG


@pytest.mark.parametrize("value", ["007", "true", "null", "[1]", '{"a":1}', "", "  x\n", "1e5", "```json\n{}\n```"])
def test_a_legal_text_is_never_touched(value: str) -> None:
    assert fix({"type": "string"}, value) is value
    assert fix({"type": ["integer", "string", "null", "array"]}, value) is value


@pytest.mark.parametrize("schema", [{}, {"type": "number"}, {"type": ["number", "null"]}])
@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_json_cannot_hold_is_refused(schema: Any, value: float) -> None:
    assert fix(schema, value) is WRONG


def test_a_whole_float_is_a_legal_integer_and_is_written_as_one() -> None:
    trace = Trace()
    found = Compiler({}).compile({"type": "integer"}).fix(5.0, None, trace)
    assert repr(found) == "5"
    assert trace.clean
