"""Single values turned into another type, exactly or not at all."""

from __future__ import annotations

from typing import Any

import pytest

from handiwork.pipeline.arguments.conversion import CONVERTERS, kind_of, means_nothing, reading_as
from handiwork.pipeline.arguments.trace import Source, Trace


@pytest.mark.parametrize(
    ("kind", "value", "turned"),
    [
        ("integer", "42", 42),
        ("integer", " -7 ", -7),
        ("integer", "+5", 5),
        ("integer", "9007199254740993", 9007199254740993),
        ("integer", "42.0", 42),
        ("integer", "1e3", 1000),
        ("integer", "0x1F", 31),
        ("integer", "007", 7),
        ("integer", "09", 9),
        ("integer", '"5"', 5),
        ("integer", 5.0, 5),
        ("number", "0.5", 0.5),
        ("number", ".5", 0.5),
        ("number", "12345678901234567890123", 12345678901234567890123),
        ("boolean", " TRUE ", True),
        ("boolean", "no", False),
        ("boolean", 1, True),
        ("null", "None", None),
        ("string", 42, "42"),
        ("string", True, "true"),
        ("string", 0.5, "0.5"),
        ("array", "['a']", ["a"]),
        ("array", "[a-z]*.py", ["[a-z]*.py"]),
        ("array", (1, 2), [1, 2]),
        ("object", "{'a': 1}", {"a": 1}),
    ],
)
def test_turns(kind: str, value: Any, turned: Any) -> None:
    found = CONVERTERS[kind](value, Trace())
    assert found is not None
    assert found[0] == turned
    assert type(found[0]) is type(turned)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("integer", "3.7"),
        ("integer", "1,000"),
        ("integer", "0644"),
        ("integer", "010"),
        ("integer", "5px"),
        ("integer", True),
        ("integer", 3.7),
        ("integer", float("inf")),
        ("integer", ""),
        ("integer", "1" * 5000),
        ("integer", "1_000"),
        ("number", "NaN"),
        ("number", "Infinity"),
        ("number", "50%"),
        ("number", "1e999"),
        ("number", "1,5"),
        ("number", False),
        ("boolean", "maybe"),
        ("boolean", 2),
        ("boolean", 1.0),
        ("string", ["a"]),
        ("string", {"a": 1}),
        ("string", None),
        ("array", ""),
        ("array", "null"),
        ("array", None),
        ("array", '["a", "b'),
        ("array", '{"a": '),
        ("array", '"a", "b"'),
        ("array", "'a'"),
        ("object", "text"),
        ("object", "[1]"),
        ("object", '{"a": 1'),
        ("null", 0),
        ("null", "nothing"),
    ],
)
def test_leaves_what_has_no_certain_reading(kind: str, value: Any) -> None:
    assert CONVERTERS[kind](value, Trace()) is None


@pytest.mark.parametrize(
    ("text", "number", "spelt"),
    [
        ('{"version": 1.5}', 1.5, "1.5"),
        ('{"id": -7}', -7, "-7"),
        ('{"version": 1.10}', 1.1, None),
        ("{'phone': +4912345}", 4912345, None),
        ("{'mask': 0x1F}", 31, None),
        ('{"size": 1e5}', 100000.0, None),
    ],
)
def test_a_number_becomes_text_only_if_it_was_spelt_like_that(text: str, number: float, spelt: str | None) -> None:
    found = CONVERTERS["string"](number, Trace(Source(text)))
    assert (found and found[0]) == spelt


def test_of_several_types_the_literal_reading_counts() -> None:
    found = reading_as(("boolean", "integer"))("1", Trace())
    assert found is not None
    assert found[0] == 1
    assert type(found[0]) is int
    assert reading_as(("null", "array"))("none", Trace()) == (None, "null written as text", 1)


def test_kinds() -> None:
    assert [kind_of(v) for v in (None, True, 1, 1.5, "", [], {}, object())] == [
        "null", "boolean", "integer", "number", "string", "array", "object", "?",
    ]  # fmt: skip


def test_what_means_nothing() -> None:
    assert all(map(means_nothing, (None, "", " ", "null", "None")))
    assert not any(map(means_nothing, (0, False, [], "nothing", "0")))
