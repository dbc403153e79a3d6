"""How a command is started in one kind of place: each kind is a launcher."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from ...core.types import Command
from .confinement import Confinement


@dataclass(frozen=True, slots=True)
class Launch:
    """A program to start on this machine: the folder it starts in, all of its variables, what it may touch.

    `state` is the way that what a command writes to its descriptor 9 takes to ours: the same descriptor,
    or the program's standard error, where nothing else gets through (a remote shell, a container). There
    the launcher sees to `exec 9>&2 2>&1` in front of the command's text.
    """

    argv: tuple[str, ...]
    cwd: str
    env: Mapping[str, str]
    confinement: Confinement | None = None
    state: Literal["descriptor", "stderr"] = "descriptor"


class Launcher(Protocol):
    """Turns a command into what is started for it."""

    def launch(self, command: Command, /) -> Launch: ...
