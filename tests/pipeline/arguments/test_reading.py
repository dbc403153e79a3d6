"""Texts that hold arguments: strict JSON, what models write instead, and damage."""

from __future__ import annotations

from typing import Any

import pytest

from handiwork.pipeline.arguments.reading import read_object, read_value
from handiwork.pipeline.arguments.strings import Unreadable

A = {"path": "a"}


@pytest.mark.parametrize(
    "text",
    [
        '{"path": "a"}',
        '\ufeff {"path": "a"}\n',
        '```json\n{"path": "a"}\n```',
        '```\n{"path": "a"}',
        'Sure, here it is:\n```json\n{"path": "a"}\n```\nAnything else?',
        '<tool_call>\n{"path": "a"}\n</tool_call>',
        'arguments = {"path": "a"};',
        '{"path": "a"}}',
        '{"path": "a"}]',
        '{"path": "a"}<|im_end|>',
        '{}{"path": "a"}',
        '{"path": "a"}\n{"path": "a"}',
        '"{\\"path\\": \\"a\\"}"',
        '{\\"path\\": \\"a\\"}',
        '\'{"path": "a"}\'',
        "use {x} so: {'path': 'a'}",
    ],
)
def test_reads_the_one_object(text: str) -> None:
    assert read_object(text, []) == A


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"path": "a"', "cut off"),
        ('{"path": "a", "limit": 5', "cut off"),
        ('{"path": "/a", "lim', "cut off"),
        ('{"path": "hello wor', "cut off"),
        ('{"path": "a", "deep": tru', "cut off"),
        ('{"path": {"inner": 1}', "cut off"),
        ('"{\\"path\\": \\"a\\"', "cut off"),
        ('{"path": "a"}{"path": "b', "cut off"),
        ('{"path": "a"}{"path": "b"}', "two different objects"),
        ('{"path": "a"}, "limit": 5}', "closed too early"),
        ('"limit": 5, {"path": "a"}', "closed too early"),
        ('x "limit": 5, {"path": "a"}', "outside of the object"),
        ('{"path": "a", "path": "b"}', "stands twice"),
        ("{'path': 'a', 'path': 'b'}", "stands twice"),
        ('{"n": NaN}', "NaN"),
        ("{'n': -Infinity}", "Infinity"),
        ('{"path": "\\ud83d"}', "half of a character"),
        ('{"path": "\ud83d"}', "half of a character"),
        ("I will now read the file.", "no JSON object"),
        ('{"n": ' + "1" * 5000 + "}", "too long"),
        ('{"n":' * 5000, "nested too deep"),
    ],
)
def test_refuses_what_has_no_certain_reading(text: str, why: str) -> None:
    with pytest.raises(Unreadable, match=why):
        read_object(text, [])


def test_says_what_was_mended() -> None:
    notes: list[str] = []
    read_object("Here: {'path': 'a',}", notes)
    assert "trailing comma" in notes[0]
    assert "text around it" in notes[0]


def test_integers_are_exact_and_characters_whole() -> None:
    text = '{"id": 9007199254740993, "face": "\\ud83d\\ude00"}'
    assert read_object(text, []) == {"id": 9007199254740993, "face": "😀"}


@pytest.mark.parametrize(
    ("text", "value"),
    [("[1, 2]", [1, 2]), ("['a', \"b\"]", ["a", "b"]), ('"[1]"', [1]), ("```json\n{'a': None}\n```", {"a": None})],
)
def test_reads_the_text_of_one_parameter(text: str, value: Any) -> None:
    assert read_value(text, []) == value


@pytest.mark.parametrize("text", ["[1, 2", "[1] and more", "see {'a': 1}", "[a-z]"])
def test_the_text_of_one_parameter_counts_whole(text: str) -> None:
    with pytest.raises(Unreadable):
        read_value(text, [])
