"""Read and change the configuration files. A fault is told with file, line and column."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from ..core.config import KEYS, Config, CustomToolset, as_field, problem_with
from ..core.errors import ConfigError, UnknownNameError, UsageError, near_names
from ..core.loading import Late

yaml = Late("yaml")

_TOOLSET_KEYS = {f.name for f in fields(CustomToolset)}


def load_config(home: str, project: str = "") -> Config:
    """The person's configuration, overlaid by the project's. Absent files say nothing.

    Raises `ConfigError` with the place for what can't be read, is unknown or of the wrong kind.
    """
    merged: dict[str, Any] = {}
    for path in config_paths(home, project):
        merged |= _read(path)
    return Config(**{key: as_field(key, value) for key, value in merged.items()})


def config_paths(home: str, project: str = "") -> list[str]:
    """The files that are read, the later ones winning."""
    paths = [os.path.join(home, "config.yaml")]
    if project and os.path.join(project, ".handiwork") != home:
        paths += [os.path.join(project, ".handiwork", name) for name in ("config.yaml", "config.local.yaml")]
    return [p for p in paths if os.path.exists(p)]


def _read(path: str) -> dict[str, Any]:
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: can't be read: {error}", "mend or remove the file") from error
    try:
        document = yaml.compose(text, Loader=yaml.SafeLoader)
        data = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}:{_place_of(error)}: {_problem_of(error)}", "correct the YAML there") from error
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise ConfigError(f"{path}:1:1: expected a mapping of keys, got {type(data).__name__}", "see docs/config.md")
    _check(path, data, _places(document))
    return data


def _check(path: str, data: Mapping[str, Any], places: Mapping[str, str]) -> None:
    for key, value in data.items():
        if key not in KEYS:
            near = near_names(str(key), KEYS)
            hint = f"did you mean {near[0]}?" if near else f"known keys: {', '.join(KEYS)}"
            raise ConfigError(f"{path}:{places.get(str(key), '1:1')}: unknown key {key!r}", hint)
        problem = problem_with(key, value) or (_toolset_problem(value) if key == "custom_toolsets" else None)
        if problem:
            raise ConfigError(f"{path}:{places[key]}: {problem}", "correct the value there")


def _toolset_problem(toolsets: Mapping[str, Any]) -> str | None:
    for name, entry in toolsets.items():
        unknown = set(entry or {}) - _TOOLSET_KEYS if isinstance(entry, (dict, type(None))) else {"?"}
        if unknown:
            return f"custom_toolsets.{name}: expected a mapping with {', '.join(sorted(_TOOLSET_KEYS))}"
    return None


def _places(document: Any) -> dict[str, str]:
    """`line:column` of each top-level key."""
    pairs = document.value if document is not None and isinstance(document.value, list) else []
    marks = {key.value: key.start_mark for key, _ in pairs}
    return {str(name): f"{mark.line + 1}:{mark.column + 1}" for name, mark in marks.items()}


def _place_of(error: Any) -> str:
    mark = getattr(error, "problem_mark", None)
    return f"{mark.line + 1}:{mark.column + 1}" if mark else "1:1"


def _problem_of(error: Any) -> str:
    return str(getattr(error, "problem", None) or error).splitlines()[0]


# ------------------------------------------------------------------------------------------- changing


def set_value(home: str, key: str, value: Any) -> str:
    """Write one key into the person's file, everything else kept; the file's path."""
    if key not in KEYS:
        raise UnknownNameError("configuration key", key, KEYS)
    problem = problem_with(key, value)
    if problem:
        raise UsageError(problem)
    path = os.path.join(home, "config.yaml")
    lines = _lines(path)
    if lines:
        _read(path)  # a file that is damaged is not written over
    _write(path, _replaced(lines, key, value))
    return path


def _lines(path: str) -> list[str]:
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


def _replaced(lines: list[str], key: str, value: Any) -> list[str]:
    """*lines* with the block of *key* exchanged; comments and the order of the rest stay."""
    new = yaml.safe_dump({key: value}, default_flow_style=isinstance(value, list), allow_unicode=True).strip("\n")
    if isinstance(value, list):
        new = f"{key}: {yaml.safe_dump(value, default_flow_style=True, allow_unicode=True).strip()}"
    start = next((i for i, line in enumerate(lines) if line.startswith(f"{key}:")), None)
    if start is None:
        return [*lines, *new.splitlines()]
    end = start + 1
    while end < len(lines) and lines[end].startswith((" ", "-", "\t")):
        end += 1
    return [*lines[:start], *new.splitlines(), *lines[end:]]


def _write(path: str, lines: list[str]) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    temporary = f"{path}.{os.getpid()}"
    with open(temporary, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)
