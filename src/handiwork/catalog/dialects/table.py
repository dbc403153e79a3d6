"""What each dialect can say. Everything else in this package reads this table.

Where the facts come from (providers change; the tests keep what we rely on):

- openai: the function calling guide, and the API's own refusals ("schema must have type 'object' and not
  have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level", "array schema missing items").
- openai-strict: the guide "Structured Outputs", section "Supported schemas": every object closed, every
  property required, optional ones nullable, ten levels, and no keyword beyond its list; `default`,
  `oneOf`, keywords beside `$ref` and unlisted formats are refused ("is not permitted").
- anthropic: the guides "Define tools" and "Tool use": JSON Schema 2020-12 with an object at the root;
  "input_schema does not support oneOf, allOf, or anyOf at the top level"; names of parameters match
  `^[a-zA-Z0-9_.-]{1,64}$`. `input_examples` stand beside the schema.
- gemini: the REST reference of `Schema`, a subset of OpenAPI 3.0: `nullable` instead of a type "null" in
  a list, `enum` of strings only, formats "date-time", "float", "double", "int32", "int64", `type` on every
  node, nothing beside `anyOf`, no `$ref` and no `additionalProperties`.
- llamacpp: llama.cpp's grammars/README.md and json-schema-to-grammar.cpp, which vLLM's grammars resemble:
  local `$ref`, unions that stand alone, anchored patterns, bounds of integers only. `{}` means an object
  there, and an object that lists properties takes no others unless `additionalProperties` says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from ...core.types import Schema

_BASE = frozenset({"type", "description", "enum", "anyOf", "properties", "required", "items", "minItems", "maxItems"})
_BOUNDS = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"})
_LINKS = frozenset({"$ref", "$defs"})
_ANYTHING = ["object", "array", "string", "number", "boolean", "null"]


@dataclass(frozen=True, slots=True)
class Dialect:
    """One way of writing schemas.

    `links`: which references stay references: none, the endless ones, or all.
    `anything` is how it says "any value", `any_property` how it says it for a property, `at_the_end`
    where nothing may nest any deeper.
    `formats` are those it takes, by type; None takes all. `root_names` is the form of parameter names.
    `levels` is how deep objects may nest, `most_properties` how many there may be in all.
    """

    name: str
    keywords: frozenset[str]
    links: Literal["none", "endless", "all"]
    anything: Schema = field(default_factory=dict)
    any_property: Schema = field(default_factory=dict)
    at_the_end: Schema = field(default_factory=dict)
    formats: Mapping[str, frozenset[str]] | None = None
    root_names: str = ""
    levels: int = 0
    most_properties: int = 0
    lone_unions: bool = False  # nothing may stand beside anyOf
    lone_links: bool = True  # nothing may stand beside $ref
    type_lists: bool = True  # "type" may be a list
    typed: bool = False  # every node says its type
    items_said: bool = False  # every array says its items
    listed: bool = False  # only properties may be required
    closed: bool = False  # every object closed, every property required
    nullable: bool = False  # null is a flag, not a type
    string_enums: bool = False  # enums hold strings only
    bounded_integers: bool = False  # bounds for integers only, as integers
    plain_patterns: bool = False  # patterns that a simple grammar can follow
    most_repeats: int = 0  # the highest count it takes; 0 for any


def _nested_list(scalars: list[Schema], times: int) -> Schema:
    """A list of anything, with lists in lists *times* deep."""
    inner = [_nested_list(scalars, times - 1)] if times else []
    return {"type": "array", "items": {"anyOf": [*scalars, *inner]}}


def _any_of(scalars: list[Schema]) -> Schema:
    return {"anyOf": [*scalars, _nested_list(scalars, 1)]}


_SCALAR: Schema = {"type": ["string", "number", "boolean", "null"]}
_STRICT_ANY = _any_of(
    [
        _SCALAR,
        {"type": "object", "properties": {}, "required": [], "additionalProperties": False},
    ]
)
_GEMINI_ANY = _any_of([{"type": "string", "nullable": True}, *({"type": t} for t in ("number", "boolean", "object"))])
_GRAMMAR_FORMATS = frozenset({"date", "time", "date-time", "uuid", *(f"uuid{n}" for n in range(1, 6))})
_STRICT_FORMATS = frozenset(
    {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
)  # fmt: skip

DIALECTS: dict[str, Dialect] = {
    "openai": Dialect(
        "openai",
        _BASE | _BOUNDS | _LINKS
        | {
            "title", "default", "examples", "const", "oneOf", "format", "pattern", "minLength", "maxLength",
            "multipleOf", "uniqueItems", "additionalProperties", "patternProperties", "minProperties",
            "maxProperties",
        },
        links="endless",
        any_property={"type": [*_ANYTHING], "items": {}},
        items_said=True,
    ),
    "openai-strict": Dialect(
        "openai-strict",
        _BASE | _BOUNDS | _LINKS | {"const", "format", "pattern", "multipleOf", "additionalProperties"},
        links="all",
        anything=_STRICT_ANY,
        at_the_end=_SCALAR,
        formats={"string": _STRICT_FORMATS},
        levels=10,
        most_properties=5000,
        lone_unions=True,
        typed=True,
        items_said=True,
        listed=True,
        closed=True,
    ),
    "anthropic": Dialect(
        "anthropic",
        _BASE | _BOUNDS | _LINKS
        | {
            "title", "default", "examples", "const", "oneOf", "format", "pattern", "minLength", "maxLength",
            "multipleOf", "uniqueItems", "additionalProperties", "patternProperties", "propertyNames",
            "minProperties", "maxProperties", "dependentRequired", "dependentSchemas", "prefixItems", "contains",
            "minContains", "maxContains", "not", "if", "then", "else",
        },
        links="all",
        root_names=r"[a-zA-Z0-9_.-]{1,64}",
        lone_links=False,
    ),
    "gemini": Dialect(
        "gemini",
        _BASE
        | {
            "title", "default", "format", "nullable", "pattern", "minLength", "maxLength", "minimum", "maximum",
            "minProperties", "maxProperties",
        },
        links="none",
        anything=_GEMINI_ANY,
        formats={
            "string": frozenset({"date-time"}),
            "number": frozenset({"float", "double"}),
            "integer": frozenset({"int32", "int64"}),
        },
        root_names=r"[a-zA-Z_][a-zA-Z0-9_.-]{0,63}",
        lone_unions=True,
        type_lists=False,
        typed=True,
        items_said=True,
        listed=True,
        nullable=True,
        string_enums=True,
    ),
    "llamacpp": Dialect(
        "llamacpp",
        _BASE | _BOUNDS | _LINKS
        | {"title", "default", "const", "format", "pattern", "minLength", "maxLength", "additionalProperties"},
        links="endless",
        anything={"type": [*_ANYTHING]},
        formats={"string": _GRAMMAR_FORMATS},
        lone_unions=True,
        typed=True,
        listed=True,
        bounded_integers=True,
        plain_patterns=True,
        most_repeats=1000,
    ),
}  # fmt: skip
