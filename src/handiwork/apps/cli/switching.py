"""`handiwork tools enable` and `disable`: the two switches, kept in the person's configuration."""

from __future__ import annotations

from argparse import Namespace

from ..config_file import set_value
from ..house import House
from .output import Output
from .selection import PRESET, configured


def enable(house: House, said: Namespace, out: Output) -> int:
    """Enable a toolset, also where a disabled group holds it."""
    name = _known(house, said.toolset)
    for key in ("toolsets", "disabled_toolsets"):
        configured(house, key)
    disabled = _without(house, house.config.disabled_toolsets, name)
    enabled = house.config.toolsets
    covered = set(house.toolsets.resolve(name)) <= house.supply.selected(enabled or (PRESET,), ())
    if not covered:
        enabled = (*(enabled or (PRESET,)), name)
    return _store(house, out, f"{name} is enabled", toolsets=enabled, disabled_toolsets=disabled)


def disable(house: House, said: Namespace, out: Output) -> int:
    """Take a toolset away."""
    name = _known(house, said.toolset)
    enabled = tuple(t for t in house.config.toolsets if house.toolsets.canonical(t) != name)
    disabled = tuple(dict.fromkeys((*house.config.disabled_toolsets, name)))
    return _store(house, out, f"{name} is disabled", toolsets=enabled, disabled_toolsets=disabled)


def _without(house: House, names: tuple[str, ...], name: str) -> tuple[str, ...]:
    """*names* so that nothing of the toolset *name* is under them: a group is split where it holds more."""
    freed = set(house.toolsets.resolve(name))
    left: list[str] = []
    for other in names:
        tools = house.toolsets.expand((other,)).tools
        if tools & freed:
            toolsets = {entry.toolset for entry in house.registry.entries() if entry.name in tools - freed}
            left += sorted(t for t in toolsets if not freed.intersection(house.registry.members(t)))
        elif house.toolsets.canonical(other) != name:
            left.append(other)
    return tuple(dict.fromkeys(left))


def _known(house: House, name: str) -> str:
    house.toolsets.resolve(name)
    return house.toolsets.canonical(name)


def _store(house: House, out: Output, said: str, **changes: tuple[str, ...]) -> int:
    path = ""
    for key, value in changes.items():
        if value != getattr(house.config, key):
            path = set_value(house.home, key, list(value))
    message = f"{said} ({path})" if path else f"{said} (as it was)"
    out.show({"message": said, "file": path or None, **changes}, [message])
    return 0
