"""How a command is started in one kind of place: each kind is a launcher."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from ...core.types import Command
from .confinement import Confinement


@dataclass(frozen=True, slots=True)
class Launch:
    """A program to start on this machine, the folder it starts in, and all of its variables.

    `state` is the way that what a command writes to its descriptor 9 takes to ours: the same descriptor,
    or the program's standard error, where nothing else gets through (a remote shell, a container). There
    the launcher sees to `exec 9>&2 2>&1` in front of the command's text. `confinement` is what the program and
    all that it starts may touch.
    """

    argv: tuple[str, ...]
    cwd: str
    env: Mapping[str, str]
    state: Literal["descriptor", "stderr"] = "descriptor"
    confinement: Confinement | None = None


def shell() -> str:
    """The shell of this machine that reads a command's text."""
    return shutil.which("bash") or shutil.which("sh") or "/bin/sh"


class Launcher(Protocol):
    """Turns a command into what is started for it."""

    def launch(self, command: Command, /) -> Launch: ...
