"""Schemas in words."""

from __future__ import annotations

import json
from typing import Any

import pytest

from handiwork.pipeline.arguments.compiler import Compiler
from handiwork.pipeline.arguments.wording import describe, example_call

resolve = Compiler({"$defs": {"n": {"type": "integer"}}}).resolve


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "integer", "minimum": 1, "maximum": 9}, "an integer from 1 to 9"),
        ({"type": "number", "minimum": 0}, "a number of at least 0"),
        ({"enum": ["a", 1, None]}, 'one of "a", 1, null'),
        ({"type": "array", "items": {"$ref": "#/$defs/n"}}, "a list, each member an integer"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "a string or null"),
        ({"type": ["boolean", "null"]}, "true or false or null"),
        ({}, "a value"),
    ],
)
def test_describes(schema: Any, words: str) -> None:
    assert describe(schema, resolve) == words


def test_an_example_keeps_what_was_right_and_shows_what_was_wanted() -> None:
    schema = {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "mode": {"enum": ["r", "w"]},
            "n": {"$ref": "#/$defs/n"},
            "edits": {
                "type": "array",
                "items": {"type": "object", "properties": {"old": {"type": "string"}}, "required": ["old"]},
            },
            "unused": {"type": "string"},
        },
        "required": ["path", "mode", "edits"],
    }
    call = json.loads(example_call(schema, resolve, given={"path": "a"}, wanted={"n"}))
    assert call == {"path": "a", "mode": "r", "n": 1, "edits": [{"old": "..."}]}
