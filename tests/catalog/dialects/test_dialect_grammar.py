"""What we say to llama.cpp, its engine for JSON Schema turns into a grammar; and what that lets through."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from llguidance import LLMatcher, LLTokenizer

from handiwork.catalog.dialects import UnsayableSchemaError, adapt_schema

from .shapes import TREE, roots

GOLDENS = Path(__file__).parent / "goldens"
BYTES = LLTokenizer("byte")


def grammar(schema: Any) -> str:
    return LLMatcher.grammar_from_json_schema(adapt_schema(schema, "llamacpp"))


def complaint(schema: Any) -> str:
    return LLMatcher.validate_grammar(grammar(schema))


def lets_through(schema: Any, value: Any) -> bool:
    matcher = LLMatcher(BYTES, grammar(schema))
    tokens = BYTES.tokenize_str(json.dumps(value))
    return matcher.try_consume_tokens(tokens) == len(tokens) and matcher.is_accepting()


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(roots)
def test_any_schema_becomes_a_grammar(schema: Any) -> None:
    try:
        said = complaint(schema)
    except UnsayableSchemaError:
        assume(False)
        raise
    assert not said or "nsatisfiable" in said  # a schema that nothing fits fits nothing here either


@pytest.mark.parametrize("name", ["issue_tracker", "query", "page_blocks"])
def test_real_schemas_become_grammars(name: str) -> None:
    assert not complaint(json.loads((GOLDENS / f"{name}.json").read_text("utf-8")))


def test_the_engine_complains_of_what_isnt_adapted() -> None:
    raw = {"type": "object", "properties": {"x": {"not": {"type": "string"}}}}
    assert LLMatcher.validate_grammar(LLMatcher.grammar_from_json_schema(raw))
    assert not complaint(raw)


def test_the_grammar_lets_through_what_is_legal_and_stops_the_rest() -> None:
    leaf = {"name": "a", "kids": []}
    assert lets_through(TREE, {"root": {"name": "a", "kids": [leaf, leaf]}})
    assert not lets_through(TREE, {"root": {"name": 1}})
    anything = {"type": "object", "properties": {"x": {"description": "anything"}}, "required": ["x"]}
    assert all(lets_through(anything, {"x": value}) for value in (None, 1, 1.5, "a", [1, ["b"]], {"c": {}}))
    assert not lets_through(anything, {})


@pytest.mark.parametrize(
    ("pattern", "is_kept"),
    [
        ("^[a-z]+$", True),
        (r"^\d{3}$", False),
        ("^(a|b)1?$", True),
        ("^a|b$", False),
        ("a", False),
        ("^(?=x)a$", False),
        ("^.*$", False),
        (r"^[0-9a-f]{6}$", True),
        (r"^v\.[0-9]+$", True),
        ('^"$', False),
    ],
)
def test_only_patterns_that_a_grammar_follows_are_kept(pattern: str, is_kept: bool) -> None:
    schema = {"type": "object", "properties": {"x": {"type": "string", "pattern": pattern}}}
    assert ("pattern" in adapt_schema(schema, "llamacpp")["properties"]["x"]) == is_kept
    assert not complaint(schema)
