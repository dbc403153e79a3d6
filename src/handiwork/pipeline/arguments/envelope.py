"""Arguments that came in a wrapper: the whole call instead of its arguments, or parts of a call beside them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .shapes import folded_name
from .strings import Unreadable

_WRAPPERS = (
    "arguments", "parameters", "args", "params", "input", "kwargs", "function", "toolcall", "toolinput", "actioninput",
    "properties", "functioncall", "toolcalls", "toolarguments", "functionarguments",
)  # fmt: skip
_BESIDE = frozenset((
    "name", "tool", "toolname", "function", "functionname", "type", "id", "callid", "toolcallid", "action", "index",
    "thought", "thoughts", "reasoning", "jsonrpc", "method", "required", "additionalproperties", "schema", "title",
))  # fmt: skip
_NOTHING: tuple[Any, ...] = ({}, None, "", "{}")


def is_open_map(parameters: Mapping[str, Any]) -> bool:
    """Whether any name is a real argument, so that nothing can be known to be a wrapper."""
    return not parameters.get("properties") or bool(parameters.get("additionalProperties"))


def inside_of(value: Mapping[str, Any], known: frozenset[str], required: frozenset[str] = frozenset()) -> Any:
    """What a wrapper holds (a dict or a text), or None if *value* is no wrapper.

    *known* and *required* are folded names of the tool's arguments. Raises `Unreadable` where arguments
    stand both in a wrapper and beside it.
    """
    names = {folded_name(n): n for n in value if isinstance(n, str)}
    if len(names) != len(value) or len(names) > len(_BESIDE):
        return None
    for wrapper in _WRAPPERS:
        if wrapper in names and wrapper not in known:
            return _of_wrapper(value, names, wrapper, known)
    only = next(iter(value.values())) if len(value) == 1 else None
    return only if names.keys().isdisjoint(known) and _is_full(only, known, required) else None


def _of_wrapper(value: Mapping[str, Any], names: Mapping[str, str], wrapper: str, known: frozenset[str]) -> Any:
    content = value[names[wrapper]]
    beside = names.keys() - {wrapper}
    ours = beside & known
    if beside <= _BESIDE and (not ours or ours <= _names_in(content) <= known):
        return _content(content, bool(beside))
    if not ours:
        return None
    if content in _NOTHING:
        flat = {n: value[n] for fold, n in names.items() if fold in known or fold not in (wrapper, *_BESIDE)}
        return flat if len(flat) < len(value) - 1 else None
    if (inside := _names_in(content)) and inside <= known:
        raise Unreadable(f"there are arguments in {names[wrapper]!r} and beside it; write all of them on one level")
    return None


def _names_in(content: Any) -> frozenset[str]:
    """The folded names in an object, or in the text of one."""
    if isinstance(content, str) and content[:1] == "{":
        try:
            content = json.loads(content)
        except (ValueError, RecursionError):
            return frozenset()
    return (
        frozenset(folded_name(n) for n in content if isinstance(n, str)) if isinstance(content, dict) else frozenset()
    )


def _content(inside: Any, named: bool) -> Any:
    """A dict or a text; nothing at all beside a tool's name is a call without arguments."""
    if named and (inside is None or (isinstance(inside, str) and not inside.strip())):
        return {}
    if isinstance(inside, list) and len(inside) == 1:
        inside = inside[0]
    return inside if isinstance(inside, (dict, str)) else None


def _is_full(inside: Any, known: frozenset[str], required: frozenset[str]) -> bool:
    """Whether an object under an unknown name, such as the tool's, can only be the arguments: nothing else could."""
    return bool(required) and isinstance(inside, dict) and required <= _names_in(inside) <= known
