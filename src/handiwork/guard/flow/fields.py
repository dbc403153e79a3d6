"""The texts of a result, field by field, each with whether its tool vouches for it."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple


class Field(NamedTuple):
    """One text of a result: the way to it (`emails[2].body`, empty for a plain text), and whether it is vouched for."""

    path: str
    text: str
    vouched: bool


def fields_of(content: str, trusted: Collection[str]) -> Iterator[Field]:
    """The texts in *content*. Those under a name of *trusted* are vouched for; of plain text nothing is.

    Names of fields are text, too: a server may put into them what it likes.
    """
    value = _parsed(content)
    if value is None:
        yield Field("", content, vouched=False)
    else:
        yield from _walk(value, "", frozenset(trusted), vouched=False)


def _parsed(content: str) -> Any:
    if content.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return json.loads(content)
    except ValueError:
        return None


def _walk(value: Any, path: str, trusted: frozenset[str], *, vouched: bool) -> Iterator[Field]:
    if isinstance(value, dict):
        for name, inner in value.items():
            if name not in trusted and not vouched:
                yield Field(path, str(name), vouched=False)
            yield from _walk(inner, f"{path}.{name}".lstrip("."), trusted, vouched=vouched or name in trusted)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _walk(inner, f"{path}[{number}]", trusted, vouched=vouched)
    elif value is not None:
        yield Field(path, value if isinstance(value, str) else json.dumps(value), vouched=vouched)
