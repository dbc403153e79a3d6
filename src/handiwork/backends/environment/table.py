"""Which environment a configuration means, and what works on this machine."""

from __future__ import annotations

import json
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...core.errors import HandiworkError, UsageError
from ...core.loading import Late
from ...core.sandbox import Sandbox, limits_in
from ...core.types import Command, SandboxPolicy
from .local import LocalEnvironment
from .remote.docker import DockerEnvironment
from .remote.ssh import SshEnvironment
from .sandboxes.bubblewrap import BubblewrapLauncher
from .sandboxes.landlock import LandlockLauncher
from .sandboxes.sandboxed import SandboxEnvironment, SandboxLauncher
from .sandboxes.territory import Person
from .shell import ShellEnvironment

if TYPE_CHECKING:
    from .secrets.vault import Held

taps = Late("handiwork.backends.environment.secrets.tap")  # TLS is for those who have secrets

# The strongest first.
LAUNCHERS: Mapping[str, Callable[..., SandboxLauncher]] = {
    "bubblewrap": BubblewrapLauncher,
    "landlock": LandlockLauncher,
}
REMOTE: Mapping[str, Callable[[str, str], ShellEnvironment]] = {"ssh": SshEnvironment, "docker": DockerEnvironment}
_ANYWAY = "or set `sandbox: {backend: auto}` for the strongest that works"
REMEDIES = {
    "bubblewrap": "install the package bubblewrap, and allow user namespaces to it",
    "landlock": "it needs Linux 5.13 or newer with Landlock in its list of security modules",
}
_WORD = "it-works"
_TRY_S = 20.0
_BOOT = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True, slots=True)
class Choice:
    """A place for commands by its name in the configuration, and why stronger ones aren't used."""

    name: str
    missing: Mapping[str, str]


def open_environment(results: str, sandbox: Sandbox, own: str = "", known: Sequence[Held] = ()) -> ShellEnvironment:
    """The environment that *sandbox* names; *own* is the folder of our own state, *known* are secrets for its commands.

    Raises `UsageError` where what was asked for by name doesn't work here, and where a limit was asked for
    that nothing would keep: there is no way around it.
    """
    kind, _, name = sandbox.backend.partition(":")
    if name:
        _refuse_limits(sandbox, sandbox.backend)
        return REMOTE[kind](name, results)  # no secrets: nothing of ours stands on their way out
    tap = taps.Tap(known) if known else None
    choice = choose(sandbox.backend, own)
    if choice.name == "local":
        _refuse_limits(sandbox, "; ".join((sandbox.backend, *choice.missing.values())))
        return LocalEnvironment(results, tap=tap)
    person = Person(own=own, results=results)
    policy = replace(policy_of(sandbox), hidden=tuple(held.file for held in known if held.file))
    return SandboxEnvironment(LAUNCHERS[choice.name](policy, person, tap), results)


def _refuse_limits(sandbox: Sandbox, why: str) -> None:
    if limits := limits_in(sandbox):
        said = ", ".join(f"sandbox.{key}" for key in limits)
        raise UsageError(f"nothing here would keep {said} ({why})", f"use bubblewrap or landlock, or take {said} out")


def choose(backend: str, own: str = "") -> Choice:
    """What *backend* means here; `auto` is the strongest sandbox that works. Raises `UsageError`."""
    if backend in ("local", "none"):
        return Choice("local", {})
    if backend != "auto":
        if problem := why_not(backend, own):
            raise UsageError(f"the sandbox {backend} doesn't work here: {problem}", f"{REMEDIES[backend]}; {_ANYWAY}")
        return Choice(backend, {})
    missing: dict[str, str] = {}
    for name in LAUNCHERS:
        if not (problem := why_not(name, own)):
            return Choice(name, missing)
        missing[name] = problem
    return Choice("local", missing)


def why_not(name: str, own: str = "") -> str:
    """Why a sandbox doesn't work here, tried by running something in it; empty where it does.

    That it works is remembered until the machine starts again, or its parts change.
    """
    if sys.platform != "linux":
        return "it is made of parts of Linux"
    file = Path(own, "cache", "sandbox.json") if own else None
    known = _read(file)
    stamp = _stamp(name)
    if known.get(name) == stamp:
        return ""
    problem = _try(name)
    if not problem and file is not None:
        _write(file, {**known, name: stamp})
    return problem


def _try(name: str) -> str:
    try:
        with tempfile.TemporaryDirectory(prefix="handiwork-try-") as folder:
            environment = SandboxEnvironment(LAUNCHERS[name](SandboxPolicy(), Person()))
            try:
                ran = environment.run(Command(f"echo {_WORD}", cwd=folder, workspace=folder, timeout_s=_TRY_S))
            finally:
                environment.close()
    except (HandiworkError, OSError) as error:
        return str(error)
    return "" if ran.output.strip() == _WORD else _last_line(ran.output) or f"it ended with {ran.exit_code}"


def _last_line(output: str) -> str:
    lines = output.strip().splitlines()
    return lines[-1] if lines else ""


def policy_of(sandbox: Sandbox) -> SandboxPolicy:
    """The policy that a configuration writes down."""
    network = sandbox.network
    policy = SandboxPolicy(
        writable=sandbox.writable,
        readable=sandbox.readable,
        network="off" if network == "off" else "on",
        cpu_s=sandbox.cpu_seconds,
        memory_bytes=_bytes(sandbox.memory_mb),
        file_bytes=_bytes(sandbox.max_file_mb),
        processes=sandbox.max_processes,
        workspace_writes=sandbox.workspace == "write",
    )
    return replace(policy, network=network) if isinstance(network, tuple) else policy


def _bytes(megabytes: int | None) -> int | None:
    return None if megabytes is None else megabytes << 20


def _stamp(name: str) -> str:
    """What has to stay as it is for an answer to hold: boot, kernel, user, program."""
    program = shutil.which("bwrap") if name == "bubblewrap" else None
    changed = os.stat(program).st_mtime_ns if program else 0
    boot = _BOOT.read_text().strip() if _BOOT.exists() else ""
    return f"{boot} {platform.release()} {os.getuid()} {program} {changed}"


def _read(file: Path | None) -> dict[str, str]:
    if file is None or not file.exists():
        return {}
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # damaged: it is written anew
        return {}
    return found if isinstance(found, dict) else {}


def _write(file: Path, known: Mapping[str, str]) -> None:
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        temporary = file.with_name(f"{file.name}.{os.getpid()}")
        temporary.write_text(json.dumps(known), encoding="utf-8")
        temporary.replace(file)
    except OSError:  # a home that can't be written: it is tried again next time
        return
