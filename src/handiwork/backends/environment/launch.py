"""How a command is started in one kind of place: each kind is a launcher."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from ...core.types import Command
from .confinement import Confinement


@dataclass(frozen=True, slots=True)
class Launch:
    """A program to start on this machine: the folder it starts in, all of its variables, what it may touch."""

    argv: tuple[str, ...]
    cwd: str
    env: Mapping[str, str]
    confinement: Confinement | None = None


class Launcher(Protocol):
    """Turns a command into what is started for it."""

    def launch(self, command: Command, /) -> Launch: ...
