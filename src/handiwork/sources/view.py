"""The registry as a plugin sees it: what it registers is its own, and what it calls runs the pipeline."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import Any, Protocol, TypeVar

from ..catalog.origins import Source
from ..catalog.presets import Toolset
from ..catalog.store import ToolRegistry
from ..catalog.toolsets import Toolsets
from ..core.errors import UsageError
from ..core.types import Args, ToolEntry
from .codes import Codes

T = TypeVar("T")


class HookPoints(Protocol):
    """Where hooks go: `pipeline.hooks.Hooks`."""

    @property
    def register(self) -> Callable[..., Any]: ...

    @property
    def remove(self) -> Callable[[Any], object]: ...


@dataclass(frozen=True, slots=True)
class Command:
    """A command of a plugin inside a chat: what is typed after it goes to `handler`, its answer is shown."""

    name: str
    handler: Callable[[str], Any]
    description: str
    hint: str
    plugin: str


@dataclass(frozen=True, slots=True)
class Ground:
    """What plugins stand on: where their parts go, and how a call from inside a plugin runs."""

    registry: ToolRegistry
    hooks: HookPoints
    dispatch: Callable[..., str]
    toolsets: Toolsets
    commands: dict[str, Command] = field(default_factory=dict)
    codes: Codes = field(default_factory=Codes)


class Belongings:
    """Everything that one plugin brought, to be taken away together. Once closed, it takes nothing more in."""

    def __init__(self, ground: Ground, origin: str) -> None:
        self.source = Source(origin)
        self._ground, self._lock = ground, Lock()
        self._removals: list[Callable[[], object]] = []

    def add(self, make: Callable[[], T], remove: Callable[[T], object]) -> T:
        """Make something, and know how it is removed. Raises `UsageError` once closed."""
        with self._lock:
            if self.source.over:
                raise UsageError(self.source.over)
            made = make()
            self._removals.append(partial(remove, made))
            return made

    def give_way(self, successor: Belongings) -> None:
        """Remove all of it but for the names that its next version holds now, and take nothing more in."""
        self._take_back(successor)
        self.source.over = "a newer version of the plugin is loaded"

    def _take_back(self, replaced_by: Belongings | None = None) -> None:
        with self._lock:
            removals, self._removals = self._removals, []
        for remove in reversed(removals):
            remove()
        later = replaced_by.source.before if replaced_by else {}
        self._ground.registry.take_back(self.source, later)
        for slot in later.keys() & self.source.before.keys():
            later[slot] = self.source.before[slot]  # who held it before any version did

    def close(self, why: str) -> None:
        """Take nothing more in from now on, *why* is told to whoever tries, and remove what is there."""
        with self._lock:
            self.source.over = why
        self._take_back()


class RegistryView:
    """As `ToolRegistry`, for one plugin. Its tools are called through the pipeline like everybody's."""

    def __init__(self, ground: Ground, belongings: Belongings) -> None:
        self._ground, self._belongings = ground, belongings

    def register(self, *args: Any, **kw: Any) -> None:
        """As `ToolRegistry.register`; the origin is this plugin, whatever it says."""
        kw["origin"] = self._belongings.source.origin
        with self._ground.registry.registering(self._belongings.source):
            self._ground.registry.register(*args, **kw)

    def deregister(self, name: str) -> None:
        """Take a tool of this plugin away. Raises `UsageError` for one of somebody else."""
        entry = self._ground.registry.get(name)
        if entry is not None and not self._owns(entry):
            raise UsageError(f"{name} is from {entry.origin}: a plugin takes away its own tools only")
        self._ground.registry.deregister(name)

    def register_toolset_alias(self, alias: str, toolset: str) -> None:
        """Let *alias* stand for *toolset*. Raises `UsageError` for a name that stands for others' tools."""
        registry = self._ground.registry
        meant = registry.aliases().get(alias, alias)
        if not all(map(self._owns, [*registry.members(alias).values(), *registry.members(meant).values()])):
            raise UsageError(f"the toolset {alias!r} is there already", "choose another alias")
        with registry.registering(self._belongings.source):
            registry.register_toolset_alias(alias, toolset)

    def register_toolset_check(self, toolset: str, check: Callable[[], object]) -> None:
        """Give a toolset a check of its own. Raises `UsageError` where the toolset holds others' tools."""
        if not all(map(self._owns, self._ground.registry.members(toolset).values())):
            raise UsageError(f"the toolset {toolset!r} holds tools of others", "use a check_fn for your own tools")
        with self._ground.registry.registering(self._belongings.source):
            self._ground.registry.register_toolset_check(toolset, check)

    def create_custom_toolset(self, name: str, description: str = "", tools: Any = (), includes: Any = ()) -> Toolset:
        """Define a composite toolset; it goes with the plugin."""
        toolsets = self._ground.toolsets
        before = toolsets.custom(name)

        def remove(made: Toolset) -> None:
            toolsets.remove(made, before if self._belongings.source.over else None)

        return self._belongings.add(lambda: toolsets.create(name, description, tools, includes), remove)

    def dispatch(self, name: str, args: Args, **kw: Any) -> str:
        """Run a tool through the same pipeline and guard as everybody. A *scope* that is handed on holds for it."""
        scope = kw.get("scope")
        if scope is not None and scope.call is not None:
            return str(scope.call(name, args))
        return self._ground.dispatch(name, args, kw.get("task_id"))

    def hook(self, name: str, fn: Callable[..., Any], **about: Any) -> None:
        """Call *fn* at the hook point *name*."""
        hooks = self._ground.hooks
        self._belongings.add(lambda: hooks.register(name, fn, **about), hooks.remove)

    def command(self, command: Command) -> None:
        """Add a command of chats. Raises `UsageError` for a name that is taken."""
        commands = self._ground.commands
        holder = commands.get(command.name)
        if holder is not None and holder.plugin != command.plugin:
            raise UsageError(f"the command /{command.name} is {holder.plugin}'s", "choose another name")
        self._belongings.add(
            partial(commands.__setitem__, command.name, command), lambda _: self._drop(command, holder)
        )

    def _drop(self, command: Command, before: Command | None) -> None:
        """Remove a command; that of the version before has its place again where this one failed."""
        commands = self._ground.commands
        if commands.get(command.name) is command:
            del commands[command.name]
            if before and self._belongings.source.over:
                commands[before.name] = before

    def _owns(self, entry: ToolEntry) -> bool:
        return entry.origin == self._belongings.source.origin

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ground.registry, name)
