"""Plugins: files and packages in a folder, each found by its source and run on its own."""

from __future__ import annotations

import builtins
import importlib.util
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from ..catalog.discovery import Found, Scanner
from ..catalog.store import ToolRegistry
from .hermes import HOOKS, ForeignHook, foreign_import
from .modules import Harvest

NAMESPACE = "handiwork_plugins"
RegisterHook = Callable[..., object]  # as `pipeline.hooks.Hooks.register`
Dispatch = Callable[[str, dict[str, Any]], str]


@dataclass(frozen=True, slots=True)
class Ground:
    """What plugins stand on: the registry, where hooks go, and how a call from inside a plugin runs."""

    registry: ToolRegistry
    register_hook: RegisterHook
    dispatch: Dispatch


class RegistryView:
    """The registry as a plugin sees it: what it registers is its own, and its calls run the pipeline."""

    def __init__(self, ground: Ground, origin: str) -> None:
        self._ground, self._origin = ground, origin

    def register(self, *args: Any, **kw: Any) -> None:
        """As `ToolRegistry.register`; the origin is this plugin, whatever it says."""
        self._ground.registry.register(*args, **{**kw, "origin": self._origin})

    def dispatch(self, name: str, args: dict[str, Any], **_: Any) -> str:
        """Run a tool through the same pipeline and guard as everybody."""
        return self._ground.dispatch(name, args)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ground.registry, name)


class PluginContext:
    """What `register(ctx)` is given."""

    def __init__(self, ground: Ground, plugin: str, origin: str) -> None:
        self.plugin_name = plugin
        self.registry = RegistryView(ground, origin)
        self._ground = ground

    def register_tool(self, *args: Any, **kw: Any) -> None:
        """Add a tool; the keywords are those of `registry.register`."""
        self.registry.register(*args, **kw)

    def register_hook(self, name: str, fn: Callable[..., Any]) -> None:
        """Call *fn* at every event *name*, which may be one of Hermes Agent's names."""
        hook = HOOKS.get(name) or ForeignHook(name)
        source = f"plugin:{self.plugin_name}"
        self._ground.register_hook(hook.ours, fn, source=source, renamed=hook.renamed, guards=hook.guards)


def load_plugins(
    ground: Ground, folder: str, scanner: Scanner, harvest: Harvest, *, owner: str, disabled: tuple[str, ...] = ()
) -> None:
    """Load what is in *folder*, sorted by name. *owner* says whose folder it is (`user`, `project`)."""
    for found in scanner.scan(folder):
        if found.name not in disabled:
            origin = f"plugin:{owner}/{found.name}"
            harvest.add(ground.registry, found, origin, partial(_run, ground, found, origin))


def _run(ground: Ground, found: Found, origin: str) -> None:
    """Execute the file as a module of its own; a half-made module doesn't stay."""
    is_package = os.path.basename(found.path) == "__init__.py"
    folders = [os.path.dirname(found.path)] if is_package else None
    name = f"{NAMESPACE}.{found.name}"
    spec = importlib.util.spec_from_file_location(name, found.path, submodule_search_locations=folders)
    if spec is None or spec.loader is None:
        raise ImportError(f"not a Python file: {found.path}")
    module = importlib.util.module_from_spec(spec)
    # The module's own `__import__` knows names that other systems' plugins import; `sys.modules` doesn't.
    import_ = foreign_import(RegistryView(ground, origin))
    vars(module)["__builtins__"] = {**vars(builtins), "__import__": import_}
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
        if found.style == "context":
            module.register(PluginContext(ground, found.name, origin))
    except BaseException:
        sys.modules.pop(name, None)
        raise
