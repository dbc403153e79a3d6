"""The built-in tools: every file of `handiwork.tools` that registers something."""

from __future__ import annotations

import importlib
import os
from functools import partial

from ..catalog.discovery import Scanner
from ..catalog.store import ToolRegistry
from .modules import Harvest

PACKAGE = "handiwork.tools"


def load_builtins(registry: ToolRegistry, scanner: Scanner, harvest: Harvest) -> None:
    """Import the built-in tool files, in sorted order."""
    folder = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tools")
    for found in scanner.scan(folder):
        harvest.add(registry, found, "builtin", partial(importlib.import_module, f"{PACKAGE}.{found.name}"))
