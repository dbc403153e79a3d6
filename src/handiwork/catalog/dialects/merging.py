"""Two schemas that hold at once, as one. Where one can't say both, the result accepts more, and says so.

Both are nodes as `read_node` gives them; the schemas in them stay as they were written, and where both have
one in the same place it becomes an `allOf` for later.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from math import lcm
from typing import Any

from ...core.types import Schema
from ...core.wire import dumps
from .keywords import ANNOTATIONS, GROUPS
from .notes import Tell

_MOST_PAIRS = 24
Join = Callable[[Any, Any], Any]


def merge(first: Schema, second: Schema, tell: Tell) -> Schema:
    """A node that accepts at least what both accept; annotations are those of *first*."""
    second = _without_rivals(first, second, tell)
    _tell_if_closed(first, second, tell)
    merged = dict(first)
    for key, value in second.items():
        if key not in merged:
            merged[key] = value
        elif key not in ANNOTATIONS and not same(merged[key], value):
            joined = _JOINS[key](merged[key], value) if key in _JOINS else None
            if joined is None:
                tell("widened", f"of two {key!r} only the first is kept")
            else:
                merged[key] = joined
    return merged


def same(a: object, b: object) -> bool:
    """Whether two JSON values are equal; true isn't 1 here."""
    return a == b and _key(a) == _key(b)


def _key(value: object) -> str:
    """A text that equal values share: for JSON, 1.0 is 1."""
    return dumps(_whole(value))


def _whole(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {k: _whole(value[k]) for k in sorted(value)}
    return [_whole(v) for v in value] if isinstance(value, (list, tuple)) else value


def _without_rivals(first: Schema, second: Schema, tell: Tell) -> Schema:
    """Keywords that only make sense together are taken from one side."""
    for group in GROUPS:
        if group[0] in first and group[0] in second:
            if not all(same(first.get(k), second.get(k)) for k in group):
                tell("widened", f"of two {group[0]!r} only the first is kept")
            second = {k: v for k, v in second.items() if k not in group}
    return second


def _tell_if_closed(first: Schema, second: Schema, tell: Tell) -> None:
    """A closed object forbids what the other side names; joined, both sides' properties are let through."""
    for one, other in ((first, second), (second, first)):
        names = set(other.get("properties", ())) - set(one.get("properties", ()))
        if names and one.get("additionalProperties", True) is not True:
            tell("widened", "'additionalProperties' holds for the properties of both sides together")


# --------------------------------------------------------------- how two values of a keyword are joined


def _both(a: Any, b: Any) -> Any:
    return False if a is False or b is False else {"allOf": [a, b]}


def _named(a: dict[str, Any], b: dict[str, Any]) -> dict[str, Any]:
    joined = dict(a)
    for name, schema in b.items():
        joined[name] = _both(a[name], schema) if name in a and not same(a[name], schema) else schema
    return joined


def _tuples(a: list[Any], b: list[Any]) -> list[Any]:
    pairs = [_both(x, y) for x, y in zip(a, b, strict=False)]
    return [*pairs, *a[len(pairs) :], *b[len(pairs) :]]


def _types(a: list[str], b: list[str]) -> list[str] | None:
    common = [t for t in a if t in b or (t == "integer" and "number" in b)]
    whole = ["integer"] if "integer" in b and "number" in a else []
    return [*common, *whole] or None


def _values(a: list[Any], b: list[Any]) -> list[Any] | None:
    known = {_key(v) for v in b}
    return [v for v in a if _key(v) in known] or None


def _unions(a: list[Any], b: list[Any]) -> list[Any] | None:
    """Every member of one with every member of the other."""
    if len(a) * len(b) > _MOST_PAIRS:
        return None
    return [{"allOf": [x, y]} for x, y in product(a, b)]


def _names(a: list[str], b: list[str]) -> list[str]:
    return list(dict.fromkeys([*a, *b]))


def _needs(a: dict[str, list[str]], b: dict[str, list[str]]) -> dict[str, list[str]]:
    return {name: _names(a.get(name, []), b.get(name, [])) for name in _names([*a], [*b])}


def _multiple(a: Any, b: Any) -> Any:
    return lcm(a, b) if isinstance(a, int) and isinstance(b, int) else None


_JOINS: dict[str, Join] = {
    **dict.fromkeys(("items", "additionalProperties", "propertyNames"), _both),
    **dict.fromkeys(("properties", "patternProperties", "dependentSchemas"), _named),
    **dict.fromkeys(("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"), max),
    **dict.fromkeys(("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"), min),
    **dict.fromkeys(("anyOf", "oneOf"), _unions),
    "prefixItems": _tuples,
    "type": _types,
    "enum": _values,
    "required": _names,
    "dependentRequired": _needs,
    "multipleOf": _multiple,
    "uniqueItems": lambda a, b: a or b,
    "not": lambda a, b: {"anyOf": [a, b]},
}
