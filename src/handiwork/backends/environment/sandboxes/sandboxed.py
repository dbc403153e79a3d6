"""Commands in a sandbox: a shell environment that says what the sandbox forbade."""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from ....core.cancel import CancelToken
from ....core.errors import HandiworkError
from ....core.types import Command, Containment, Ran
from ..launch import Launch
from ..shell import ShellEnvironment
from .fence import Fence, explain


class SandboxLauncher(Protocol):
    """A launcher with a fence around what it starts."""

    @property
    def close(self) -> Callable[[], object]: ...

    def launch(self, command: Command, /) -> Launch: ...

    def fence(self, command: Command, since: float, /) -> Fence: ...

    def containment(self, workspace: str, /) -> Containment: ...


class SandboxEnvironment(ShellEnvironment):
    """Runs commands by *launcher*; a failure of the sandbox's making is noted in the answer."""

    def __init__(self, launcher: SandboxLauncher, results: Path | str | None = None) -> None:
        super().__init__(launcher, results)
        self._sandbox = launcher
        self.containment = launcher.containment
        self.close = self._open = weakref.finalize(self, _close, self.close, launcher.close)

    def run(self, command: Command, /, cancel: CancelToken | None = None) -> Ran:
        """Run to the end, the timeout or the cancel, and explain a failure that the sandbox made."""
        began = time.monotonic()
        ran = super().run(command, cancel)
        note = explain(ran, self._sandbox.fence(command, began)) if ran.exit_code else ""
        return replace(ran, note=note) if note else ran

    def _launch(self, command: Command) -> Launch:
        if not self._open.alive:  # the sandbox's own folders are gone
            raise HandiworkError("this environment is closed", "open a new one to run commands")
        return super()._launch(command)


def _close(*closings: Callable[[], object]) -> None:
    for close in closings:
        close()
