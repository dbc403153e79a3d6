"""What a plugin's own `__import__` gives it: our modules with its view of the registry in them, and Hermes Agent's."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Mapping
from functools import partial
from types import ModuleType
from typing import Any

from ..catalog.door import tool
from .hermes import MODULES as THEIRS
from .view import RegistryView

Names = Callable[[RegistryView], Mapping[str, Any]]
_OURS = "handiwork"


def own_builtins(view: RegistryView) -> dict[str, Any]:
    """The built-in names for the modules of one plugin. `sys.modules` never hears of what their `__import__` gives."""
    given: dict[str, ModuleType] = {}  # made at the first import of one of them

    def import_(name: str, globals_: Any = None, locals_: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        is_ours = name == _OURS or name.startswith(f"{_OURS}.")
        if level or not (is_ours or name in THEIRS):
            return builtins.__import__(name, globals_, locals_, fromlist, level)
        real = builtins.__import__(name, globals_, locals_, fromlist) if is_ours else None
        wanted = name if fromlist else name.partition(".")[0]
        if wanted not in given and wanted not in _OF_OURS and wanted not in THEIRS:
            return real
        return given.get(wanted) or given.setdefault(wanted, _make(wanted, view))

    return {**vars(builtins), "__import__": import_}


def _make(name: str, view: RegistryView) -> ModuleType:
    """A module with names of its own; the rest is taken from the real one, where there is one."""
    module = ModuleType(name)
    names = (_OF_OURS.get(name) or THEIRS[name])(view)
    rest = partial(getattr, sys.modules[name]) if name in _OF_OURS else partial(_not_given, name, sorted(names))
    vars(module).update(names, __getattr__=rest)
    return module


def _not_given(module: str, known: list[str], name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    raise ImportError(f"{module}.{name} isn't there in Handiwork; plugins get {', '.join(known)}")


def _face(view: RegistryView) -> Mapping[str, Any]:
    return {**_registry(view), **_door(view), "create_custom_toolset": view.create_custom_toolset}


def _registry(view: RegistryView) -> Mapping[str, Any]:
    return {"registry": view}


def _door(view: RegistryView) -> Mapping[str, Any]:
    def own_tool(fn: Any = None, /, **about: Any) -> Any:
        return tool(fn, **{"registry": view, **about})

    return {"tool": own_tool}


_OF_OURS: Mapping[str, Names] = {
    "handiwork": _face,
    "handiwork.catalog.store": _registry,
    "handiwork.catalog.door": _door,
}
