"""What `register(ctx)` is given: the ways of a plugin to bring tools, hooks and commands."""

from __future__ import annotations

import os
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NoReturn

from ..core.errors import UsageError
from ..core.loading import Late
from ..core.types import Args
from .hermes import HOOKS, ForeignHook
from .view import Command, RegistryView

yaml = Late("yaml")
_MANIFEST = ("plugin.yaml", "plugin.yml")


class PluginContext:
    """The `ctx` of a plugin. *path* is its file."""

    def __init__(self, view: RegistryView, plugin: str, path: str) -> None:
        self.plugin_name, self.registry, self.profile_name = plugin, view, "default"
        self._folder = os.path.dirname(path)
        self._is_package = os.path.basename(path) == "__init__.py"

    @property
    def manifest(self) -> SimpleNamespace:
        """What the `plugin.yaml` of its folder says; without one there is the name. Raises `UsageError`."""
        said = _read_manifest(self._folder) if self._is_package else {}
        known = {"version": "", "description": "", "author": "", "provides_tools": [], "provides_hooks": []}
        about = {"name": self.plugin_name, "key": self.plugin_name, "path": self._folder, "requires_env": []}
        return SimpleNamespace(**(known | about | said))

    def register_tool(self, *args: Any, **kw: Any) -> None:
        """Add a tool; the keywords are those of `registry.register`."""
        self.registry.register(*args, **kw)

    def register_hook(self, name: str, fn: Callable[..., Any]) -> None:
        """Call *fn* at every event *name*, which may be one of Hermes Agent's names."""
        hook = HOOKS.get(name) or ForeignHook(name)
        source = f"plugin:{self.plugin_name}"
        self.registry.hook(hook.ours, fn, source=source, renamed=hook.renamed, guards=hook.guards)

    def register_command(
        self, name: str, handler: Callable[[str], Any], description: str = "", args_hint: str = ""
    ) -> None:
        """Add the command */name* to chats: *handler* gets what is typed after it, its answer is shown."""
        clean = name.strip().lstrip("/").lower().replace(" ", "-")
        if not clean:
            raise UsageError("a command needs a name")
        self.registry.command(Command(clean, handler, description, args_hint, self.plugin_name))

    def dispatch_tool(self, tool_name: str, args: Args, **kw: Any) -> str:
        """Run a tool through the same pipeline and guard as everybody; the text for a model."""
        return self.registry.dispatch(tool_name, args, **kw)

    def __getattr__(self, name: str) -> NoReturn:
        known = "register_tool, register_hook, register_command, dispatch_tool, manifest, registry"
        raise AttributeError(f"ctx.{name} isn't there in Handiwork; a plugin has {known} (ask with hasattr)")


def _read_manifest(folder: str) -> dict[str, Any]:
    path = next((p for name in _MANIFEST if os.path.isfile(p := os.path.join(folder, name))), "")
    if not path:
        return {}
    try:
        with open(path, encoding="utf-8-sig") as file:
            said = yaml.safe_load(file)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise UsageError(f"{path}: can't be read: {error}", "mend it") from error
    return said if isinstance(said, dict) else {}
