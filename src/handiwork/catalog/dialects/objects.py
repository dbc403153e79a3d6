"""Objects: names that can't be said, patterns of names, and the closed form that strict dialects want."""

from __future__ import annotations

import re
from typing import Any

from ...core.types import Schema
from .notes import Tell, UnsayableSchemaError
from .table import Dialect


def drop_forbidden(node: Schema, _: Dialect, tell: Tell) -> Schema:
    """A property that may never be given isn't shown."""
    known = node.get("properties", {})
    shown = {k: v for k, v in known.items() if v is not False or k in node.get("required", ())}
    if len(shown) == len(known):
        return node
    if node.get("additionalProperties") is not False:
        tell("widened", "that a property is forbidden can't be said")
    return {**node, "properties": shown}


def open_patterns(node: Schema, dialect: Dialect, tell: Tell) -> Schema:
    """Without patterns of names, the other properties may be what a pattern allows, too."""
    if "patternProperties" not in node or "patternProperties" in dialect.keywords:
        return node
    node = dict(node)
    allowed = list(node.pop("patternProperties").values())
    rest = node.get("additionalProperties", True)
    if rest is not True:
        node["additionalProperties"] = {"anyOf": [*allowed, *([] if rest is False else [rest])]}
    tell("widened", "'patternProperties' can't be said: any name may have them")
    return node


def require_listed(node: Schema, dialect: Dialect, tell: Tell) -> Schema:
    """Each required name once, and where a dialect wants it, only names of properties."""
    if "required" not in node:
        return node
    names = list(dict.fromkeys(node["required"]))
    unknown = [n for n in names if n not in node.get("properties", {})] if dialect.listed else []
    if unknown:
        tell("widened", f"required but not described: {', '.join(map(repr, unknown))}")
    return {**node, "required": [n for n in names if n not in unknown]}


def sayable_names(root: Schema, dialect: Dialect, tell: Tell) -> Schema:
    """The root without parameters whose names the dialect refuses. Raises where one of them is required."""
    form = re.compile(dialect.root_names or ".*", re.DOTALL)
    refused = [name for name in root["properties"] if not form.fullmatch(name)]
    if not refused:
        return root
    for name in refused:
        if name in root.get("required", ()):
            raise UnsayableSchemaError(f"/properties/{name}", f"{dialect.name} takes no parameter of this name")
        tell("widened", f"the parameter {name!r} is left out: {dialect.name} takes no such name")
    kept = {k: v for k, v in root["properties"].items() if k not in refused}
    opened = {k: v for k, v in root.items() if k != "additionalProperties"}
    return {**opened, "properties": kept}


def close(out: Schema, dialect: Dialect) -> Schema:
    """The closed form: no other properties, and every property required; optional ones may be null."""
    if not dialect.closed or "object" not in out.get("type", ()):
        return out
    properties = out.get("properties", {})
    required = out.get("required", ())
    closed = {n: s if n in required else nullable(s) for n, s in properties.items()}
    return {**out, "properties": closed, "required": list(closed), "additionalProperties": False}


def tell_if_free(node: Schema, dialect: Dialect, tell: Tell) -> Schema:
    """Say so where an object that lives from names of its own is about to be closed."""
    if dialect.closed and "object" in node.get("type", ()):
        others = node.get("additionalProperties", not node.get("properties"))
        if others is not False:
            tell("narrowed", "an object that takes any name can't be said: only what is listed may be given")
    return node


def nullable(schema: Schema) -> Schema:
    """An adapted schema that takes null, too."""
    if "anyOf" in schema:
        return schema if any(map(_takes_null, schema["anyOf"])) else {
            **schema, "anyOf": [*schema["anyOf"], {"type": "null"}]
        }  # fmt: skip
    if _takes_null(schema):
        return schema
    if "type" not in schema or "enum" in schema or "const" in schema:
        return {"anyOf": [schema, {"type": "null"}]}
    return {**schema, "type": [*_as_list(schema["type"]), "null"]}


def _takes_null(schema: Schema) -> bool:
    values = schema["enum"] if "enum" in schema else [schema["const"]] if "const" in schema else [None]
    return "null" in _as_list(schema.get("type", ())) and None in values


def _as_list(kinds: Any) -> list[str]:
    return [kinds] if isinstance(kinds, str) else list(kinds)
