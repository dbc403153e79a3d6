"""Commands in namespaces of their own, by bubblewrap: the strongest sandbox here."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import weakref
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from ....core.errors import UsageError
from ....core.hosts import allow_list
from ....core.types import Command, Containment, SandboxPolicy
from ..children.confinement import Confinement, Network, limits_of
from ..children.spawning import seccomp
from ..launch import Launch, shell
from ..surroundings import child_environment
from . import gateway
from .fence import Fence
from .nesting import deepest, inside
from .proxy import Proxy
from .sockets import reachable_sockets
from .territory import PRIVATE, Person, Territory, survey

if TYPE_CHECKING:
    from ..secrets.tap import Tap

# What package tools keep in a home from one command to the next; private to the sandbox.
_CACHES = (
    *(".cache", ".npm", ".cargo/registry", ".cargo/git", "go/pkg", ".gradle", ".m2/repository"),
    *(".yarn", ".local/share/pnpm", ".nuget"),
)
# Variables that name places which don't exist in there.
_LEFT_OUT = ("TMP", "TEMP", "XDG_RUNTIME_DIR")
# Each command has its own processes: nothing of it can hide when it is ended. Without --die-with-parent,
# what a command leaves in the background lives on.
_NAMESPACES = ("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--disable-userns")


class BubblewrapLauncher:
    """Starts commands in a sandbox of their own for each; their /tmp and caches are shared among them."""

    def __init__(self, policy: SandboxPolicy, person: Person, tap: Tap | None = None) -> None:
        self._policy, self._person, self._tap = policy, person, tap
        self._folder = tempfile.mkdtemp(prefix="handiwork-")
        self._bundle = gateway.keep_bundle(self._folder, tap)
        self._gateway: gateway.Gateway | None = None
        if isinstance(policy.network, tuple):
            self._policy = replace(policy, readable=(*policy.readable, *gateway.needs()))
            self._proxy: Proxy | None = Proxy(allow_list(policy.network), tap=tap)
            self._gateway = gateway.Gateway(os.path.join(self._folder, "proxy"), self._proxy)
            self._port = gateway.PORT
        else:
            self._proxy, self._port = gateway.open_proxy(policy.network, tap)
        self.close = weakref.finalize(self, _close, self._folder, self._proxy, self._gateway)
        self.territory = lru_cache(64)(self._survey)

    def launch(self, command: Command, /) -> Launch:
        """bubblewrap, with the command's text in a shell. Raises `UsageError` for a folder that it hides."""
        territory = self.territory(command.workspace)
        cwd = os.path.normpath(command.cwd)
        if not self._is_private(cwd, territory):
            territory.check(cwd, "bubblewrap")
            cwd = os.path.realpath(cwd)
        argv = (
            *self._filtered,
            *self._frame(),
            *self._mounts(territory),
            *(("--ro-bind", self._gateway.path, gateway.INSIDE) if self._gateway else ()),
            *(("--ro-bind", self._bundle, gateway.BUNDLE_INSIDE) if self._bundle else ()),
            *("--chdir", cwd, "--"),
            *(gateway.entry() if self._gateway else ()),
            *(shell(), "-c", command.text),
        )
        return Launch(argv, "/", self._env(command), confinement=self._confinement)

    def fence(self, command: Command, since: float) -> Fence:
        """What stood around *command*, which began at *since* (monotonic seconds)."""
        refused = self._proxy.refused_since(since) if self._proxy else ()
        territory = self.territory(command.workspace)
        return Fence("bubblewrap", territory, self._policy, command, refused=refused, own_processes=True)

    def containment(self, workspace: str) -> Containment:
        """What its commands are held to in *workspace*."""
        writable = self.territory(workspace).writable
        return Containment(files=True, modes=True, processes=True, network=self._policy.network, writable=writable)

    def _is_private(self, cwd: str, territory: Territory) -> bool:
        """Whether *cwd* is a folder that only the sandbox has: its home, or one that a command made in its /tmp."""
        if cwd == territory.home or territory.sees(os.path.realpath(cwd)):
            return cwd == territory.home
        return any(inside(cwd, place) and os.path.isdir(self._private(place) + cwd[len(place) :]) for place in PRIVATE)

    def _survey(self, workspace: str) -> Territory:
        return survey(workspace, self._policy, self._person)

    def _env(self, command: Command) -> dict[str, str]:
        proxy = gateway.proxy_variables(self._port) if self._port else {}
        secrets = self._tap.variables(gateway.BUNDLE_INSIDE) if self._tap else {}
        env = child_environment({"TMPDIR": "/tmp", **proxy, **secrets, **command.env})
        return {name: value for name, value in env.items() if name not in _LEFT_OUT}

    def _frame(self) -> Iterator[str]:
        """The system read-only, devices and processes of its own, no capabilities."""
        yield from (*_NAMESPACES, *(() if self._policy.network == "on" else ("--unshare-net",)))
        yield from ("--cap-drop", "ALL", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc")
        if os.geteuid() == 0:
            for path in _settings_of_the_kernel():
                yield from ("--ro-bind", path, path)

    def _mounts(self, territory: Territory) -> Iterator[str]:
        """Hidden, shown and writable places, the outer before the inner ones."""
        rules = {
            path: self._hidden(path, territory.home) for path in territory.hidden if _hides_anything(path, territory)
        }
        for path in territory.readable:
            if _matters(path, territory):
                rules[path] = ("--ro-bind-try", os.path.realpath(path), path)
        for path in territory.writable:
            rules[path] = ("--bind", path, path)
        for path in territory.masked:
            if deepest(path, (*territory.readable, *territory.writable)) >= deepest(path, territory.hidden):
                rules[path] = _masked(path)
        for path in reachable_sockets((*territory.writable, self._folder)):
            if territory.sees(path):
                rules[path] = _masked(path)
        for path in sorted(rules, key=len):
            self._check_the_way_to(path)
            yield from rules[path]
        if territory.home in rules:
            # What a program wrote there would be lost without a word: better it is told.
            yield from ("--remount-ro", territory.home)

    def _check_the_way_to(self, path: str) -> None:
        """Refuse to mount over a link that a command has put in a private folder: it would lead us outside."""
        for place in PRIVATE:
            if inside(path, place) and path != place:
                way = self._private(place) + path[len(place) :]
                if os.path.realpath(way) != way:
                    raise UsageError(f"a command has put a link in the way to {path}", "open a new environment")

    def _hidden(self, path: str, home: str) -> tuple[str, ...]:
        """An empty folder; of the home, the caches of package tools are writable."""
        if path == home:
            return ("--tmpfs", path, *self._caches(home))
        if path in PRIVATE:
            return () if path == "/dev/shm" else ("--bind", self._private(path), path)
        return ("--perms", "0555", "--tmpfs", path)

    def _caches(self, home: str) -> Iterator[str]:
        for name in _CACHES:
            if name == ".cache" or os.path.isdir(os.path.join(home, name)):
                yield from ("--bind", self._private(f"home/{name}"), os.path.join(home, name))

    def _private(self, name: str) -> str:
        """A folder of this sandbox alone. None of these lies in another: a command could exchange it."""
        folder = Path(self._folder, name.strip("/").replace("/", "-"))
        folder.mkdir(mode=0o700, exist_ok=True)
        return str(folder)

    @cached_property
    def _confinement(self) -> Confinement:
        """What bubblewrap has no words for: limits, and no way to the abstract sockets of others."""
        return Confinement(network=Network("on"), limits=limits_of(self._policy), calls="any")

    @cached_property
    def _filtered(self) -> tuple[str, ...]:
        """The program, with its filter of system calls on a descriptor."""
        program = shutil.which("bwrap")
        if not program:
            raise UsageError("the sandbox bubblewrap isn't installed", "install the package bubblewrap")
        if not has_filter():
            return (program,)
        file = Path(self._folder, "filter")
        file.write_bytes(seccomp.instructions(os.uname().machine, "on", unix_sockets=True, tracing=True))
        return ("/bin/sh", "-c", 'exec 8<"$0" && exec "$@"', str(file), program, "--seccomp", "8")


def has_filter() -> bool:
    """Whether the numbers of system calls are known for this machine."""
    return os.uname().machine in seccomp.MACHINES


def _close(folder: str, *doors: Proxy | gateway.Gateway | None) -> None:
    for door in doors:
        if door is not None:
            door.close()
    shutil.rmtree(folder, ignore_errors=True)


def _hides_anything(path: str, territory: Territory) -> bool:
    """Whether there is something to hide, or something that a command could make in its place."""
    if deepest(path, territory.writable) >= 0:
        os.makedirs(path, mode=0o700, exist_ok=True)
        return True
    return path in PRIVATE or (os.path.isdir(path) and (not os.access(path, os.R_OK) or bool(os.listdir(path))))


def _matters(path: str, territory: Territory) -> bool:
    """Whether *path* would be out of sight without its own line."""
    others = (other for other in (*territory.readable, *territory.writable) if other != path)
    return deepest(path, territory.hidden) > deepest(path, others)


def _masked(path: str) -> tuple[str, ...]:
    return ("--perms", "0555", "--tmpfs", path) if os.path.isdir(path) else ("--ro-bind", "/dev/null", path)


def _settings_of_the_kernel() -> Iterable[str]:
    """What of /proc isn't about a process: root owns it, also root of a namespace with no capability."""
    with os.scandir("/proc") as entries:
        for entry in entries:
            if entry.name.isdigit() or entry.is_symlink():
                continue
            if entry.is_dir() or stat.S_IMODE(entry.stat().st_mode) & 0o222:
                yield entry.path
