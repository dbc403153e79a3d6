"""Commands in a container that runs already, by the client of Docker or Podman."""

from __future__ import annotations

import shutil
from functools import cached_property
from pathlib import Path

from ...core.errors import UsageError
from .distant import DistantEnvironment
from .launch import Launch
from .surroundings import child_environment

_PASSED = ("DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CERT_PATH", "DOCKER_TLS_VERIFY", "CONTAINER_HOST")


class DockerLine:
    """The container *container*, entered by `exec`."""

    def __init__(self, container: str) -> None:
        self._container = container

    def outpost(self, script: str, /) -> Launch:
        """The shell that ends what runs in the container: the client's own end doesn't."""
        return self._launch("-i", script)

    def command(self, script: str, /, *, terminal: bool) -> Launch:
        """A command in the container."""
        return self._launch("-it" if terminal else "-i", script)

    def _launch(self, flag: str, script: str) -> Launch:
        argv = (self._program, "exec", flag, self._container, "sh", "-c", script)
        return Launch(argv, "/", child_environment({}, _PASSED))

    @cached_property
    def _program(self) -> str:
        found = shutil.which("docker") or shutil.which("podman")
        if not found:
            raise UsageError("neither docker nor podman is installed", "install one of them")
        return found


class DockerEnvironment(DistantEnvironment):
    """The container named *container*, which must be running."""

    def __init__(self, container: str, results: Path | str | None = None) -> None:
        super().__init__(DockerLine(container), f"docker:{container}", results)
