"""Which tools a command shows: what was said, else what is configured, else the preset of the command line."""

from __future__ import annotations

from argparse import Namespace

from ..house import House
from .parsing import names_of

PRESET = "handiwork-cli"
Names = tuple[str, ...]


def selection_of(house: House, said: Namespace) -> tuple[Names, Names]:
    """The enabled and the disabled toolsets."""
    enabled = names_of(said.toolsets)
    if enabled is None:
        enabled = house.config.toolsets or (PRESET,)
    return enabled, (*house.config.disabled_toolsets, *(names_of(said.disable) or ()))
