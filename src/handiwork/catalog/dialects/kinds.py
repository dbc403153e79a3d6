"""What type a node is of, where a dialect wants it said, and said one at a time."""

from __future__ import annotations

from ...core.types import Schema
from .keywords import OF_TYPE, UNIONS, relevant, split_annotations, types_of
from .notes import Tell
from .table import Dialect


def say_type(node: Schema, dialect: Dialect, tell: Tell) -> Schema:
    """A node without a type gets the one that its enum has, or that its other keywords speak of."""
    if not dialect.typed or "type" in node or "$ref" in node or any(u in node for u in UNIONS):
        return node
    if kinds := _types_of_values(node):
        return {**node, "type": kinds}
    if kinds := _types_spoken_of(node):
        tell("mended", f"no type is said; read as {' or '.join(kinds)}")
        return {**node, "type": kinds}
    return node


def _types_of_values(node: Schema) -> list[str]:
    if "const" in node:
        return types_of([node["const"]])
    kinds = types_of(node.get("enum", ()))
    return [k for k in kinds if not (k == "integer" and "number" in kinds)]


def _types_spoken_of(node: Schema) -> list[str]:
    kinds = ("object", "array", "string", "number")
    return [kind for kind in kinds if any(key in node for key in OF_TYPE[kind])]


def only_relevant(node: Schema, _: Dialect, __: Tell) -> Schema:
    """What a node says of other types than its own says nothing."""
    kinds = node.get("type")
    return relevant(node, kinds) if kinds else node


def split_types(node: Schema, dialect: Dialect, _: Tell) -> Schema:
    """A list of types as a union, where a dialect takes one type at a time; null may stay a flag."""
    kinds = [k for k in node.get("type", ()) if k != "null"]
    if dialect.type_lists or len(kinds) < 2:
        return node
    notes, rest = split_annotations(node)
    null = ["null"] if "null" in rest["type"] else []
    return {**notes, "anyOf": [{**relevant(rest, [kind]), "type": [kind, *null]} for kind in kinds]}


def write_type(out: Schema, dialect: Dialect) -> Schema:
    """A type as the dialect writes it: one name where it is one, and null perhaps a flag."""
    if "type" not in out:
        return out
    kinds = list(out["type"])
    if dialect.nullable and "null" in kinds and len(kinds) > 1:
        kinds.remove("null")
        out = {**out, "nullable": True}
    return {**out, "type": kinds[0] if len(kinds) == 1 else kinds}
