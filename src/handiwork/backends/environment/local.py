"""Commands on this machine, with our own rights: no sandbox."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ...core.types import Command
from .launch import Launch, shell
from .sandboxes import gateway
from .sandboxes.proxy import Proxy
from .shell import ShellEnvironment
from .surroundings import child_environment

if TYPE_CHECKING:
    from .secrets.tap import Tap


class LocalLauncher:
    """Starts commands as they are. *passed* names variables of ours that they get beside the allow-list.

    Secrets of *tap* are placeholders here, too, but nothing keeps a command from where their values are.
    """

    def __init__(self, passed: tuple[str, ...] = (), tap: Tap | None = None) -> None:
        self._passed = passed
        self._env: dict[str, str] = {}
        self.close: Callable[[], object] = _nothing
        if tap is not None:
            folder = tempfile.mkdtemp(prefix="handiwork-")
            proxy, port = gateway.open_proxy("on", tap)
            self._env = {**gateway.proxy_variables(port), **tap.variables(gateway.keep_bundle(folder, tap))}
            self.close = weakref.finalize(self, _close, folder, proxy)

    def launch(self, command: Command, /) -> Launch:
        """A shell with the command's text."""
        env = child_environment({**self._env, **command.env}, self._passed)
        return Launch((shell(), "-c", command.text), command.cwd, env)


class LocalEnvironment(ShellEnvironment):
    """This machine without a sandbox. What was cut of an output is kept in *results*."""

    def __init__(self, results: Path | str | None = None, passed: tuple[str, ...] = (), tap: Tap | None = None) -> None:
        launcher = LocalLauncher(passed, tap)
        super().__init__(launcher, results)
        if tap is not None:
            self.close = weakref.finalize(self, _close_all, self.close, launcher.close)


def _nothing() -> None:
    """There is nothing to close."""


def _close(folder: str, proxy: Proxy | None) -> None:
    if proxy is not None:
        proxy.close()
    shutil.rmtree(folder, ignore_errors=True)


def _close_all(*closings: Callable[[], object]) -> None:
    for close in closings:
        close()
