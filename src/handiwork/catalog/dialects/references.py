"""Where `$ref` points to, in the document as it was written, and which references never end."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from .keywords import definitions, subschemas

_MOST_VISITS = 200_000
_NAME = re.compile(r"[^A-Za-z0-9_.-]")


@dataclass(frozen=True, slots=True)
class Target:
    """What a reference means: its pointer in one spelling, and the schema there."""

    pointer: str
    raw: Any


class References:
    """The references of one document, resolved without touching it. None but local ones are known."""

    def __init__(self, document: object) -> None:
        self._document = document
        self._anchors: dict[str, Target] | None = None
        self._endless: frozenset[str] | None = None

    def find(self, ref: str) -> Target | None:
        """The target of *ref*, or None where this document has none."""
        address, _, fragment = ref.partition("#")
        if not address and (not fragment or fragment.startswith("/")):
            return self._follow(unquote(fragment))
        if self._anchors is None:
            self._anchors = dict(_anchors(self._document))
        return self._anchors.get(ref) or self._anchors.get(ref.removesuffix("#"))

    def is_endless(self, pointer: str) -> bool:
        """Whether following the references from there can come back there."""
        if self._endless is None:
            self._endless = self._find_endless()
        return pointer in self._endless

    def _follow(self, pointer: str) -> Target | None:
        found = self._document
        tokens = [t.replace("~1", "/").replace("~0", "~") for t in pointer.split("/")[1:]]
        for token in tokens:
            if isinstance(found, Mapping) and token in found:
                found = found[token]
            elif isinstance(found, (list, tuple)) and token.isdecimal() and int(token) < len(found):
                found = found[int(token)]
            else:
                return None
        if not isinstance(found, (Mapping, bool, str)):
            return None
        return Target("#" + "".join(f"/{t.replace('~', '~0').replace('/', '~1')}" for t in tokens), found)

    def _find_endless(self) -> frozenset[str]:
        """Take away, again and again, the targets whose references all end: what is left never does."""
        edges = self._edges()
        users: dict[str, list[str]] = {}
        for user, used in edges.items():
            for pointer in used:
                users.setdefault(pointer, []).append(user)
        open_ends = {pointer: len(used) for pointer, used in edges.items()}
        finished = [pointer for pointer, count in open_ends.items() if not count]
        while finished:
            for user in users.get(finished.pop(), ()):
                open_ends[user] -= 1
                if not open_ends[user]:
                    finished.append(user)
        return frozenset(pointer for pointer, count in open_ends.items() if count)

    def _edges(self) -> dict[str, set[str]]:
        """Which targets each target refers to, as far as they can be reached from the root."""
        edges: dict[str, set[str]] = {}
        waiting = [Target("#", self._document)]
        visits = 0
        while waiting:
            target = waiting.pop()
            if target.pointer in edges:
                continue
            used = edges[target.pointer] = set()
            for node in _nodes(target.raw):
                visits += 1
                if visits > _MOST_VISITS:  # a maze: taken for endless, which is safe
                    used.add(target.pointer)
                    break
                if found := self._target_of(node):
                    used.add(found.pointer)
                    waiting.append(found)
        return edges

    def _target_of(self, node: object) -> Target | None:
        ref = reference_of(node)
        return self.find(ref) if ref is not None else None


def reference_of(raw: object) -> str | None:
    """The reference that a node as it was written makes."""
    if isinstance(raw, Mapping):
        for key in ("$ref", "$dynamicRef", "$recursiveRef"):
            if isinstance(raw.get(key), str):
                return str(raw[key])
    return None


def name_of(pointer: str, taken: Mapping[str, Any]) -> str:
    """A name under `$defs` for the schema at *pointer*."""
    name = _NAME.sub("_", pointer.rpartition("/")[2].replace("~1", "/").replace("~0", "~"))
    name = "root" if pointer == "#" else name or "schema"
    number = 2
    unique = name
    while unique in taken:
        unique, number = f"{name}{number}", number + 1
    return unique


def _nodes(raw: object) -> Iterator[Any]:
    """A schema and every schema in it, definitions aside."""
    waiting = [raw]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(subschemas(node))


def _anchors(document: object) -> Iterator[tuple[str, Target]]:
    """Every schema that has an anchor or an id, by the ways it may be called."""
    waiting = [document]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Mapping):
            for name in _own_names(node):
                yield name, Target(name, node)
            waiting += [*subschemas(node), *definitions(node)]


def _own_names(node: Mapping[str, Any]) -> Iterator[str]:
    for key, mark in (("$anchor", "#"), ("$dynamicAnchor", "#"), ("$id", ""), ("id", "")):
        if isinstance(name := node.get(key), str) and name:
            yield f"{mark}{name}"
