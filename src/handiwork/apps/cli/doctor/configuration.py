"""The configuration: its files, and toolsets that it names and that aren't there."""

from __future__ import annotations

import os
from collections.abc import Iterator

from ....core.errors import UnknownNameError
from ...config_file import config_paths
from ...house import House
from .finding import Finding

GROUP = "configuration"


def look(house: House) -> Iterator[Finding]:
    """What is configured, as far as it can't be told when it is read."""
    path = os.path.join(house.home, "config.yaml")
    files = ", ".join(config_paths(house.home, house.project))
    yield Finding(GROUP, "config", "ok", files or "none; defaults hold")
    for key in ("toolsets", "disabled_toolsets"):
        for name in getattr(house.config, key):
            if error := _unknown(house, name):
                yield Finding(GROUP, key, "problem", str(error), f"{error.hint}; correct {key} in {path}")
    for made in house.toolsets.composites():
        missing = house.toolsets.expand((made.name,)).missing
        if missing and made.name in house.config.custom_toolsets:
            detail = f"{made.name} names what isn't there: {', '.join(sorted(missing))}"
            yield Finding(GROUP, "custom toolset", "warning", detail, f"correct it in {path}")


def _unknown(house: House, name: str) -> UnknownNameError | None:
    try:
        house.toolsets.expand((name,))
    except UnknownNameError as error:
        return error
    return None


def is_toolset(house: House, name: str) -> bool:
    """Whether a name that is configured stands for a toolset."""
    return _unknown(house, name) is None
