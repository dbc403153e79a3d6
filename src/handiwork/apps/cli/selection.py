"""Which tools a command shows: what was said, else what is configured, else the preset of the command line."""

from __future__ import annotations

import os
from argparse import Namespace

from ...core.errors import ConfigError, UnknownNameError, UsageError
from ...core.types import ToolEntry
from ..house import House
from .parsing import names_of

PRESET = "handiwork-cli"
Names = tuple[str, ...]


def selection_of(house: House, said: Namespace) -> tuple[Names, Names]:
    """The enabled and the disabled toolsets. Raises `ConfigError` where the configuration names what isn't there."""
    enabled = names_of(said.toolsets)
    if enabled is None:
        enabled = configured(house, "toolsets") or (PRESET,)
    return enabled, (*configured(house, "disabled_toolsets"), *(names_of(said.disable) or ()))


def configured(house: House, key: str) -> Names:
    """The toolsets under a key of the configuration; a wrong name there is no mistake of the command's."""
    names: Names = getattr(house.config, key)
    try:
        house.toolsets.expand(names)
    except UnknownNameError as error:
        hint = f"{error.hint}; correct it with `handiwork config set {key} [...]`"
        raise ConfigError(f"configuration, {key}: {error}", hint) from error
    return names


def folder_of(said: Namespace) -> str | None:
    """The folder of --cwd, which must be there."""
    if said.cwd and not os.path.isdir(said.cwd):
        raise UsageError(f"--cwd {said.cwd}: there is no such folder")
    folder: str | None = said.cwd
    return folder


def registered(house: House, name: str) -> ToolEntry:
    """The tool of that name. Raises `UnknownNameError` with near names."""
    entry = house.registry.get(name)
    if entry is None and (missed := house.registry.missed(name)):
        raise UsageError(f"{name} is not available: {missed.reason}", missed.fix)
    if entry is None:
        raise UnknownNameError("tool", name, house.registry.names(), "see `handiwork tools list`")
    return entry
