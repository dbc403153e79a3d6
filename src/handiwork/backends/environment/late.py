"""An environment that is opened by its first command: listing tools needs none."""

from __future__ import annotations

from functools import cached_property

from ...core.cancel import CancelToken
from ...core.loading import load
from ...core.types import Command, Environment, Process, Ran

LOCAL = "handiwork.backends.environment.local:LocalEnvironment"
CONFIGURED = "handiwork.backends.environment.table:open_environment"


class LateEnvironment:
    """Stands for the environment behind *target* ("module:callable"), made with the folder *results* and *more*."""

    def __init__(self, results: str, target: str = LOCAL, *more: object) -> None:
        self._given, self._target = (results, *more), target

    @cached_property
    def _real(self) -> Environment:
        environment: Environment = load(self._target)(*self._given)
        return environment

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
