"""Commands on this machine, with our own rights: no sandbox."""

from __future__ import annotations

from pathlib import Path

from ...core.types import Command
from .launch import Launch, shell
from .shell import ShellEnvironment
from .surroundings import child_environment


class LocalLauncher:
    """Starts commands as they are. *passed* names variables of ours that they get beside the allow-list."""

    def __init__(self, passed: tuple[str, ...] = ()) -> None:
        self._passed = passed

    def launch(self, command: Command, /) -> Launch:
        """A shell with the command's text."""
        return Launch((shell(), "-c", command.text), command.cwd, child_environment(command.env, self._passed))


class LocalEnvironment(ShellEnvironment):
    """This machine without a sandbox. What was cut of an output is kept in *results*."""

    def __init__(self, results: Path | str | None = None, passed: tuple[str, ...] = ()) -> None:
        super().__init__(LocalLauncher(passed), results)
