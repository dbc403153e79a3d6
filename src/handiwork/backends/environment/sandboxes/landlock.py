"""Commands under the kernel's own rules for files and ports: the sandbox where there are no namespaces."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from ....core.errors import UsageError
from ....core.types import Command, Containment, SandboxPolicy
from ..children.confinement import Confinement, Files, Network, limits_of
from ..children.offer import SCOPES, probe
from ..launch import Launch, shell
from ..surroundings import child_environment
from . import gateway
from .fence import Fence
from .nesting import inside
from .proxy import Proxy
from .sockets import reachable_sockets
from .territory import Person, Territory, survey

if TYPE_CHECKING:
    from ..secrets.tap import Tap

_LEFT_OUT = ("TMP", "TEMP", "XDG_RUNTIME_DIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")
# Devices are given one by one; what programs share memory by has no private place without namespaces.
_DEVICES, _SHARED = "/dev", "/dev/shm"


class LandlockLauncher:
    """Starts commands that the kernel keeps in their territory; a temporary folder and a home are private."""

    def __init__(self, policy: SandboxPolicy, person: Person, tap: Tap | None = None) -> None:
        offer = probe()
        if not offer.landlock or not offer.seccomp:
            raise UsageError(f"the sandbox landlock doesn't work here: {'; '.join(offer.reasons)}")
        self._policy, self._person = policy, person
        self._folder = tempfile.mkdtemp(prefix="handiwork-")
        self._temp, self._home = (os.path.join(self._folder, name) for name in ("tmp", "home"))
        os.mkdir(self._temp, 0o700)
        _furnish(self._home, survey("", policy, person))
        self._proxy, self._port = gateway.open_proxy(policy.network, tap)
        self._tap, self._bundle = tap, gateway.keep_bundle(self._folder, tap)
        self.close = weakref.finalize(self, _close, self._folder, self._proxy)
        self.territory = lru_cache(64)(self._survey)
        self._files = lru_cache(64)(self._lay_out)

    def launch(self, command: Command, /) -> Launch:
        """A shell with the command's text, confined. Raises `UsageError` for what can't be kept from it."""
        territory = self.territory(command.workspace)
        cwd = self._home if os.path.normpath(command.cwd) == territory.home else command.cwd
        if not inside(os.path.realpath(cwd), self._folder):
            territory.check(cwd, "landlock")
        argv = (shell(), "-c", command.text)
        return Launch(argv, cwd, self._env(command), confinement=self._confinement(territory))

    def fence(self, command: Command, since: float) -> Fence:
        """What stood around *command*, which began at *since* (monotonic seconds)."""
        refused = self._proxy.refused_since(since) if self._proxy else ()
        territory = self.territory(command.workspace)
        temp = (self._temp,)
        return Fence("landlock", territory, self._policy, command, temp, refused, home=self._home)

    def containment(self, workspace: str) -> Containment:
        """What its commands are held to in *workspace*. There is no rule for modes, and only lately one for signals."""
        writable, own = self.territory(workspace).writable, probe().landlock >= SCOPES
        return Containment(files=True, processes=own, network=self._policy.network, writable=writable)

    def _survey(self, workspace: str) -> Territory:
        return survey(workspace, self._policy, self._person)

    def _env(self, command: Command) -> dict[str, str]:
        proxy = gateway.proxy_variables(self._port) if self._port else {}
        secrets = self._tap.variables(self._bundle) if self._tap else {}
        env = child_environment({"TMPDIR": self._temp, "HOME": self._home, **proxy, **secrets, **command.env})
        return {name: value for name, value in env.items() if name not in _LEFT_OUT}

    def _confinement(self, territory: Territory) -> Confinement:
        """No rule stops a connection to a socket in the file system: only all of them can be stopped."""
        return Confinement(
            self._files(territory),
            self._network(unix_sockets=not reachable_sockets((*territory.writable, self._folder))),
            limits_of(self._policy),
        )

    def _network(self, *, unix_sockets: bool) -> Network:
        if self._policy.network == "on":
            return Network("on", unix_sockets=unix_sockets)
        if self._port:
            return Network("ports", connect=(self._port,), unix_sockets=unix_sockets)
        return Network("off", unix_sockets=unix_sockets)

    def _lay_out(self, territory: Territory) -> Files:
        """The territory as folders that are given. Raises `UsageError` where something in a writable one isn't."""
        barriers = (*territory.hidden, *territory.masked, _DEVICES)
        for folder in territory.writable:
            if kept := next((place for place in barriers if place != folder and inside(place, folder)), None):
                raise UsageError(
                    f"the sandbox (landlock) can't keep {kept} from commands that write in {folder}",
                    "use bubblewrap, or move one of the two",
                )
        private = (self._temp, self._home)
        shown = tuple(real for path in territory.readable for real in _open_ground(os.path.realpath(path), barriers))
        own = (*territory.writable, *private)
        given = (*shown, *((self._bundle,) if self._bundle else ()))
        return Files(write=(*own, _SHARED), execute=(*_open_ground("/", barriers), *given, *own))


def _open_ground(folder: str, barriers: tuple[str, ...]) -> Iterator[str]:
    """The outermost folders and files under *folder* that hold no barrier; a rule for one gives all below it."""
    if folder in barriers:
        return
    within = tuple(place for place in barriers if inside(place, folder))
    if not within:
        yield folder
        return
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:  # what we can't look into, a command can't either
        return
    for entry in entries:
        if not entry.is_symlink():  # what it leads to is given by its own place
            yield from _open_ground(entry.path, within)


def _furnish(home: str, territory: Territory) -> None:
    """A home of the sandbox's own, made before any command runs: links to what of the person's may be read."""
    os.mkdir(home, 0o700)
    for path in territory.readable:
        if inside(path, territory.home) and path != territory.home:
            link = Path(home, os.path.relpath(path, territory.home))
            if not any(parent.is_symlink() for parent in link.parents) and not link.exists():
                link.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                link.symlink_to(path)


def _close(folder: str, proxy: Proxy | None) -> None:
    if proxy is not None:
        proxy.close()
    shutil.rmtree(folder, ignore_errors=True)
