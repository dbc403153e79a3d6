"""A node with its references followed and its `allOf` merged: one level, flat, ready to be adapted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...core.types import Schema
from .keywords import UNIONS, is_plain
from .merging import merge
from .notes import Notes
from .reading import read_node
from .references import References, Target
from .table import Dialect

_MOST_FOLLOWED = 40
_DEEPEST_PART = 80


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a schema we are. `via` are the references that were followed to get here.

    `depth` counts schemas in schemas, `level` objects in objects.
    """

    path: str = ""
    depth: int = 0
    level: int = 0
    via: frozenset[str] = frozenset()
    is_property: bool = False

    def down(self, *steps: str | int) -> Place:
        """The place of a schema in this one."""
        path = "".join(f"/{str(s).replace('~', '~0').replace('/', '~1')}" for s in steps)
        is_property = steps[0] == "properties"
        level = self.level + (steps[0] in ("properties", "additionalProperties", "patternProperties"))
        return Place(self.path + path, self.depth + 1, level, self.via, is_property)

    def through(self, pointers: frozenset[str]) -> Place:
        """The same place, reached by following *pointers*, too."""
        return replace(self, via=self.via | pointers)


@dataclass(frozen=True, slots=True)
class Flat:
    """A node without `allOf`, the references that its parts came by, and perhaps the one it stays."""

    node: Schema
    via: frozenset[str]
    link: Target | None = None


class Flattening:
    """Flattens the nodes of one document."""

    def __init__(self, document: object, dialect: Dialect, notes: Notes) -> None:
        self._references = References(document)
        self._dialect, self._notes = dialect, notes

    def flat(self, raw: object, place: Place, *, alone: bool = True) -> Flat:
        """The flat node of *raw*. Not *alone*, it is a part of another and can't stay a reference."""
        tell = self._notes.at(place.path)
        if place.depth > _DEEPEST_PART:
            tell("widened", "too many parts of parts: cut here")
            return Flat({}, place.via)
        node = read_node(raw, tell)
        ref = node.pop("$ref", None)
        parts = [*node.pop("allOf", ()), *_unions_of_one(node)]
        alone = alone and is_plain(node) and len(parts) + (ref is not None) == 1
        if ref is not None:
            if alone and (target := self._stays(ref)):
                return Flat(node, place.via, target)
            followed = self._follow(ref, place)
            merged = self._merged(node, [] if followed is None else [followed], place, alone=alone)
            node, place = merged.node, place.through(merged.via)
            if merged.link:
                return merged
        return self._merged(node, [(part, place) for part in parts], place, alone=alone)

    def _merged(self, node: Schema, parts: list[tuple[Any, Place]], place: Place, *, alone: bool) -> Flat:
        via = place.via
        for raw, where in parts:
            part = self.flat(raw, replace(where, depth=where.depth + 1), alone=alone)
            if part.link:
                return replace(part, node={**part.node, **node})
            node = merge(node, part.node, self._notes.at(place.path))
            via |= part.via
        return Flat(node, via)

    def _stays(self, ref: str) -> Target | None:
        """The target of a reference that the dialect takes as a reference."""
        target = self._references.find(ref)
        if target is None or self._dialect.links == "none" or not isinstance(target.raw, Mapping):
            return None
        return target if self._dialect.links == "all" or self._references.is_endless(target.pointer) else None

    def _follow(self, ref: str, place: Place) -> tuple[Any, Place] | None:
        """What a reference means, and the place of what it means; None where it can't be followed."""
        tell = self._notes.at(place.path)
        target = self._references.find(ref)
        if target is None:
            tell("widened", f"the reference {ref[:80]!r} leads nowhere")
            return None
        if target.pointer in place.via:
            tell("widened", f"the reference {target.pointer!r} leads back to itself: cut here")
            return _outline(target.raw), place
        if len(place.via) >= _MOST_FOLLOWED:
            tell("widened", f"the reference {target.pointer!r} is one of too many in a row: cut here")
            return _outline(target.raw), place
        return target.raw, place.through(frozenset({target.pointer}))


def _outline(raw: Any) -> Schema:
    """The type of a schema that is cut off, and nothing more."""
    return {"type": raw["type"]} if isinstance(raw, Mapping) and "type" in raw else {}


def _unions_of_one(node: Schema) -> list[Any]:
    """The members of unions that have only one, taken out of *node*: such a member simply holds."""
    return [node.pop(key)[0] for key in UNIONS if len(node.get(key, ())) == 1]
