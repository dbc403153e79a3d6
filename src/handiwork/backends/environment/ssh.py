"""Commands on another machine, by the OpenSSH client and its configuration."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from ...core.errors import UsageError
from .distant import DistantEnvironment, in_order
from .distant_scripts import one_line
from .launch import Launch
from .surroundings import child_environment

# Nobody is there to type a password; a connection that hangs is noticed.
_OPTIONS = ("BatchMode=yes", "ConnectTimeout=15", "ServerAliveInterval=15", "ServerAliveCountMax=3", "LogLevel=ERROR")
_PASSED = ("SSH_AUTH_SOCK", "KRB5CCNAME")


class SshLine:
    """One connection to *host*, made by the outpost and shared by all commands. *options* go to ssh."""

    def __init__(self, host: str, options: Sequence[str] = ()) -> None:
        self._host, self._options = host, tuple(options)
        self._folder = tempfile.mkdtemp(prefix="hw-ssh-")
        self._number = 0
        self.close = weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)

    def outpost(self, script: str, /) -> Launch:
        """A new connection; the socket of one that was lost may still be there."""
        self._number += 1
        return self._launch(("-o", "ControlMaster=yes", "-T"), script)

    def command(self, script: str, /, *, terminal: bool) -> Launch:
        """A session in that connection."""
        return self._launch(("-o", "ControlMaster=no", "-tt" if terminal else "-T"), script)

    def _launch(self, flags: tuple[str, ...], script: str) -> Launch:
        options = [word for option in _OPTIONS for word in ("-o", option)]
        path = ("-S", os.path.join(self._folder, f"c{self._number}"))
        argv = (self._program, *self._options, *options, *path, *flags, "--", self._host, one_line(script))
        return Launch(argv, "/", child_environment({}, _PASSED))

    @cached_property
    def _program(self) -> str:
        found = shutil.which("ssh")
        if not found:
            raise UsageError("the program ssh isn't installed", "install the package openssh-client")
        return found


class SshEnvironment(DistantEnvironment):
    """A machine that ssh reaches under the name *host*, as the person's ssh configuration says."""

    def __init__(self, host: str, results: Path | str | None = None, options: Sequence[str] = ()) -> None:
        line = SshLine(host, options)
        super().__init__(line, f"ssh:{host}", results)
        self.close = weakref.finalize(self, in_order, self.close, line.close)
