"""Who holds commands to what is wanted in a place: the kernel, the guard's rules alone, or nobody."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ....core.types import SandboxPolicy
from ..children.offer import probe

By: TypeAlias = Literal["kernel", "rules", "nobody"]
_SIGNALS_SINCE = 6  # the version of Landlock that keeps signals and abstract sockets in
_LIMITS = {
    "cpu_s": "processor time",
    "memory_bytes": "memory",
    "file_bytes": "size of a file",
    "processes": "processes",
}


@dataclass(frozen=True, slots=True)
class Enforced:
    """One subject: who enforces it, and in which words."""

    subject: Literal["files", "network", "processes", "limits"]
    by: By
    how: str


def enforced_in(name: str, policy: SandboxPolicy) -> tuple[Enforced, ...]:
    """Files, network, processes and limits in the place *name* on this kernel, under *policy*."""
    if name not in ("bubblewrap", "landlock"):
        return (
            Enforced("files", "rules", "commands have your rights; what they would write is read off their text"),
            Enforced("network", "rules", "commands reach what you reach; what they would send is read off their text"),
            Enforced("processes", "rules", "commands can signal and look into your other processes"),
            Enforced("limits", "nobody", _unlimited(policy)),
        )
    return (_files(name), _network(policy), _processes(name), _limits(policy))


def _files(name: str) -> Enforced:
    how = "outside of the workspace and a temporary folder nothing is written, and the home isn't read"
    return Enforced("files", "kernel", how + ("; modes and times can change" if name == "landlock" else ""))


def _network(policy: SandboxPolicy) -> Enforced:
    if policy.network == "on":
        return Enforced("network", "rules", "commands reach what you reach, this machine's services too")
    hosts = policy.network if isinstance(policy.network, tuple) else ()
    return Enforced("network", "kernel", f"only {', '.join(hosts)}, through a proxy" if hosts else "none")


def _processes(name: str) -> Enforced:
    if name == "bubblewrap":
        return Enforced("processes", "kernel", "commands see their own only")
    if probe().landlock >= _SIGNALS_SINCE:
        return Enforced("processes", "kernel", "others get no signals, but their names and arguments are seen")
    return Enforced("processes", "rules", "this kernel's Landlock keeps no signals in (it needs Linux 6.12)")


def _limits(policy: SandboxPolicy) -> Enforced:
    kept = [words for name, words in _LIMITS.items() if getattr(policy, name) is not None]
    if policy.processes is not None and os.geteuid() == 0:
        kept.remove(_LIMITS["processes"])  # the kernel doesn't hold root to it
    return Enforced("limits", "kernel", ", ".join(kept)) if kept else Enforced("limits", "nobody", _unlimited(policy))


def _unlimited(policy: SandboxPolicy) -> str:
    wanted = any(getattr(policy, name) is not None for name in _LIMITS)
    return "those that are set can't be kept here" if wanted else "none is set; a command's time limit ends it"
