"""Names for groups of tools: what they are, and which tools they come to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..core.errors import UnknownNameError, UsageError
from .presets import ALIASES, ALL, COMPOSITES, OWN_PLUGINS, SHIPPED, TAKES_OWN_PLUGINS, Toolset
from .store import ToolRegistry


@dataclass(frozen=True, slots=True)
class Expansion:
    """The tools under a name, and the nested names that nothing answers to."""

    tools: frozenset[str]
    missing: frozenset[str] = frozenset()


class Toolsets:
    """Composites over one registry: those that ship, and those that people make at run time or in config."""

    def __init__(self, registry: ToolRegistry) -> None:
        self._registry = registry
        self._custom: dict[str, Toolset] = {}

    def create(self, name: str, description: str, tools: Iterable[str], includes: Iterable[str]) -> Toolset:
        """Define a composite; the same name again replaces it. A shipped name can't be taken."""
        if not name or not isinstance(name, str):
            raise UsageError("a toolset needs a name")
        if name in COMPOSITES or name == ALL or name in ALIASES:
            raise UsageError(f"{name!r} is a toolset that ships with Handiwork", "choose another name")
        made = Toolset(name, description, tuple(tools), tuple(includes))
        self._custom[name] = made
        self._registry.touch()
        return made

    def custom(self, name: str) -> Toolset | None:
        """The composite that somebody made under that name."""
        return self._custom.get(name)

    def remove(self, made: Toolset, before: Toolset | None = None) -> None:
        """Take a composite away, or put the one *before* in its place, unless its name stands for another by now."""
        if self._custom.get(made.name) is made:
            del self._custom[made.name]
            if before:
                self._custom[made.name] = before
            self._registry.touch()

    def composites(self) -> list[Toolset]:
        """All composites, shipped and custom, sorted by name."""
        return sorted((COMPOSITES | self._custom).values(), key=lambda t: t.name)

    def names(self) -> list[str]:
        """Every name that can be enabled or disabled, aliases left out, sorted."""
        return sorted({*self._registry.toolsets(), *COMPOSITES, *self._custom, ALL})

    def resolve(self, name: str) -> list[str]:
        """The registered tools under *name*, sorted. Raises `UnknownNameError` with near names."""
        return sorted(self.expand((name,)).tools)

    def expand(self, names: Iterable[str]) -> Expansion:
        """Every tool under *names*: diamonds are met once, circles end by themselves."""
        queue = [self._known(name) for name in names]
        seen: set[str] = set()
        tools: set[str] = set()
        missing: set[str] = set()
        while queue:
            name = queue.pop()
            if name in seen:
                continue
            seen.add(name)
            if not self._add(name, tools, queue) and name not in SHIPPED:
                missing.add(name)
        registered = {t for t in tools if self._registry.get(t)}
        return Expansion(frozenset(registered), frozenset(missing | (tools - registered)))

    def canonical(self, name: str) -> str:
        """What an alias stands for; any other name itself."""
        for _ in range(8):  # aliases of aliases; a ring of them ends here
            target = self._registry.aliases().get(name) or (None if self._is_set(name) else ALIASES.get(name))
            if target is None or target == name:
                return name
            name = target
        return name

    def _known(self, name: str) -> str:
        found = self.canonical(name)
        if self._is_set(found) or found in SHIPPED:
            return found
        entry = self._registry.get(name)
        hint = f"{name!r} is a tool; its toolset is {entry.toolset!r}" if entry else "see `handiwork toolsets list`"
        raise UnknownNameError("toolset", name, {*self.names(), *self._registry.aliases(), *ALIASES}, hint)

    def _is_set(self, name: str) -> bool:
        if name in COMPOSITES or name in self._custom or name == ALL:
            return True
        return bool(self._registry.members(name)) or self._registry.is_announced(name)

    def _add(self, name: str, tools: set[str], queue: list[str]) -> bool:
        """Put what *name* holds into *tools* and *queue*; False if nothing answers to it."""
        name = self.canonical(name)
        if name == ALL:
            tools.update(self._registry.names())
            return True
        members = self._registry.members(name)
        tools.update(members)
        composite = self._custom.get(name) or COMPOSITES.get(name)
        if composite:
            tools.update(composite.tools)
            queue.extend(composite.includes)
        if name in TAKES_OWN_PLUGINS:
            queue.extend({e.toolset for e in self._registry.entries() if e.origin.startswith(OWN_PLUGINS)})
        return bool(composite or members) or self._registry.is_announced(name)
