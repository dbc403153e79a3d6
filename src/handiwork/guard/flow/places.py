"""What a call reads and writes, by its tool's traits: files and hosts, where a text may come from or go to."""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from handiwork.core.loading import Late
from handiwork.core.types import Ready

from .. import raters
from ..places import is_system
from ..workspace import is_inside

commands = Late("handiwork.guard.commands")
urls = Late("handiwork.guard.urls")

_WRITES = frozenset(("write", "append", "truncate"))
_BETWEEN = re.compile(r"[\s'\"=:;|&<>(),`]+")
_PATTERN = re.compile(r"[*?\[]")
_LOCAL = "local"


@dataclass(frozen=True, slots=True)
class Touched:
    """What a call touches: files by real path, the words of its commands, what these fetch and where they write."""

    paths: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    fetched: tuple[str, ...] = ()
    written: tuple[str, ...] = ()

    def reaches(self, path: str, output: str) -> bool:
        """Whether the call has to do with the file at *path*: it names it, or a pattern or folder that has it."""
        name = os.path.basename(path)
        if any(is_inside(path, named) for named in self.paths):
            return path in self.paths or name in output
        names = {os.path.basename(word.rstrip("/")) for word in self.words}
        return name in names or any(fnmatch.fnmatchcase(name, n) for n in names if _PATTERN.search(n))


def touched_by(ready: Ready) -> Touched:
    """What *ready* touches, as its tool declares it."""
    traits = ready.entry.traits
    if "command" in traits.touches.values():
        return _by_commands(ready)
    paths = tuple(_key(ready, real) for real in ready.real_paths.values())
    written = paths if traits.resolved_effect() != "read" else ()
    return Touched(paths, written=written)


def _by_commands(ready: Ready) -> Touched:
    folder, scope = raters.command_folder(ready), ready.call.scope
    words, fetched, written = [folder], [], []
    for text in _commands_of(ready):
        found = commands.judge_command(text, cwd=folder, workspace=scope.workspace or None)
        words += filter(None, _BETWEEN.split(text))
        fetched += [urls.judge_url(e.target).host or "the network" for e in found.effects if e.kind == "fetch"]
        written += [_key(ready, os.path.realpath(e.target)) for e in found.effects if e.kind in _WRITES and e.target]
    named = (os.path.join(folder, os.path.expanduser(word)) for word in words if "\0" not in word)
    paths = dict.fromkeys(os.path.realpath(path) for path in named if os.path.exists(path))
    return Touched(tuple(_key(ready, p) for p in paths), tuple(words), tuple(fetched), tuple(written))


def _commands_of(ready: Ready) -> Iterator[str]:
    for argument, touch in ready.entry.traits.touches.items():
        value = ready.args.get(argument)
        if touch == "command" and isinstance(value, str):
            yield value


def _key(ready: Ready, real: str) -> str:
    """The name of a file among all places: on this machine its path."""
    environment = ready.call.scope.environment
    place = environment.files.place if environment else _LOCAL
    return real if place == _LOCAL else f"{place}:{real}"


def is_strange(path: str, ready: Ready, own: Collection[str]) -> bool:
    """Whether a file of this machine is neither in the workspace nor the system's nor in a folder of *own*."""
    scope = ready.call.scope
    workspace = os.path.realpath(scope.workspace or scope.cwd or "/")
    if not path.startswith("/") or os.path.isdir(path) or is_system(path):
        return False
    return not any(is_inside(path, os.path.realpath(folder)) for folder in (workspace, *own) if folder)
