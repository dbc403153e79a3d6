"""What a call is aimed at: the values of its arguments that say whom, where or what."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

from handiwork.core.types import Ready

# A value is a target as it is, and so is a command; in prose only the addresses and links that it holds are.
How: TypeAlias = Literal["value", "command", "prose"]

_PROSE = re.compile(
    r"(?:^|_)(?:body|subject|content|contents|text|message|msg|description|summary|notes?|comment|caption|location"
    r"|html|markdown|query|question|prompt|reason|instructions?|data|code|new_string|old_string|lines?)$"
)
_IDENTIFIER = re.compile(r"(?:^|_)(?:id|ids|uid|number|no|account|phone)$")
_READ_AS: Mapping[str, How] = {
    "url": "value",
    "recipient": "value",
    "path": "value",
    "command": "command",
    "code": "prose",
    "patch": "prose",
}


class Target(NamedTuple):
    """A value of a call, and how it is read."""

    argument: str
    text: str
    how: How


def targets_of(ready: Ready) -> Iterator[Target]:
    """The targets of a call: what its tool declares, or, of a tool that declares nothing, all that may be one."""
    touches = ready.entry.traits.touches
    if touches:
        yield from _declared(ready.args, touches)
    elif ready.entry.origin != "builtin":
        yield from _likely(ready.args, ready.entry.parameters.get("properties") or {})


def _declared(args: Mapping[str, Any], touches: Mapping[str, str]) -> Iterator[Target]:
    sends = any(kind in ("url", "recipient") for kind in touches.values())
    for name, value in args.items():
        if how := _READ_AS.get(touches.get(name, "")):
            yield from _texts(name, value, how)
        elif sends and name not in touches and _PROSE.search(name):  # what it says goes to somebody
            yield from _texts(name, value, "prose")


def _likely(args: Mapping[str, Any], properties: Mapping[str, Any]) -> Iterator[Target]:
    for name, value in args.items():
        if not _is_choice(properties.get(name), value):
            yield from _texts(name, value, _how(name))


def _how(name: str) -> How:
    return "prose" if _PROSE.search(name) else "value"


def _is_choice(schema: Any, value: Any) -> bool:
    """Whether the value is one that the tool itself offers."""
    if not isinstance(schema, Mapping):
        return False
    return "enum" in schema or "const" in schema or ("default" in schema and schema["default"] == value)


def _texts(name: str, value: Any, how: How) -> Iterator[Target]:
    if isinstance(value, str):
        yield Target(name, value, how)
    elif isinstance(value, int) and not isinstance(value, bool) and _IDENTIFIER.search(name):
        yield Target(name, str(value), how)
    elif isinstance(value, dict):
        for inner_name, inner in value.items():
            yield from _texts(str(inner_name), inner, "prose" if how == "prose" else _how(str(inner_name)))
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(name, inner, how)
