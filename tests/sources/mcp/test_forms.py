from __future__ import annotations

from typing import Any

import pytest

from handiwork.sources.mcp.asking.forms import defaults_of, read_form, secrets_in


def form(required: tuple[str, ...] = (), **fields: Any) -> dict[str, Any]:
    return {"type": "object", "properties": fields, "required": list(required)}


@pytest.mark.parametrize(
    ("schema", "said", "value"),
    [
        ({"type": "integer"}, "12", 12), ({"type": "number"}, "1.5", 1.5), ({"type": "boolean"}, "Y", True),
        ({"type": "boolean"}, "no", False), ({"type": "string"}, " a b ", "a b"), ({"type": "string"}, "007", "007"),
        ({"type": "string", "enum": ["a", "b"]}, "B", "b"),
        ({"type": "string", "oneOf": [{"const": "#f00", "title": "Red"}]}, "red", "#f00"),
        ({"type": "string", "enum": ["r"], "enumNames": ["Red"]}, "Red", "r"),
        ({"type": "array", "items": {"enum": ["a", "b"]}}, "b, a", ["b", "a"]),
        ({"type": "array", "items": {}}, "", []),
    ],
)  # fmt: skip
def test_words_become_the_value_that_is_meant(schema: dict[str, Any], said: str, value: Any):
    assert read_form(form(a=schema))[0].read(said) == value


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"type": "integer"}, "1.5"), ({"type": "integer"}, "ten"), ({"type": "boolean"}, "maybe"),
        ({"type": "integer", "maximum": 3}, "4"), ({"type": "string", "minLength": 2}, "a"),
        ({"type": "string", "enum": ["a"]}, "b"), ({"type": "array", "items": {"enum": ["a"]}}, "a, b"),
    ],
)  # fmt: skip
def test_what_does_not_fit_says_what_is_expected(schema: dict[str, Any], said: str):
    with pytest.raises(ValueError, match="expected"):
        read_form(form(a=schema))[0].read(said)


@pytest.mark.parametrize("schema", [{}, {"properties": {"a": {"type": "object"}}}, {"properties": {"a": 1}}])
def test_a_form_that_is_none_is_refused(schema: dict[str, Any]):
    with pytest.raises(ValueError, match="field"):
        read_form(schema)


@pytest.mark.parametrize(
    "name",
    ["password", "dbPassword", "API_KEY", "apiToken", "client-secret", "pin", "OTP", "seedPhrase", "Card number"],
)
def test_fields_that_want_secrets_are_known(name: str):
    assert secrets_in(read_form(form(**{name: {"type": "string"}}))) == [name]
    assert secrets_in(read_form(form(x={"type": "string", "title": name}))) == ["x"]


@pytest.mark.parametrize(
    "name", ["pinned", "compass", "tokenizer", "secretary", "shipping", "author", "monkey", "spin"]
)
def test_fields_that_only_look_like_it_are_not(name: str):
    assert secrets_in(read_form(form(**{name: {"type": "string"}}))) == []


def test_defaults_fill_a_form_only_where_nothing_else_is_needed():
    fields = {"a": {"type": "integer", "default": 0}, "b": {"type": "string"}}
    assert defaults_of(read_form(form(**fields))) == {"a": 0}
    assert defaults_of(read_form(form(("b",), **fields))) is None
