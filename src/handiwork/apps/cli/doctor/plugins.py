"""Plugins and built-in files: what failed, what was refused."""

from __future__ import annotations

from collections.abc import Iterator

from ...house import House
from .finding import Finding

GROUP = "plugins"


def look(house: House) -> Iterator[Finding]:
    """What came of each file that could bring tools."""
    ours = [f for f in house.harvest.loaded if f.origin.startswith("plugin:") and not f.error]
    if ours:
        yield Finding(GROUP, "loaded", "ok", ", ".join(f"{f.name} ({len(f.tools)} tools)" for f in ours))
    for file in house.harvest.loaded:
        if file.error:
            yield Finding(GROUP, file.name, "problem", f"{file.place} failed to load: {file.error}", file.fix)
    for found in house.plugins.silent:
        said = f"{found.path} has no top-level registration, so it was not run"
        yield Finding(GROUP, found.name, "warning", said, f"handiwork why {found.name}")
    if house.plugins.disabled:
        yield Finding(GROUP, "disabled", "ok", ", ".join(found.name for found in house.plugins.disabled))
    for rejection in house.registry.rejections():
        fix = rejection.fix or f"rename the tool, or remove {rejection.origin}"
        yield Finding(GROUP, rejection.name, "warning", f"registration refused: {rejection}", fix)
