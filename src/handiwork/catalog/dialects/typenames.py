"""The names of types as people write them, and the JSON types they mean."""

from __future__ import annotations

from ...core.types import Schema
from .keywords import TYPES
from .notes import Tell

_MEANT = {
    "object": ("dict", "dictionary", "hashmap", "map", "mapping", "struct", "record", "json"),
    "array": ("list", "tuple", "set", "arraylist", "sequence", "vector"),
    "string": ("str", "text", "char", "varchar"),
    "number": ("float", "double", "decimal", "numeric", "real"),
    "integer": ("int", "long", "short", "int32", "int64", "bigint"),
    "boolean": ("bool",),
    "null": ("none", "nil", "nonetype", "undefined"),
}
_BY_NAME = {name: kind for kind, names in _MEANT.items() for name in (kind, *names)}
_ANYTHING = frozenset({"", "any", "mixed", "unknown", "*"})


def read_type(node: Schema, tell: Tell) -> None:
    """Make a node's `type` a list of JSON types, or leave it out where any value is meant."""
    said = node.pop("type", None)
    if said is None:
        return
    names = list(said) if isinstance(said, (list, tuple)) else [said]
    kinds = [_kind_of(name, tell) for name in names]
    if kinds and "" not in kinds:
        node["type"] = _without_doubles(kinds)


def as_type(name: str) -> str:
    """The JSON type that *name* means, or ""."""
    return _BY_NAME.get(name.strip().lower(), "")


def _kind_of(name: object, tell: Tell) -> str:
    """The JSON type of one name; "" where any value must be let through."""
    if isinstance(name, str) and name in TYPES:
        return name
    kind = as_type(name) if isinstance(name, str) else ""
    if kind:
        tell("mended", f"the type {name!r} is read as {kind!r}")
    elif isinstance(name, str) and name.strip().lower() in _ANYTHING:
        tell("mended", f"the type {name!r} is read as any value")
    else:
        tell("widened", f"no such type: {name!r}")
    return kind


def _without_doubles(kinds: list[str]) -> list[str]:
    """Each type once; an integer is a number already."""
    return [k for k in dict.fromkeys(kinds) if not (k == "integer" and "number" in kinds)]
