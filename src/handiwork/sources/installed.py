"""Plugins that come as installed packages: found by their entry points, without asking every package each time."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from ..catalog.discovery import Scanner
from ..core.loading import Late

configparser = Late("configparser")
GROUPS = ("handiwork.plugins", "hermes_agent.plugins")


class Installed(NamedTuple):
    """An entry point: its name, and the `module` or `module:attribute` that it stands for."""

    name: str
    target: str


def installed_plugins(scanner: Scanner, project: str) -> list[Installed]:
    """The entry points of all installed packages, by name; of several of one name the first on `sys.path`.

    The folder in which somebody works is passed over: what lies there came with a repository.
    """
    found: dict[str, Installed] = {}
    for folder, stamp in _places({project, os.getcwd()}):
        for name, target in scanner.recall(folder, stamp, partial(_entry_points, folder)):
            found.setdefault(name, Installed(name, target))
    return sorted(found.values())


def _places(left_out: set[str]) -> Iterator[tuple[str, int]]:
    """The folders of `sys.path` with the times of their last change: an installation changes that."""
    for folder in dict.fromkeys(sys.path):
        if folder and folder not in left_out:
            try:
                stamp = os.stat(folder)
            except OSError:
                continue
            yield folder, stamp.st_mtime_ns


def _entry_points(folder: str) -> list[tuple[str, str]]:
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".dist-info"))
    except OSError:  # a zip file, or nothing that can be read
        return []
    return [pair for name in names for pair in _in_file(os.path.join(folder, name, "entry_points.txt"))]


def _in_file(path: str) -> Iterator[tuple[str, str]]:
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError):
        return
    if any(group in text for group in GROUPS):
        parser = configparser.RawConfigParser(delimiters=("=",), strict=False)
        parser.optionxform = str  # names keep their case
        try:
            parser.read_string(text)
        except configparser.Error:
            return
        for group in GROUPS:
            if parser.has_section(group):
                yield from ((name, value.partition("[")[0].strip()) for name, value in parser.items(group))
