"""What a call could disturb, or be disturbed by: read from the tool's traits and the call's paths."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..core.errors import HandiworkError, UsageError
from ..core.loading import Late
from ..core.types import Scope, ToolEntry, Traits

patches = Late("handiwork.core.patches")


@dataclass(frozen=True, slots=True)
class Footprint:
    """The traces of one call.

    `world` conflicts with everything: a command, an undeclared tool, a write whose place is unknown.
    `reads_all` is a reader whose place is unknown. `reads` and `writes` are real paths.
    """

    world: bool = False
    reads_all: bool = False
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()


FREE = Footprint()
WORLD = Footprint(world=True)


def footprint(entry: ToolEntry, args: Mapping[str, Any], scope: Scope) -> Footprint:
    """What *entry* called with *args* in *scope* leaves or looks at."""
    traits = entry.traits
    if traits.parallel_safe:
        return FREE
    kinds = set(traits.touches.values())
    if "tool" in kinds:  # what that one will do isn't known here
        return WORLD
    if only_files(traits):
        return _of_files(traits, args, scope)
    if traits.resolved_effect() != "read":
        return WORLD
    return FREE if traits.open_world else Footprint(reads_all=True)


def _of_files(traits: Traits, args: Mapping[str, Any], scope: Scope) -> Footprint:
    try:
        paths = tuple(real_path(path, scope) for path in paths_named(traits, args))
    except UsageError:  # a patch that can't be read may mean any file
        return WORLD
    if not all(paths):
        return WORLD
    return Footprint(reads=paths) if traits.resolved_effect() == "read" else Footprint(writes=paths)


def only_files(traits: Traits) -> bool:
    """Whether a tool touches nothing but the files that its arguments name."""
    return bool(traits.touches) and {"path", "patch"}.issuperset(traits.touches.values())


def paths_named(traits: Traits, args: Mapping[str, Any]) -> Iterator[str]:
    """The paths among *args*, and in patches among them, as they are written.

    A tool whose path is left out means the folder it is in, unless a patch says which files it means.
    Raises `UsageError` for a patch that can't be read.
    """
    patched = [name for name, touch in traits.touches.items() if touch == "patch" and args.get(name)]
    for name in patched:
        yield from patches.paths_of(str(args[name]))
    for name, touch in traits.touches.items():
        if touch == "path" and (args.get(name) or not patched):
            value = args.get(name) or "."
            yield from map(str, value if isinstance(value, list) else (value,))


def real_path(path: str, scope: Scope) -> str:
    """Where *path* leads, asked where the files of *scope* are; empty for nowhere."""
    full = path if path.startswith("~") else os.path.join(scope.here, path)
    try:
        if scope.environment is None:
            return os.path.realpath(os.path.expanduser(full))
        return scope.environment.files.real(full)
    except (OSError, ValueError, HandiworkError):
        return ""


@dataclass(slots=True)
class Trampled:
    """The footprints of a wave so far, together."""

    world: bool = False
    anything: bool = False
    reads_all: bool = False
    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)

    def conflicts(self, new: Footprint) -> bool:
        """True if the call of *new* must wait for the wave to end."""
        if self.world or (new.world and self.anything):
            return True
        if (new.reads_all and self.writes) or (new.writes and self.reads_all):
            return True
        return _meet(new.writes, self.reads) or _meet((*new.writes, *new.reads), self.writes)

    def add(self, new: Footprint) -> None:
        """Count *new* in."""
        self.anything = True
        self.world |= new.world
        self.reads_all |= new.reads_all
        self.reads.update(new.reads)
        self.writes.update(new.writes)


def _meet(paths: Iterable[str], others: set[str]) -> bool:
    """True if any of *paths* is, holds, or lies in one of *others*."""
    if not others:
        return False
    return any(
        path in others or any(o.startswith(path + os.sep) or path.startswith(o + os.sep) for o in others)
        for path in paths
    )
