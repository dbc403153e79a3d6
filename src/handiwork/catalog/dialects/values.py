"""Values, lengths, bounds, patterns and formats, as far as a dialect takes them."""

from __future__ import annotations

import math
import re
from typing import Any

from ...core.types import Schema
from .keywords import ANNOTATIONS
from .notes import Tell
from .table import Dialect

_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_REPEATS = ("minItems", "maxItems", "minLength", "maxLength")
_FIRST_INT64, _LAST_INT64 = -(2**63), 2**63 - 1

# What llama.cpp's converter turns into a grammar that writes valid JSON: literals, classes, groups, repetition.
_ATOM = r"(?:[A-Za-z0-9_ ,:;@#%&=~'/<>!-]|\\[.+*?()\[\]{}|^$-]|\[[A-Za-z0-9_ ,:;@#%&=~'./+*-]+\])"
_TIMES = r"(?:[*+?]|\{\d{1,3}(?:,\d{0,3})?\})?"
_GROUP = rf"\((?:\?:)?(?:{_ATOM}{_TIMES})+(?:\|(?:{_ATOM}{_TIMES})+)*\)"
_PLAIN_PATTERN = re.compile(rf"\^(?:(?:{_ATOM}|{_GROUP}){_TIMES})+\$")


def const_as_enum(node: Schema, dialect: Dialect, _: Tell) -> Schema:
    """One legal value as a list of one."""
    if "const" not in node or "const" in dialect.keywords:
        return node
    node = dict(node)
    node["enum"] = [node.pop("const")]
    return node


def string_enum(node: Schema, dialect: Dialect, tell: Tell) -> Schema:
    """An enum of texts, where a dialect takes no other; null is said by the type."""
    if "enum" not in node or not dialect.string_enums:
        return node
    kinds = node.get("type", ())
    values = [v for v in node["enum"] if isinstance(v, str)]
    others = [v for v in node["enum"] if not isinstance(v, str) and v is not None]
    if "string" in kinds and values and "" not in values and not (others and set(kinds) - {"string", "null"}):
        if None not in node["enum"]:
            node = {**node, "type": [k for k in kinds if k != "null"]}
        return {**node, "enum": values}
    tell("widened", "'enum' can hold texts only")
    return {k: v for k, v in node.items() if k != "enum"}


def known_format(node: Schema, dialect: Dialect, tell: Tell) -> Schema:
    """A format that the dialect knows for the type."""
    if "format" not in node or dialect.formats is None:
        return node
    if any(node["format"] in dialect.formats.get(kind, ()) for kind in node.get("type", ())):
        return node
    tell("widened", f"the format {node['format']!r} can't be said")
    return {k: v for k, v in node.items() if k != "format"}


def plain_pattern(node: Schema, dialect: Dialect, tell: Tell) -> Schema:
    """A pattern that a simple grammar can follow; it must hold for the whole text."""
    if "pattern" not in node or not dialect.plain_patterns or _PLAIN_PATTERN.fullmatch(node["pattern"]):
        return node
    tell("widened", "'pattern' is more than a simple grammar can follow")
    return {k: v for k, v in node.items() if k != "pattern"}


def few_repeats(node: Schema, dialect: Dialect, tell: Tell) -> Schema:
    """Counts that don't make a grammar explode."""
    too_many = [k for k in _REPEATS if dialect.most_repeats and node.get(k, 0) > dialect.most_repeats]
    for key in too_many:
        tell("widened", f"{key!r} is more than {dialect.most_repeats}")
    return {k: v for k, v in node.items() if k not in too_many} if too_many else node


def whole_bounds(node: Schema, dialect: Dialect, tell: Tell) -> Schema:
    """Bounds as whole numbers of 64 bits, and of integers only."""
    if not dialect.bounded_integers or not any(k in node for k in _BOUNDS):
        return node
    rest = {k: v for k, v in node.items() if k not in _BOUNDS}
    if "number" in node.get("type", ("number",)):
        tell("widened", "bounds of numbers that aren't integers can't be said")
        return rest
    lowest = max((*_ints(node, "minimum", math.ceil, 0), *_ints(node, "exclusiveMinimum", math.floor, 1)), default=None)
    highest = min(
        (*_ints(node, "maximum", math.floor, 0), *_ints(node, "exclusiveMaximum", math.ceil, -1)), default=None
    )
    if lowest is not None and highest is not None and lowest > highest:
        tell("widened", "no integer lies between the bounds")
        return rest
    bounds = {"minimum": lowest, "maximum": highest}
    return rest | {k: v for k, v in bounds.items() if v is not None and _FIRST_INT64 < v < _LAST_INT64}


def _ints(node: Schema, key: str, to_whole: Any, step: int) -> list[int]:
    return [to_whole(node[key]) + step] if key in node else []


def known_keywords(node: Schema, dialect: Dialect, tell: Tell) -> Schema:
    """Only the dialect's own keywords."""
    left_out = [k for k in node if k not in dialect.keywords and k != "oneOf"]
    for key in left_out:
        if key not in ANNOTATIONS and key not in ("then", "else") and node[key] is not True:
            tell("widened", f"{key!r} can't be said")
    return {k: v for k, v in node.items() if k not in left_out} if left_out else node
