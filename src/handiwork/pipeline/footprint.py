"""What a call could disturb, or be disturbed by: read from the tool's traits and the call's paths."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..core.errors import UsageError
from ..core.loading import Late
from ..core.types import ToolEntry, Traits

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


def footprint(entry: ToolEntry, args: Mapping[str, Any], cwd: str) -> Footprint:
    """What *entry* called with *args* leaves or looks at; relative paths are taken from *cwd*."""
    traits = entry.traits
    if traits.parallel_safe:
        return FREE
    reads_only = traits.resolved_effect() == "read"
    kinds = set(traits.touches.values())
    if "tool" in kinds:  # what that one will do isn't known here
        return WORLD
    if only_files(traits):
        try:
            named = tuple(paths_named(traits, args))
        except UsageError:  # a patch that can't be read may mean any file
            return WORLD
        paths = tuple(os.path.realpath(os.path.join(cwd, os.path.expanduser(path))) for path in named)
        return Footprint(reads=paths) if reads_only else Footprint(writes=paths)
    if not reads_only:
        return WORLD
    return FREE if traits.open_world else Footprint(reads_all=True)


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
