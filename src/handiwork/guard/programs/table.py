"""The table: every program that is known, by each of its names."""

from __future__ import annotations

import re
from functools import cache

from . import (
    building,
    cloud,
    containers,
    databases,
    devices,
    editing,
    files,
    interpreters,
    network,
    packages,
    processes,
    reading,
    system,
    versions,
    wrappers,
)
from .entry import Program

KINDS = (
    *(reading, files, editing, building, versions, packages, interpreters, wrappers, network),
    *(processes, system, devices, containers, cloud, databases),
)
PROGRAMS: tuple[Program, ...] = tuple(program for kind in KINDS for program in kind.PROGRAMS)
_BY_NAME = {name: program for program in PROGRAMS for name in program.called.split()}
_VERSION = re.compile(r"-?\d[\d.]*$|\.exe$|\.(?:traditional|openbsd)$")
_GNU_ON_MAC = frozenset(
    [
        "rm",
        "cp",
        "mv",
        "ln",
        "dd",
        "tee",
        "sed",
        "tar",
        "find",
        "xargs",
        "chmod",
        "chown",
        "truncate",
        "shred",
        "mkdir",
        "touch",
        "cat",
        "ls",
        "awk",
    ]
)


def program_named(name: str) -> Program | None:
    """The entry of a program: by its name, without a version at its end, or by its family."""
    found = _BY_NAME.get(name)
    return found if found is not None else _relative(name)


@cache
def _relative(name: str) -> Program | None:
    bare = _VERSION.sub("", name)
    if bare and bare != name and bare in _BY_NAME:
        return _BY_NAME[bare]
    if name[:1] == "g" and name[1:] in _GNU_ON_MAC:
        return _BY_NAME.get(name[1:])
    if name.startswith(("mkfs.", "newfs_", "newfs.", "mkfs_")):
        return _BY_NAME["mkfs"]
    if name.endswith(("-gcc", "-g++", "-cc", "-clang")):
        return _BY_NAME["cc"]
    return None


def program_names() -> tuple[str, ...]:
    """Every name in the table."""
    return tuple(_BY_NAME)
