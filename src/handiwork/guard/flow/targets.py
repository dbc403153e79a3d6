"""What a call is aimed at: the values of its arguments that say whom, where or what."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from handiwork.core.types import Ready

_PROSE = re.compile(
    r"(?:^|_)(?:body|subject|content|contents|text|message|msg|description|summary|notes?|comment|caption|location|html|markdown|query"
    r"|question|prompt|reason|instructions?|data|code|new_string|old_string|lines?)$"
)
_IDENTIFIER = re.compile(r"(?:^|_)(?:id|ids|uid|number|no|account|phone)$")
_WHOLE = frozenset(("url", "recipient", "path"))
_INSIDE = frozenset(("command", "code", "patch"))


class Target(NamedTuple):
    """A value of a call. In a *prose* one only the addresses and links that it holds are looked at."""

    argument: str
    text: str
    prose: bool


def targets_of(ready: Ready) -> Iterator[Target]:
    """The targets of a call: what its tool declares, or, of a tool that declares nothing, all that may be one."""
    touches = ready.entry.traits.touches
    if not touches and ready.entry.origin == "builtin":
        return
    properties: Mapping[str, Any] = ready.entry.parameters.get("properties") or {}
    for name, value in ready.args.items():
        schema = properties.get(name)
        if touches:
            kind = touches.get(name)
            if kind in _WHOLE or kind in _INSIDE or (kind is None and _sends(touches) and _PROSE.search(name)):
                yield from _texts(name, value, prose=kind not in _WHOLE)
        elif not _is_choice(schema, value):
            yield from _texts(name, value, prose=bool(_PROSE.search(name)))


def _sends(touches: Mapping[str, str]) -> bool:
    """Whether what the call says goes to somebody."""
    return any(kind in ("url", "recipient") for kind in touches.values())


def _is_choice(schema: Any, value: Any) -> bool:
    """Whether the value is one that the tool itself offers."""
    if not isinstance(schema, Mapping):
        return False
    return "enum" in schema or "const" in schema or ("default" in schema and schema["default"] == value)


def _texts(name: str, value: Any, *, prose: bool) -> Iterator[Target]:
    if isinstance(value, str):
        yield Target(name, value, prose)
    elif isinstance(value, int) and not isinstance(value, bool) and _IDENTIFIER.search(name):
        yield Target(name, str(value), prose)
    elif isinstance(value, dict):
        for inner_name, inner in value.items():
            yield from _texts(str(inner_name), inner, prose=prose or bool(_PROSE.search(str(inner_name))))
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(name, inner, prose=prose)
