"""Arguments that came in a wrapper: the whole call instead of its arguments, or a list around them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .shapes import folded_name

_WRAPPERS = ("arguments", "parameters", "args", "params", "input", "kwargs", "function", "tool_call",
             "tool_input", "action_input", "properties", "function_call")  # fmt: skip
_BESIDE = frozenset(
    ("name", "tool", "toolname", "function", "functionname", "type", "id", "callid", "toolcallid", "action", "index")
)


def is_open_map(parameters: Mapping[str, Any]) -> bool:
    """Whether any name is a real argument, so that nothing can be known to be a wrapper."""
    return not parameters.get("properties") or bool(parameters.get("additionalProperties"))


def inside_of(value: Mapping[str, Any], known: frozenset[str]) -> Any:
    """What a wrapper holds (a dict or a text), or None if *value* is no wrapper. *known* are folded names."""
    names = [n for n in value if isinstance(n, str)]
    if len(names) != len(value) or len(names) > len(_BESIDE):
        return None
    for wrapper in _WRAPPERS:
        if wrapper in value and folded_name(wrapper) not in known:
            beside = {folded_name(n) for n in names if n != wrapper}
            if beside <= _BESIDE and beside.isdisjoint(known):
                return _content(value[wrapper], bool(beside))
    return None


def _content(inside: Any, named: bool) -> Any:
    """A dict or a text; nothing at all beside a tool's name is a call without arguments."""
    if named and (inside is None or (isinstance(inside, str) and not inside.strip())):
        return {}
    return inside if isinstance(inside, (dict, str)) else None
