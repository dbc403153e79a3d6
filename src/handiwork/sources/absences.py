"""What is known of tools that files have, or seem to have, and that aren't in the registry: which file, and why."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..catalog.gate import Closed
from .modules import Harvest, Loaded
from .trial import files_of

if TYPE_CHECKING:
    from ..catalog.discovery import Found
    from .plugins import Plugins

_MOST_BYTES = 1 << 20
_MOST_FILES = 50
_REGISTER = "add a top-level `registry.register(...)` call, an `@tool` function or `def register(ctx)`"


@dataclass(frozen=True, slots=True)
class Absences:
    """Asked for a name that no tool has: the file that has it, or speaks of it, and what became of that file."""

    harvest: Harvest
    plugins: Plugins

    def __call__(self, name: str) -> Closed | None:
        """Why no tool of that name came out of a file; None where no file is known to have it."""
        return next((no for found, no in self._all() if _has(found, name)), None)

    def _all(self) -> Iterator[tuple[Found | Loaded, Closed]]:
        for loaded in self.harvest.loaded:
            if loaded.error:
                yield loaded, Closed(f"{loaded.place} failed to load: {loaded.error}", loaded.fix, "loaded")
        for found in self.plugins.disabled:
            said = f"the plugin {found.name} ({found.path}) is disabled by plugins_disabled"
            yield found, Closed(said, f"handiwork plugins enable {found.name}", "trusted")
        if waiting := self.plugins.waiting:
            for found in waiting.found:
                said = f"{found.path} comes with the project, and you haven't said that you trust it"
                reason = f"{found.path} can't be trusted: {waiting.reason}" if waiting.reason else said
                yield found, Closed(reason, "handiwork plugins trust", "trusted")
        for found in (*self.harvest.silent, *self.plugins.silent):
            yield found, Closed(f"{found.path} has no top-level registration, so it was not run", _REGISTER, "loaded")
        for loaded in self.harvest.loaded:
            if not loaded.error and loaded.origin.startswith("plugin:"):
                tools = ", ".join(loaded.tools) or "nothing"
                said = f"{loaded.path} has loaded, and registered {tools}"
                yield loaded, Closed(said, f"see in {loaded.path} when it is registered", "registered")


def _has(found: Found | Loaded, name: str) -> bool:
    """Whether a file is called so, or has the name as a text or as that of a function."""
    if found.name == name:
        return True
    pattern = re.compile(rf"""(["']){re.escape(name)}\1|\bdef\s+{re.escape(name)}\b""")
    return any(pattern.search(text) for text in _texts(found))


def _texts(found: Found | Loaded) -> Iterator[str]:
    if os.path.isabs(found.path):
        for path, *_ in files_of(found)[:_MOST_FILES]:
            try:
                with open(path, encoding="utf-8", errors="replace") as file:
                    yield file.read(_MOST_BYTES)
            except OSError:  # gone, or not for us: then it is not known to have the name
                continue
