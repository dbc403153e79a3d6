"""What each place for commands keeps them from here, and what not, for people who ask."""

from __future__ import annotations

import os
from dataclasses import dataclass

from ....core.types import SandboxPolicy
from ..children.offer import SCOPES, Offer, probe
from .bubblewrap import has_filter


@dataclass(frozen=True, slots=True)
class Strength:
    """Sentences about what is kept and what is left open."""

    keeps: tuple[str, ...] = ()
    leaves: tuple[str, ...] = ()


def strength_of(name: str, policy: SandboxPolicy) -> Strength:
    """The strength of the sandbox *name* on this kernel, under *policy*."""
    offer = probe()
    if name == "bubblewrap":
        return _of_bubblewrap(policy, offer)
    if name == "landlock":
        return _of_landlock(policy, offer)
    return Strength(leaves=("commands run with your own rights, judged by the guard alone",))


def _of_bubblewrap(policy: SandboxPolicy, offer: Offer) -> Strength:
    keeps = (
        "files: the workspace and a private /tmp are written, the home is hidden, the system is read-only",
        "processes: each command sees its own",
        f"network: {_network(policy)}",
        *(("system calls: mounts, namespaces, io_uring and the like are refused",) if has_filter() else ()),
        "rights: none beyond those of the user, no way to more",
    )
    leaves = (
        *(() if has_filter() else ("system calls aren't filtered on this kind of machine",)),
        *(("abstract sockets of others can be reached (Linux 6.12 can forbid it)",) if _open(policy, offer) else ()),
        *_of_root(policy),
    )
    return Strength(keeps, leaves)


def _open(policy: SandboxPolicy, offer: Offer) -> bool:
    return policy.network == "on" and offer.landlock < SCOPES


def _of_landlock(policy: SandboxPolicy, offer: Offer) -> Strength:
    keeps = (
        "files: the workspace and a private $TMPDIR are written, the home is hidden, the system is read-only",
        f"network: {_network(policy)}",
        "system calls: mounts, namespaces, tracing, io_uring and the like are refused",
        "rights: none beyond those of the user, no way to more",
    )
    leaves = (
        "modes and times of one's own files outside can be changed (chmod, touch)",
        "names and arguments of other processes can be seen; /dev/shm is shared with them",
        "/tmp isn't exchanged: programs must use $TMPDIR",
        *(reason for reason in offer.reasons if not reason.startswith("running as root")),
        *_of_root(policy),
    )
    return Strength(keeps, leaves)


def _of_root(policy: SandboxPolicy) -> tuple[str, ...]:
    limited = policy.processes is not None and os.geteuid() == 0
    return ("as root there is no limit of processes (max_processes)",) if limited else ()


def _network(policy: SandboxPolicy) -> str:
    if isinstance(policy.network, tuple):
        return f"only {', '.join(policy.network) or 'nothing'}, through a proxy"
    return "as yours, with its local services" if policy.network == "on" else "none"
