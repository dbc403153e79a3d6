"""The keywords of JSON Schema: which hold schemas, which hold data, which speak of which type."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...core.types import Schema

TYPES = ("object", "array", "string", "number", "integer", "boolean", "null")

ONE = frozenset({"additionalProperties", "items", "contains", "propertyNames", "not", "if", "then", "else"})
MANY = frozenset({"anyOf", "oneOf", "allOf", "prefixItems"})
NAMED = frozenset({"properties", "patternProperties", "dependentSchemas"})
UNIONS = ("anyOf", "oneOf")
# The first of each gives the others their meaning.
GROUPS = (("if", "then", "else"), ("contains", "minContains", "maxContains"))

# These say nothing of which values are legal: leaving one out costs nothing that must be told.
ANNOTATIONS = frozenset({"title", "description", "default", "examples", "example"})

OF_TYPE: dict[str, tuple[str, ...]] = {
    "string": ("minLength", "maxLength", "pattern", "format"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "format"),
    "array": (
        "prefixItems", "items", "minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains",
    ),
    "object": (
        "properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties",
        "maxProperties", "dependentRequired", "dependentSchemas",
    ),
}  # fmt: skip
OF_TYPE["integer"] = OF_TYPE["number"]
_OF_SOME_TYPE = frozenset(key for keys in OF_TYPE.values() for key in keys)

# The order in which keywords are written, so that equal schemas have equal bytes.
ORDER = (
    "$ref", "title", "description", "type", "format", "nullable", "enum", "const", *UNIONS,
    *OF_TYPE["object"], *OF_TYPE["array"], "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
    "multipleOf", "minLength", "maxLength", "pattern",
    "not", "if", "then", "else", "default", "example", "examples", "$defs",
)  # fmt: skip
_PLACE = {key: at for at, key in enumerate(ORDER)}
KNOWN = (frozenset(ORDER) - {"$defs"}) | {"allOf"}

_RAW_ONE = ONE | {"additionalItems", "unevaluatedItems", "unevaluatedProperties"}
_RAW_NAMED = NAMED | {"dependencies"}


def in_order(schema: Schema) -> Schema:
    """The same schema with its keywords in the one order."""
    return {key: schema[key] for key in sorted(schema, key=lambda key: _PLACE.get(key, len(_PLACE)))}


def is_plain(node: Mapping[str, Any]) -> bool:
    """Whether a node says nothing of values: annotations only."""
    return all(key in ANNOTATIONS for key in node)


def split_annotations(node: Schema) -> tuple[Schema, Schema]:
    """A node's annotations, and the rest of it."""
    notes = {k: v for k, v in node.items() if k in ANNOTATIONS}
    return notes, {k: v for k, v in node.items() if k not in ANNOTATIONS}


def relevant(node: Schema, kinds: Iterable[str]) -> Schema:
    """What of a node speaks of values of the types *kinds*."""
    foreign = _OF_SOME_TYPE.difference(*(OF_TYPE.get(kind, ()) for kind in kinds))
    return {k: v for k, v in node.items() if k not in foreign}


def subschemas(raw: object) -> Iterator[Any]:
    """The schemas right under a node as it was written, whatever its draft; definitions aside."""
    if not isinstance(raw, Mapping):
        return
    for key, value in raw.items():
        if key in _RAW_ONE and not isinstance(value, (list, tuple)):
            yield value
        elif key in MANY or key in _RAW_ONE:
            yield from value if isinstance(value, (list, tuple)) else ()
        elif key in _RAW_NAMED and isinstance(value, Mapping):
            yield from value.values()


def definitions(raw: object) -> Iterator[Any]:
    """The definitions that a node as it was written carries."""
    for key in ("$defs", "definitions"):
        if isinstance(raw, Mapping) and isinstance(raw.get(key), Mapping):
            yield from raw[key].values()


def types_of(values: Iterable[object]) -> list[str]:
    """The types of JSON values, in the order met."""
    return list(dict.fromkeys(_type_of(v) for v in values))


def _type_of(value: object) -> str:
    if value is None or isinstance(value, bool):
        return "null" if value is None else "boolean"
    if isinstance(value, (int, float)):
        return "integer" if isinstance(value, int) else "number"
    if isinstance(value, str):
        return "string"
    return "object" if isinstance(value, Mapping) else "array"
