"""One attempt to load one plugin: run with all that it takes noted, and taken back whole when it fails."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from types import ModuleType
from typing import Any

from ..catalog.discovery import Found
from .context import PluginContext
from .foreign import own_builtins
from .importing import PluginLoader, Read, modules_below, put_back_modules, run_file, run_installed
from .modules import Loaded, failed, late, unreadable
from .timed import TooLong
from .view import Belongings, Ground, RegistryView

NAMESPACE = "handiwork_plugins"
PACKAGES = "package"  # the owner of plugins that are installed packages


@dataclass(frozen=True, slots=True)
class Plugin:
    """A plugin that was found. *owner* says whose it is: `user`, `project` or `package`.

    `read` gives the bytes of a file that may be run (None: any file on the disk); `target` is the entry point of
    an installed package.
    """

    found: Found
    owner: str
    read: Read | None = None
    target: str = ""

    @property
    def name(self) -> str:
        return self.found.name

    @property
    def origin(self) -> str:
        return f"plugin:{self.owner}/{self.name}"

    @property
    def module(self) -> str:
        """The name of its module."""
        if self.target:
            return self.target.partition(":")[0]
        return f"{NAMESPACE}.{self.name}" if self.owner == "user" else f"{NAMESPACE}_{self.owner}.{self.name}"

    @property
    def root(self) -> str:
        """The module at and below which all of its modules are."""
        return self.module.partition(".")[0] if self.target else self.module


class Trial:
    """A job for `timed.run_timed`: what came of the plugin is in `loaded`, what it brought in `belongings`."""

    def __init__(self, ground: Ground, plugin: Plugin) -> None:
        self.plugin, self.belongings = plugin, Belongings(ground, plugin.origin)
        self.loaded = Loaded(plugin.name, plugin.found.path, plugin.origin)
        self._ground = ground
        self._modules = modules_below(plugin.root)
        self._error: BaseException | None = None

    def run(self) -> None:
        """Run it, whatever comes of that."""
        if self.plugin.found.style == "unreadable":
            return
        try:
            with self._ground.registry.registering(self.belongings.source):
                self._execute()
        except BaseException as error:  # noqa: BLE001 - somebody else's file: the others go on
            self._error = error

    def settle(self, too_long: TooLong | None) -> None:
        """See what came of it. *too_long* says that its time wasn't enough."""
        found, origin = self.plugin.found, self.plugin.origin
        if found.style == "unreadable":
            self.loaded = unreadable(found, origin)
        elif too_long is not None:
            self.loaded = late(found, origin, *too_long)
        elif self._error is not None:
            self.loaded = failed(found, origin, self._error)
        else:
            self.loaded = Loaded(found.name, found.path, origin, self.belongings.source.names)
            return
        self.belongings.close(f"the plugin {found.name} isn't loaded: {self.loaded.error}")
        put_back_modules(self.plugin.root, self._modules)

    def _execute(self) -> None:
        plugin = self.plugin
        view = RegistryView(self._ground, self.belongings)
        given = own_builtins(view)
        context = PluginContext(view, plugin.name, plugin.found.path)
        if plugin.target:
            _begin(run_installed(plugin.module, given), plugin.target, context)
            return
        loader = PluginLoader(plugin.module, plugin.found.path, given, codes=self._ground.codes, read=plugin.read)
        if self._modules:
            put_back_modules(plugin.module, {})
        module = run_file(plugin.module, loader)
        if plugin.found.style == "context":
            module.register(context)


def _begin(module: ModuleType, target: str, context: PluginContext) -> None:
    """What an entry point stands for: a function to call, or a module that may have a `register`."""
    attributes = target.partition(":")[2]
    found: Any = reduce(getattr, attributes.split("."), module) if attributes else module
    register: Callable[[PluginContext], object] | None = getattr(found, "register", found)
    if callable(register):
        register(context)


def files_of(found: Found) -> tuple[tuple[str, int, int], ...]:
    """The Python files of a plugin with their times and sizes: they say whether it has changed."""
    if os.path.basename(found.path) != "__init__.py":
        return ((found.path, *found.stamp),)
    walked = os.walk(os.path.dirname(found.path))
    return _stamps(sorted(os.path.join(top, n) for top, _, names in walked for n in names if n.endswith(".py")))


def _stamps(paths: list[str]) -> tuple[tuple[str, int, int], ...]:
    stamps = []
    for path in paths:
        try:
            stat = os.stat(path)
        except OSError:  # gone since it was listed: that is a change as well
            continue
        stamps.append((path, stat.st_mtime_ns, stat.st_size))
    return tuple(stamps)
