"""The built-in tools: every file of `handiwork.tools` that registers something."""

from __future__ import annotations

import importlib
import os

from ..catalog.discovery import Scanner
from ..catalog.store import ToolRegistry
from .modules import Loaded, load

PACKAGE = "handiwork.tools"


def load_builtins(registry: ToolRegistry, scanner: Scanner) -> list[Loaded]:
    """Import the built-in tool files, in sorted order."""
    folder = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tools")
    return [
        load(registry, found, "builtin", lambda name=found.name: importlib.import_module(f"{PACKAGE}.{name}"))  # type: ignore[misc]
        for found in scanner.scan(folder)
    ]
