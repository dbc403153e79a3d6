"""An environment that is opened by its first command: listing tools needs none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from ...core.cancel import CancelToken
from ...core.loading import load
from ...core.sandbox import NO_WISHES, Sandbox, is_elsewhere
from ...core.types import Command, Containment, Environment, Files, Process, Ran

OPEN = "handiwork.backends.environment.table:open_environment"
LOCAL_FILES = "handiwork.backends.files.local:LocalFiles"


class LateEnvironment:
    """Stands for the place that *sandbox* names; *results* is its folder for long output, *own* that of our state.

    *find_secrets* gives the secrets of its commands, when they are first needed.
    """

    def __init__(
        self,
        results: str,
        sandbox: Sandbox = NO_WISHES,
        own: str = "",
        find_secrets: Callable[[], Sequence[Any]] = tuple,
    ) -> None:
        self._results, self._sandbox, self._own, self._find_secrets = results, sandbox, own, find_secrets

    @cached_property
    def _real(self) -> Environment:
        environment: Environment = load(OPEN)(self._results, self._sandbox, self._own, self._find_secrets())
        return environment

    @cached_property
    def files(self) -> Files:
        """The files of the place; those of this machine are there without opening it."""
        if is_elsewhere(self._sandbox.backend):
            return self._real.files
        files: Files = load(LOCAL_FILES)()
        return files

    def containment(self, workspace: str) -> Containment:
        """What the place that is really used holds commands to; this opens it."""
        known = getattr(self._real, "containment", None)
        found: Containment = known(workspace) if known else Containment()
        return found

    def close(self) -> None:
        """End everything that was started, if anything was."""
        opened = vars(self).get("_real")
        if opened is not None:
            opened.close()

    def run(self, command: Command, /, cancel: CancelToken | None = None) -> Ran:
        """Run a command to its end."""
        return self._real.run(command, cancel)

    def spawn(self, command: Command, /) -> Process:
        """Start a command and answer at once."""
        return self._real.spawn(command)
