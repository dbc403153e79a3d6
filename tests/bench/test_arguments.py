from __future__ import annotations

from pathlib import Path
from typing import Any

import arguments
import pytest
import typed

INTEGER = {"accept": [{"x": 5}]}


@pytest.mark.parametrize(
    ("case", "outcome", "expected"),
    [
        (INTEGER, {"args": {"x": 5}}, "right"),
        (INTEGER, {"args": {"x": 5.0}}, "right"),
        (INTEGER, {"args": {"x": 5, "y": None}}, "right"),
        (INTEGER, {"args": {"x": "5"}}, "wrong"),
        (INTEGER, {"args": {}}, "wrong"),
        (INTEGER, {"error": "no"}, "error"),
        ({"accept": [{"x": True}]}, {"args": {"x": 1}}, "wrong"),
        ({"accept": ["ERR"]}, {"error": "no"}, "right"),
        ({"accept": ["ERR"]}, {"args": {}}, "wrong"),
        ({"accept": [{"$json_str": '{"x": [1]}'}]}, {"args": {"x": [1]}}, "right"),
    ],
)
def test_a_verdict(case: dict[str, Any], outcome: dict[str, Any], expected: str) -> None:
    assert arguments.verdict(case, outcome) == expected


def test_a_score_counts_and_names_what_was_missed() -> None:
    judged = [("a", "right", {}), ("b", "wrong", {"args": {}}), ("c", "error", {"error": "x"})]
    made = arguments.score("demo", "1", judged)
    assert (made.cases, made.right, made.wrong, made.errors) == (3, 1, 1, 1)
    assert list(made.missed) == ["b", "c"]


def test_the_table_is_written_between_its_marks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{arguments.MARKS[0]}\nold\n{arguments.MARKS[1]}\nafter\n", "utf-8")
    monkeypatch.setattr(arguments, "PAGE", page)
    arguments.write_page(arguments.markdown([arguments.score("demo", "1", [("a", "right", {})])]))
    text = page.read_text("utf-8")
    assert "old" not in text
    assert "| demo | 1 | 1 of 1 | 0 | 0 |" in text
    assert text.startswith("before\n")
    assert text.endswith("\nafter\n")


def test_a_function_with_the_schema_as_its_signature() -> None:
    got: list[Any] = []
    schema = {
        "type": "object",
        "properties": {"n": {"type": "integer"}, "tags": {"type": "array", "items": {"$ref": "#/$defs/tag"}}},
        "required": ["tags"],
        "$defs": {"tag": {"enum": ["a", "b"]}},
    }
    probe = typed.function_of(schema, lambda args: got.append(args) or "ok")
    assert probe(["a"]) == "ok"
    assert got == [{"tags": ["a"]}]
    assert str(probe.__annotations__["tags"]) == "list[typing.Literal['a', 'b']]"
    with pytest.raises(typed.InexpressibleError):
        typed.function_of({"properties": {"a-b": {}}}, lambda args: "")
