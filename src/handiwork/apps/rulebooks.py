"""The rules that hold now, for each workspace: read again when one of their files has changed.

A look at the files takes 8 us, half of what a call may cost: it is good for a hundredth of a second.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..catalog.store import ToolRegistry
from ..core.errors import HandiworkError
from ..core.loading import Late
from ..core.types import Traits
from .config_file import possible_paths

rule_files = Late("handiwork.apps.rule_files")
rule = Late("handiwork.guard.rules.rule")
logging = Late("logging")
foreign_names = Late("handiwork.apps.foreign_names")

MOST_WORKSPACES = 64
LOOK_S = 0.01
# Tools that rules may name though they may not be there now.
_KNOWN_ELSEWHERE: Mapping[str, Traits] = {
    "web_extract": Traits(effect="read", open_world=True, touches={"urls": "url"}),
    "web_search": Traits(effect="read", open_world=True),
}


@dataclass(slots=True)
class _Held:
    """What was read for one workspace, the stamps of its files then, and when they were last looked at."""

    paths: tuple[str, ...]
    stamps: tuple[Any, ...]
    files: Any
    looked: float


class Rulebooks:
    """The rules of a home and of projects, for the tools of a registry. A look at the files holds for *look_s*."""

    def __init__(self, home: str, registry: ToolRegistry, *, look_s: float = LOOK_S) -> None:
        self._home, self._registry, self._look_s = home, registry, look_s
        self._held: dict[str, _Held] = {}
        self._lock = threading.Lock()

    def book(self, workspace: str) -> Any:
        """The rulebook of a workspace; None where no file says anything.

        A file that was damaged since changes nothing, and that is logged.
        """
        held, now = self._held.get(workspace), time.monotonic()
        if held is not None:
            if now - held.looked < self._look_s:
                return held.files and held.files.book
            held.looked = now
            if tuple(map(_stamp, held.paths)) == held.stamps:
                return held.files and held.files.book
        try:
            files = self.files(workspace)
        except HandiworkError as error:
            if held is None:
                raise
            logging.getLogger(__name__).warning("the rules stay as they were: %s", error)
            held.stamps = tuple(map(_stamp, held.paths))
            return held.files and held.files.book
        return files and files.book

    def look_again(self) -> None:
        """One of the files has changed: the next call looks at them."""
        for held in tuple(self._held.values()):
            held.looked = 0.0

    def files(self, workspace: str) -> Any:
        """The files with rules of a workspace, read now; None where none says anything. Raises `ConfigError`."""
        with self._lock:
            paths = self._paths(workspace)
            stamps = tuple(map(_stamp, paths))
            is_said = any(_mentions_policy(path) for path in paths[:-1])
            files = rule_files.read_rule_files(self._home, workspace, self.vocabulary()) if is_said else None
            while len(self._held) >= MOST_WORKSPACES:
                self._held.pop(next(iter(self._held)))
            self._held[workspace] = _Held(paths, stamps, files, time.monotonic())
            return files

    def ignored(self, workspace: str) -> list[str]:
        """What the project's files would allow, and nobody has trusted."""
        files = self.files(workspace)
        return [rule.text for file in (files.files if files else ()) for rule in file.ignored]

    def vocabulary(self) -> Any:
        """The names that rules may use."""
        tools = {**_KNOWN_ELSEWHERE, **{entry.name: entry.traits for entry in self._registry.entries()}}
        return rule.Vocabulary(tools, foreign_names.OURS)

    def _paths(self, workspace: str) -> tuple[str, ...]:
        """The files with rules, and the record of what was trusted."""
        return (*possible_paths(self._home, workspace), os.path.join(self._home, "trusted_rules.json"))


def _stamp(path: str) -> tuple[int, int, int] | None:
    """What changes with a file; None where it isn't there."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_size, found.st_ino)


def _mentions_policy(path: str) -> bool:
    """Whether the file may hold rules: most don't, and reading YAML takes long."""
    try:
        with open(path, "rb") as file:
            return b"policy" in file.read()
    except OSError:
        return False
