"""Plugins: files and packages in folders, and installed packages; found by their source, loaded, and loaded anew."""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, field
from threading import Lock

from ..catalog.discovery import Found, Scanner
from ..core.errors import UsageError
from ..core.loading import Late
from .importing import put_back_modules
from .modules import Harvest, Loaded
from .timed import run_timed
from .trial import PACKAGES, Plugin, Trial, files_of
from .view import Belongings, Ground

installed = Late("handiwork.sources.installed")
projects = Late("handiwork.backends.trust.projects")
SECONDS = 5.0
TRUST = "see `handiwork plugins trust`"
Stamps = tuple[tuple[str, int, int], ...]


@dataclass(frozen=True, slots=True)
class Change:
    """A plugin that isn't what it was: its tools that are new, gone or made anew, or why its old version stays."""

    name: str
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    error: str = ""

    def __str__(self) -> str:
        if self.error:
            return f"{self.name}: {self.error}"
        names = [*(f"+{n}" for n in self.added), *(f"-{n}" for n in self.removed), *self.kept]
        return f"{self.name} changed" + (f" ({', '.join(names)})" if names else "")


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the person says of plugins: names that stay out, and how many seconds each may take."""

    disabled: tuple[str, ...] = ()
    seconds: float = SECONDS


@dataclass(slots=True)
class _Kept:
    """A plugin with what it brought, and the files that it was made of. `tried` are those of the last attempt."""

    plugin: Plugin
    loaded: Loaded
    belongings: Belongings
    tried: Stamps = ()


@dataclass(frozen=True, slots=True)
class Waiting:
    """Plugins of a project that nothing is run of before the person trusts them."""

    folder: str
    found: list[Found] = field(default_factory=list)
    reason: str = ""


class Plugins:
    """The plugins of one house. What came of each is in *harvest*; `silent` are files that register nothing."""

    def __init__(self, ground: Ground, harvest: Harvest, wishes: Wishes | None = None) -> None:
        self._ground, self._harvest, self._wishes = ground, harvest, wishes or Wishes()
        self._kept: dict[str, _Kept] = {}
        self._look: Callable[[], Iterable[Plugin]] = tuple
        self._lock = Lock()
        self.waiting: Waiting | None = None
        self.silent: list[Found] = []

    def load(self, look: Callable[[], Iterable[Plugin]]) -> None:
        """Load what *look* finds; it is asked again by `refresh`."""
        self._look = look
        trials = [Trial(self._ground, plugin) for plugin in self._due(look())]
        run_timed(trials, self._wishes.seconds, at_start=True)
        for trial in trials:
            self._keep(trial)
        self._ground.codes.save()

    def refresh(self, *, everything: bool = False) -> list[Change]:
        """Load anew the files that have changed since (or *everything*): new ones come, those that are gone leave.

        A version that fails is told, and the one before it stays. Installed packages stay as they are.
        """
        with self._lock:
            was_waiting = self.waiting is not None
            due = {plugin.origin: plugin for plugin in self._due(self._look())}
            gone = [origin for origin, kept in self._kept.items() if self._is_gone(kept, due)]
            changes = [self._remove(origin) for origin in gone]
            changes += [self._renew(plugin) for plugin in due.values() if self._is_changed(plugin, everything)]
            if self.waiting and not was_waiting:
                changes.append(Change(self.waiting.folder, error=f"not trusted as it is now; {TRUST}"))
            return [change for change in changes if change]

    # ------------------------------------------------------------------------------------- finding

    def of_folder(self, scanner: Scanner, folder: str) -> Iterator[Plugin]:
        """The plugins in a folder of the person's own, sorted by name."""
        for found in scanner.scan(folder):
            yield Plugin(found, "user")

    def of_packages(self, scanner: Scanner, project: str) -> Iterator[Plugin]:
        """The plugins among the installed packages."""
        for name, target in installed.installed_plugins(scanner, project):
            yield Plugin(Found(f"entry point/{name}", "context"), PACKAGES, target=target)

    def of_project(self, scanner: Scanner, folder: str, home: str) -> Iterator[Plugin]:
        """The plugins in a project's folder, if they are trusted as they are; else they wait."""
        self.waiting = None
        if not os.path.isdir(folder):
            return
        trust = projects.ProjectTrust(home)
        found = scanner.scan(folder)
        try:
            contents = trust.folder(folder)
        except (UsageError, OSError) as error:
            self.waiting = Waiting(folder, found, str(error))
            return
        if not trust.holds(contents):
            self.waiting = Waiting(folder, found)
            return
        for one in found:
            yield Plugin(one, "project", lambda path: contents.read(os.path.relpath(path, folder)))

    def _due(self, plugins: Iterable[Plugin]) -> Iterator[Plugin]:
        """Those that are to be loaded; files that register nothing are noted."""
        self.silent.clear()
        for plugin in plugins:
            if plugin.found.style == "none":
                self.silent.append(plugin.found)
            elif plugin.name not in self._wishes.disabled:
                yield plugin

    # ------------------------------------------------------------------------------------ changing

    def _keep(self, trial: Trial) -> None:
        """Remember what a plugin brought, and tell it in the harvest."""
        plugin, told = trial.plugin, self._harvest.loaded
        before = self._kept.get(plugin.origin)
        if before is None:
            told.append(trial.loaded)
        else:
            told[told.index(before.loaded)] = trial.loaded
        self._kept[plugin.origin] = _Kept(plugin, trial.loaded, trial.belongings, files_of(plugin.found))

    def _is_changed(self, plugin: Plugin, everything: bool) -> bool:
        kept = self._kept.get(plugin.origin)
        if kept is None or plugin.target:
            return kept is None
        return everything or kept.tried != files_of(plugin.found)

    def _is_gone(self, kept: _Kept, due: Container[str]) -> bool:
        """Whether its file has left. What a project's files were when they were trusted stays until the end."""
        plugin = kept.plugin
        stays = plugin.target or (plugin.owner == "project" and self.waiting is not None)
        return not stays and plugin.origin not in due

    def _remove(self, origin: str) -> Change | None:
        kept = self._kept.pop(origin)
        kept.belongings.close(f"the plugin {kept.plugin.name} is gone")
        put_back_modules(kept.plugin.module, {})
        self._harvest.loaded.remove(kept.loaded)
        return Change(kept.plugin.name, removed=kept.loaded.tools) if not kept.loaded.error else None

    def _renew(self, plugin: Plugin) -> Change:
        old = self._kept.get(plugin.origin)
        self._ground.registry.forget_rejections(plugin.origin)
        trial = Trial(self._ground, plugin)
        run_timed([trial], self._wishes.seconds)
        new = trial.loaded
        if new.error and old and not old.loaded.error:
            old.tried = files_of(plugin.found)
            return Change(plugin.name, error=f"{new.place}: {new.error}; the version before it stays")
        if old:
            old.belongings.give_way(trial.belongings)
        self._keep(trial)
        before = old.loaded.tools if old else ()
        return Change(
            plugin.name,
            added=tuple(n for n in new.tools if n not in before),
            removed=tuple(n for n in before if n not in new.tools),
            kept=tuple(n for n in new.tools if n in before),
            error=f"{new.place}: {new.error}" if new.error else "",
        )
