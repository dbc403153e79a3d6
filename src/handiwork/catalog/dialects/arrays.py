"""Arrays: tuples as lists of a union, and items that are always said."""

from __future__ import annotations

from ...core.types import Schema
from .notes import Tell
from .table import Dialect


def one_item_schema(node: Schema, dialect: Dialect, tell: Tell) -> Schema:
    """A tuple as a list whose items are any of its places, and of what may follow them."""
    if "prefixItems" not in node or "prefixItems" in dialect.keywords:
        return node
    node = dict(node)
    places = node.pop("prefixItems")
    rest = node.get("items", True)
    if rest is False:
        node["maxItems"] = min(len(places), node.get("maxItems", len(places)))
    ends = rest is False or node.get("maxItems", len(places) + 1) <= len(places)
    node["items"] = {"anyOf": [*places, *([] if ends else [rest])]}
    tell("widened", "a tuple is a list here: the order of its items can't be said")
    return node


def no_items(node: Schema, _: Dialect, __: Tell) -> Schema:
    """An array that may hold nothing, said by its length."""
    if node.get("items") is not False or "prefixItems" in node:
        return node
    return {**{k: v for k, v in node.items() if k != "items"}, "maxItems": 0}


def say_items(node: Schema, dialect: Dialect, _: Tell) -> Schema:
    """An array without a word on its items gets items of any kind, where one must be said."""
    if dialect.items_said and "array" in node.get("type", ()) and "items" not in node:
        return {**node, "items": {}}
    return node
