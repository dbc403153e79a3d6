"""The texts of a result, field by field, each with whether its tool vouches for it."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from handiwork.core.types import ToolEntry


class Field(NamedTuple):
    """One text of a result: the way to it (`emails[2].body`, empty for a plain text), and whether it is vouched for."""

    path: str
    text: str
    vouched: bool


EVERYTHING = "*"
_MARK = "x-trusted"


def vouched_fields(entry: ToolEntry, vouching: frozenset[str] = frozenset()) -> frozenset[str]:
    """The names of fields that a tool vouches for, in its traits or in its output schema (`"x-trusted": true`).

    A stranger's word counts only where its origin, or the last part of that, is among those *vouching*.
    """
    origin = entry.origin
    own = origin in ("builtin", "code") or origin.startswith("plugin:user/")
    if not own and vouching.isdisjoint((origin, re.split("[:/]", origin)[-1])):
        return frozenset()
    return frozenset(entry.traits.trusted_fields).union(_marked(entry.output_schema))


def _marked(schema: Any) -> Iterator[str]:
    """The names of properties that a schema marks, at any depth."""
    waiting = [schema]
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, Mapping):
            properties = inner.get("properties")
            for name, about in properties.items() if isinstance(properties, Mapping) else ():
                if isinstance(about, Mapping) and about.get(_MARK) is True:
                    yield str(name)
            waiting += inner.values()
        elif isinstance(inner, (list, tuple)):
            waiting += inner


def fields_of(content: str, trusted: Collection[str]) -> Iterator[Field]:
    """The texts in *content*. Those under a name of *trusted* are vouched for; of plain text nothing is.

    `*` vouches for all of them. Names of fields are text, too: a server may put into them what it likes.
    """
    everything, value = EVERYTHING in trusted, _parsed(content)
    if value is None:
        yield Field("", content, vouched=everything)
    else:
        yield from _walk(value, frozenset(trusted), vouched=everything)


def _parsed(content: str) -> Any:
    if content.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


def _walk(value: Any, trusted: frozenset[str], *, vouched: bool) -> Iterator[Field]:
    """The fields in order. Without recursion: how deep it goes is the server's choice."""
    waiting = [(value, "", vouched)]
    while waiting:
        inner, path, vouched = waiting.pop()
        if isinstance(inner, dict):
            for name in inner:
                if name not in trusted and not vouched:
                    yield Field(path, name, vouched=False)
            rows = [(v, f"{path}.{name}".lstrip("."), vouched or name in trusted) for name, v in inner.items()]
            waiting += reversed(rows)
        elif isinstance(inner, list):
            waiting += reversed([(item, f"{path}[{number}]", vouched) for number, item in enumerate(inner)])
        elif inner is not None:
            yield Field(path, inner if isinstance(inner, str) else json.dumps(inner), vouched=vouched)
