"""One node as somebody wrote it, made well-formed: the words of draft 2020-12, and nothing that isn't valid.

Only the node itself is read. The schemas in it stay as they were written, so that references still find
what they point to. `type` comes out as a list.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from ...core.types import Schema
from ...core.wire import copy_json
from .keywords import ANNOTATIONS, GROUPS, KNOWN, MANY, NAMED, ONE, split_annotations
from .notes import Tell
from .typenames import as_type, read_type

_DEEPEST_DATA = 64
_COUNTS = frozenset(
    {"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains"}
)
_NUMBERS = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"})
_REFERENCES = ("$dynamicRef", "$recursiveRef")


def read_node(raw: object, tell: Tell) -> Schema:
    """The node that *raw* means: a new dict, flat and well-formed; its data copied."""
    node = _as_node(raw, tell)
    for step in (_tuple, _dependencies, _draft4_bounds, _reference):
        step(node, tell)
    node = {k: v for k, v in node.items() if (v is not None or k in ("default", "const")) and _is_fit(k, v, tell)}
    for lead, *rest in GROUPS:
        if lead not in node:
            node = {k: v for k, v in node.items() if k not in rest}
    read_type(node, tell)
    node = _nullable(node)
    for key in ("default", "const", "enum", "examples", "example", "required", "dependentRequired"):
        if key in node:
            node[key] = copy_json(node[key])
    return node


def _as_node(raw: object, tell: Tell) -> Schema:
    """A node of whatever stands in the place of one: true, false, the name of a type, nothing."""
    if isinstance(raw, Mapping):
        return {k: v for k, v in raw.items() if isinstance(k, str)}
    if isinstance(raw, bool):
        return {} if raw else {"not": {}}
    if isinstance(raw, str) and as_type(raw):
        tell("mended", f"the bare text {raw!r} is read as a type")
        return {"type": as_type(raw)}
    tell("mended" if raw is None else "widened", f"no schema: {_short(raw)}")
    return {}


# ------------------------------------------------------------------------------------- older drafts


def _tuple(node: Schema, _: Tell) -> None:
    """Up to 2019-09 a tuple was a list of `items`, and its rest `additionalItems`."""
    rest = node.pop("additionalItems", None)
    if isinstance(node.get("items"), (list, tuple)):
        node["prefixItems"] = node.pop("items")
        if rest is not None:
            node["items"] = rest


def _dependencies(node: Schema, _: Tell) -> None:
    """Up to draft-07 `dependencies` held both kinds."""
    both = node.pop("dependencies", None)
    if not isinstance(both, Mapping):
        return
    for key, value in both.items():
        kind = "dependentRequired" if isinstance(value, (list, tuple)) else "dependentSchemas"
        known = node.get(kind)
        node[kind] = {**(known if isinstance(known, Mapping) else {}), key: value}


def _draft4_bounds(node: Schema, _: Tell) -> None:
    """In draft-04 `exclusiveMinimum` was a flag of `minimum`."""
    for bound in ("minimum", "maximum"):
        flag = f"exclusive{bound.capitalize()}"
        if isinstance(node.get(flag), bool) and node.pop(flag) and bound in node:
            node[flag] = node.pop(bound)


def _reference(node: Schema, _: Tell) -> None:
    for key in _REFERENCES:
        if key in node:
            node.setdefault("$ref", node.pop(key))


def _nullable(node: Schema) -> Schema:
    """OpenAPI's flag, as a type beside the others; where values are listed, as a union with null."""
    if node.pop("nullable", False) is not True:
        return node
    notes, said = split_annotations(node)
    if not said or "null" in said.get("type", ()):
        return node
    if "type" in said and not any(key in said for key in ("enum", "const", "$ref", *MANY)):
        return {**node, "type": [*said["type"], "null"]}
    return {**notes, "anyOf": [said, {"type": "null"}]}


# ----------------------------------------------------------------------------------- what is no value


def _is_fit(key: str, value: Any, tell: Tell) -> bool:
    """Whether a keyword is one of ours and has a value it may have."""
    if key == "type":
        return True
    if key not in KNOWN:
        if key.startswith("unevaluated"):
            tell("widened", f"{key!r} can't be said")
        return False
    if not _FIT.get(key, _is_data)(value):
        if key not in ANNOTATIONS:
            tell("widened", f"{key!r} can't be {_short(value)}")
        return False
    return True


def _is_schema(value: object) -> bool:
    return isinstance(value, (Mapping, bool)) or (isinstance(value, str) and bool(as_type(value)))


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _is_list(value: object) -> bool:
    return isinstance(value, (list, tuple)) and bool(value)


def _is_names(value: object) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(v, str) for v in value)


def _is_named(value: object) -> bool:
    return isinstance(value, Mapping) and all(isinstance(k, str) for k in value)


def _is_named_names(value: object) -> bool:
    return isinstance(value, Mapping) and _is_named(value) and all(map(_is_names, value.values()))


def _is_data(value: object) -> bool:
    """Whether JSON can hold it, not too deep."""
    level, depth = [value], 0
    while level and depth <= _DEEPEST_DATA:
        if not all(_is_json(v) for v in level):
            return False
        level = [inner for v in level for inner in _inside(v)]
        depth += 1
    return not level


def _is_json(value: object) -> bool:
    if isinstance(value, Mapping):
        return all(isinstance(k, str) for k in value)
    if isinstance(value, float):
        return math.isfinite(value)
    return value is None or isinstance(value, (str, int, list, tuple))


def _inside(value: Any) -> list[Any]:
    if isinstance(value, Mapping):
        return list(value.values())
    return list(value) if isinstance(value, (list, tuple)) else []


def _short(value: object) -> str:
    """A value in a few words; a container by its type, for it may be huge."""
    if isinstance(value, (Mapping, list, tuple)):
        return "an object" if isinstance(value, Mapping) else "a list"
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


_FIT: dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys(ONE, _is_schema),
    **dict.fromkeys(MANY, _is_list),
    **dict.fromkeys(NAMED, _is_named),
    **dict.fromkeys(_COUNTS, _is_count),
    **dict.fromkeys(_NUMBERS, _is_number),
    **dict.fromkeys(("title", "description", "pattern", "format", "$ref"), lambda v: isinstance(v, str)),
    **dict.fromkeys(("uniqueItems", "nullable"), lambda v: isinstance(v, bool)),
    "enum": lambda v: _is_list(v) and _is_data(v),
    "examples": lambda v: isinstance(v, (list, tuple)) and _is_data(v),
    "required": _is_names,
    "dependentRequired": _is_named_names,
}
