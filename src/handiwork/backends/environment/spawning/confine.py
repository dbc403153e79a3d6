"""Takes rights away from this process for good, just before it becomes the program."""

from __future__ import annotations

import math
import os
import resource
from typing import Any

from . import kernel, landlock, seccomp
from .tree import threads_of_user


def confine(wanted: dict[str, Any]) -> None:
    """Apply what `Confinement.plain` gave. Raises `OSError` where the system can't: then nothing may run."""
    _limit(wanted["limits"])
    builds_its_own = wanted["calls"] == "any"
    kernel.gain_nothing(keep_root=builds_its_own)  # else root couldn't map itself into a namespace
    network = wanted["network"]
    if not builds_its_own or landlock.version() > 0:
        landlock.restrict(wanted["files"], network)
    if not builds_its_own:
        seccomp.restrict(network["mode"], unix_sockets=network["unix_sockets"])


def _limit(limits: dict[str, Any]) -> None:
    _lower(resource.RLIMIT_CORE, 0)
    if limits["cpu_s"] is not None:
        seconds = max(math.ceil(limits["cpu_s"]), 1)
        _lower(resource.RLIMIT_CPU, seconds, seconds + 1)  # told first (SIGXCPU), killed a second later
    if limits["memory_bytes"] is not None:
        # Not the address space: runtimes reserve much more of that than they ever use.
        _lower(resource.RLIMIT_DATA, limits["memory_bytes"])
    if limits["file_bytes"] is not None:
        _lower(resource.RLIMIT_FSIZE, limits["file_bytes"])
    if limits["open_files"] is not None:
        _lower(resource.RLIMIT_NOFILE, limits["open_files"])
    if limits["processes"] is not None:
        _lower(resource.RLIMIT_NPROC, threads_of_user(os.getuid()) + limits["processes"])


def _lower(kind: int, soft: int, hard: int | None = None) -> None:
    """Set a limit; one that is lower already stays."""
    ceiling = resource.getrlimit(kind)[1]
    highest = soft if hard is None else hard
    if ceiling != resource.RLIM_INFINITY:
        highest = min(highest, ceiling)
    resource.setrlimit(kind, (min(soft, highest), highest))
