"""Places inside the arguments of a call, and what can be put there: for the mistakes in values."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from gold import Args, Gold

Written = tuple[Any, Args]


class AsText(str):
    """Arguments that are written already, in a way that no value has."""


@dataclass(frozen=True, slots=True)
class Place:
    """A value inside the arguments: where it is and what its schema says."""

    path: tuple[Any, ...]
    value: Any
    schema: Mapping[str, Any]

    @property
    def kind(self) -> str:
        kind = self.schema.get("type")
        return kind if isinstance(kind, str) else ""


def places(value: Any, schema: Any, path: tuple[Any, ...] = ()) -> Iterator[Place]:
    """Every typed value at every depth, the arguments themselves left out."""
    schema = schema if isinstance(schema, Mapping) else {}
    if path:
        yield Place(path, value, schema)
    if isinstance(value, dict):
        for name, member in value.items():
            yield from places(member, schema.get("properties", {}).get(name), (*path, name))
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from places(member, schema.get("items"), (*path, index))


def pick(gold: Gold, rng: Random, fits: Callable[[Place], bool]) -> Place | None:
    """Any place in the call that *fits*."""
    found = [place for place in places(gold.args, gold.schema) if fits(place)]
    return rng.choice(found) if found else None


def put(args: Args, path: tuple[Any, ...], value: Any) -> Args:
    """The arguments with another value in one place."""
    made = copy.deepcopy(args)
    inside: Any = made
    for step in path[:-1]:
        inside = inside[step]
    inside[path[-1]] = value
    return made


def changed(gold: Gold, place: Place | None, change: Callable[[Any], Any]) -> Written | None:
    """The call with the value in that place changed, and what was meant."""
    return None if place is None else (put(gold.args, place.path, change(place.value)), gold.args)


def is_number(place: Place) -> bool:
    """A number that may be any number."""
    return place.kind in ("integer", "number") and "enum" not in place.schema


def is_whole(place: Place) -> bool:
    """An integer that a float can hold."""
    return place.kind == "integer" and "enum" not in place.schema and abs(place.value) < 2**53


def is_boolean(place: Place) -> bool:
    """True or false."""
    return place.kind == "boolean"


def is_choice(place: Place) -> bool:
    """One text of several."""
    return "enum" in place.schema and isinstance(place.value, str) and place.value != ""


def is_free_text(place: Place) -> bool:
    """A text that may be any text."""
    return place.kind == "string" and not {"enum", "pattern", "format", "maxLength"} & place.schema.keys()


def folded(text: str) -> str:
    """A name without case and separators."""
    return re.sub(r"[\W_]", "", text).lower()
