"""Almost-JSON: its values, and what is refused because it could mean two things."""

from __future__ import annotations

from typing import Any

import pytest

from handiwork.pipeline.arguments.lenient import MAX_DEPTH, LenientReader
from handiwork.pipeline.arguments.strings import Unreadable


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{a: 1, b-c: 2, $d: 3}", {"a": 1, "b-c": 2, "$d": 3}),
        ("{'a': True, 'b': None, 'c': (1, 2)}", {"a": True, "b": None, "c": [1, 2]}),
        ("[1, 2,]", [1, 2]),
        ("{// why\n'a': 1, /* and */ 'b': 2 # so\n}", {"a": 1, "b": 2}),
        ("[0x1F, -0x10, .5, 5., +3, 1e3]", [31, -16, 0.5, 5.0, 3, 1000.0]),
        ("[9007199254740993]", [9007199254740993]),
        ("{\\n  'a': 1\\n}", {"a": 1}),
        ("{“a”：1，“b”：[2，3]}", {"a": 1, "b": [2, 3]}),
        ("{1: 'a'}", {"1": "a"}),
        ("{'a': 1, 'a': 1}", {"a": 1}),
        ("[[], {}, ()]", [[], {}, []]),
    ],
)
def test_reads(text: str, value: Any) -> None:
    reader = LenientReader(text)
    assert reader.read() == value
    assert reader.pos == len(text)


@pytest.mark.parametrize(
    "text",
    [
        "[007]",
        "[1 2]",
        "[1,,2]",
        "[,]",
        "{a}",
        "{a: b}",
        "[10:30]",
        "[2024-01-01]",
        "[5px]",
        "[...]",
        "{'a': 1 'b': 2}",
        "[1}",
        "[1e999]",
        "[undefined]",
    ],
)
def test_refuses(text: str) -> None:
    with pytest.raises(Unreadable):
        LenientReader(text).read()


@pytest.mark.parametrize(
    "text", ["[1", "[1,", "{'a'", "{'a':", "{'a': 1", "[tru", "[[1]", "{'a': 'b", "[-", "{", "[/* x"]
)
def test_tells_a_cut_from_other_damage(text: str) -> None:
    with pytest.raises(Unreadable, match=r"cut off|not valid JSON"):
        LenientReader(text).read()


def test_depth_is_bounded() -> None:
    deep = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    assert LenientReader(deep).read()
    with pytest.raises(Unreadable, match="nested"):
        LenientReader(f"[{deep}]").read()
