"""What a person agreed to: each tool's definition as it was first seen, so that a later change is noticed."""

from __future__ import annotations

import difflib
import json
import os
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from ...core.loading import Late
from .definitions import Definition, canonical

files = Late("handiwork.backends.files.local")
_VERSION = 1


@dataclass(frozen=True, slots=True)
class Changes:
    """How a server's tools differ from what was agreed to, by the names that the server gives them.

    `changed` are held. `renamed` maps a new name to the old one of the same tool. `damaged` says that what
    was agreed to can't be read: then everything is held.
    """

    changed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    renamed: Mapping[str, str] = field(default_factory=dict)
    damaged: str = ""

    def __bool__(self) -> bool:
        return bool(self.changed or self.added or self.removed or self.damaged)


class Pins:
    """A file with the canonical definitions of all servers' tools, for its owner alone; without `path`, in memory."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._unsaved: Mapping[str, Mapping[str, str]] = {}

    def compare(self, identity: str, tools: Iterable[Definition]) -> Changes:
        """What is new since a person agreed. The first time, everything is taken as agreed to; so is what is added."""
        with self._alone():
            return self._compare(identity, {d.tool: canonical(d.raw) for d in tools})

    def _compare(self, identity: str, found: Mapping[str, str]) -> Changes:
        pins, damaged = self._load()
        if damaged:
            return Changes(changed=tuple(found), damaged=damaged)
        agreed = pins.get(identity)
        if agreed is None:
            self._save({**pins, identity: found})
            return Changes()
        added = {tool: said for tool, said in found.items() if tool not in agreed}
        if added:  # what was removed stays: a tool that comes back otherwise is no new one
            self._save({**pins, identity: {**agreed, **added}})
        removed = tuple(tool for tool in agreed if tool not in found)
        return Changes(
            changed=tuple(tool for tool, said in found.items() if agreed.get(tool, said) != said),
            added=tuple(added),
            removed=removed,
            renamed=_renamed(added, {tool: agreed[tool] for tool in removed}),
        )

    def agree(self, identity: str, tools: Iterable[Definition]) -> None:
        """Take *tools* as they are now, and forget those that are gone. A damaged file is begun anew."""
        with self._alone():
            pins, _ = self._load()
            self._save({**pins, identity: {d.tool: canonical(d.raw) for d in tools}})

    def diff(self, identity: str, tools: Iterable[Definition]) -> list[str]:
        """The lines that differ between what was agreed to and what is now."""
        agreed = self._load()[0].get(identity, {})
        return [line for d in tools for line in _diff(d.tool, agreed.get(d.tool), canonical(d.raw))]

    def _alone(self) -> AbstractContextManager[None]:
        """Nobody writes between our reading and our writing: what they agreed to would be forgotten."""
        if not self.path:
            return nullcontext()
        held: AbstractContextManager[None] = files.LocalFiles().locked((self.path,))
        return held

    def _load(self) -> tuple[dict[str, dict[str, str]], str]:
        """The pins, or why they can't be read."""
        if not self.path or not os.path.lexists(self.path):
            return {server: dict(tools) for server, tools in self._unsaved.items()}, ""
        try:
            with open(self.path, encoding="utf-8") as file:
                said = json.load(file)
            if said["version"] != _VERSION:
                return {}, f"{self.path} is of another version ({said['version']})"
            return {str(server): _texts(tools) for server, tools in said["servers"].items()}, ""
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            return {}, f"{self.path} can't be read: {error}"

    def _save(self, pins: Mapping[str, Mapping[str, str]]) -> None:
        if not self.path:
            self._unsaved = pins
            return
        temporary = f"{self.path}.{os.getpid()}"
        try:
            os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
            with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
                json.dump({"version": _VERSION, "servers": pins}, file, ensure_ascii=True, indent=1)
            os.replace(temporary, self.path)
        except OSError:  # a home that can't be written holds for this process
            self._unsaved = pins


def _texts(tools: Any) -> dict[str, str]:
    if not all(isinstance(said, str) for said in tools.values()):
        raise TypeError("a definition that is no text")
    return dict(tools)


def _renamed(added: Mapping[str, str], removed: Mapping[str, str]) -> dict[str, str]:
    """New names of tools that were there under another one."""
    before = {_nameless(said): tool for tool, said in removed.items()}
    return {tool: old for tool, said in added.items() if (old := before.get(_nameless(said)))}


def _nameless(said: str) -> str:
    definition = json.loads(said)
    definition.pop("name", None)
    return json.dumps(definition, sort_keys=True)


def _diff(tool: str, before: str | None, now: str) -> list[str]:
    if before == now:
        return []
    old = [] if before is None else json.dumps(json.loads(before), indent=2, sort_keys=True).splitlines()
    new = json.dumps(json.loads(now), indent=2, sort_keys=True).splitlines()
    return list(difflib.unified_diff(old, new, f"{tool} (agreed)", f"{tool} (now)", lineterm="", n=2))
