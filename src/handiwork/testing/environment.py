"""An environment that runs nothing: answers are laid down beforehand, commands are kept."""

from __future__ import annotations

from collections.abc import Mapping

from ..backends.files.local import LocalFiles
from ..core.cancel import CancelToken
from ..core.types import Command, Files, Process, Ran, ShellState


class MockEnvironment:
    """Answers a command from *answers* (text -> output), anything else with exit code 127.

    Its files are real ones: *files*, or this machine's.
    """

    def __init__(self, answers: Mapping[str, str] | None = None, *, files: Files | None = None) -> None:
        self.answers = dict(answers or {})
        self.files = files or LocalFiles()
        self.commands: list[Command] = []

    def run(self, command: Command, /, cancel: CancelToken | None = None) -> Ran:
        """The answer that was laid down for the command's text."""
        self.commands.append(command)
        cancelled = cancel is not None and cancel.is_set()
        known = command.text in self.answers
        output = self.answers.get(command.text, f"{command.text}: command not found")
        state = ShellState(command.cwd, dict(command.env))
        return Ran(output, 0 if known else 127, 0.0, cancelled=cancelled, state=state)

    def close(self) -> None:
        """Nothing was started."""

    def spawn(self, command: Command, /) -> Process:
        """Nothing runs in the background here."""
        raise NotImplementedError("MockEnvironment runs no background processes; use LocalEnvironment")
