"""Modules that are loaded when they are first used, by their dotted names.

Start-up pays for a module only when something needs it: asyncio alone costs as much as the rest.
"""

from __future__ import annotations

import importlib
from typing import Any


class Late:
    """Stands for a module; its names are there on first use."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        value = vars(self)[name] = getattr(importlib.import_module(self._module), name)
        return value


def load(target: str) -> Any:
    """The object behind "package.module:attribute"."""
    module, _, attribute = target.partition(":")
    return getattr(importlib.import_module(module), attribute)
