"""What a sandbox forbade a command that failed, and how that is allowed."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from dataclasses import dataclass

from ...core.types import Ran, SandboxPolicy
from .nesting import inside
from .territory import PRIVATE, Territory

_LOOKED_AT = 20_000
_MOST_NAMED = 3
_READ_ONLY = re.compile(r"Read-only file system|EROFS|Errno 30\b")
_NOT_ALLOWED = re.compile(
    r"Permission denied|EACCES|Operation not permitted|EPERM|Errno (?:13|1)\b|Device or resource busy"
)
_NOT_FOUND = re.compile(r"No such file or directory|ENOENT|Errno 2\b|does not exist|not found|cannot access", re.I)
_QUOTED = re.compile(r"['‘\"]([^'’\"\n]+)['’\"]")
_BARE = re.compile(r"(?<![\w'’\"/.~-])((?:/|~/)[^\s'\"’:;,()]+)")
_NO_NETWORK = re.compile(
    r"Could not resolve|Temporary failure in name resolution|Name or service not known|Network is unreachable"
    r"|ENOTFOUND|EAI_AGAIN|ENETUNREACH|getaddrinfo|nodename nor servname|No route to host|unable to resolve",
    re.I,
)
_NO_MEMORY = re.compile(r"Cannot allocate memory|MemoryError|bad_alloc|out of memory|ENOMEM", re.I)
_NO_PROCESS = re.compile(r"Resource temporarily unavailable|EAGAIN|can't start new thread|fork: retry")
_TOO_BIG = re.compile(r"File size limit exceeded|File too large|EFBIG|Errno 27\b")
_NOBODY_THERE = re.compile(r"No such process|no process found")


@dataclass(frozen=True, slots=True)
class Fence:
    """What stood around a command: the sandbox's name, its territory, its policy, what its proxy refused.

    `own_processes` says that a command doesn't see the processes of others; `temp` where it may write beside.
    """

    sandbox: str
    territory: Territory
    policy: SandboxPolicy
    cwd: str = "/"
    temp: tuple[str, ...] = PRIVATE
    refused: tuple[str, ...] = ()
    own_processes: bool = False


def explain(ran: Ran, fence: Fence) -> str:
    """Why the fence made a command fail, with the setting that allows it; empty where it didn't."""
    if ran.exit_code == 0:
        return ""
    seen = ran.output[-_LOOKED_AT:]
    found = [*_of_network(seen, fence), *_of_files(seen, fence), *_of_limits(ran, seen, fence.policy)]
    if fence.own_processes and _NOBODY_THERE.search(seen):
        found.append("each command sees its own processes only: end those of earlier ones with the process tool")
    return f"the sandbox ({fence.sandbox}): {'; '.join(dict.fromkeys(found))}" if found else ""


def _of_network(seen: str, fence: Fence) -> Iterator[str]:
    network = fence.policy.network
    if fence.refused:
        yield f"{'; '.join(fence.refused[:_MOST_NAMED])}: allow that by `sandbox.network` in config"
    elif network != "on" and _NO_NETWORK.search(seen):
        listed = "off" if network == "off" else f"through the proxy of http_proxy only, to {', '.join(network)}"
        yield f"the network is {listed}: change `sandbox.network` in config"


def _of_files(seen: str, fence: Fence) -> Iterator[str]:
    forbidden = list(dict.fromkeys(_forbidden(seen, fence)))[:_MOST_NAMED]
    if forbidden:
        allowed = [*fence.territory.writable, fence.temp[0]]
        names = ", ".join(forbidden)
        yield f"commands write only in {' and '.join(allowed)}: allow {names} by `sandbox.writable` in config"
    elif _READ_ONLY.search(seen):
        yield f"commands write only in {' and '.join([*fence.territory.writable, fence.temp[0]])}"
    hidden = list(dict.fromkeys(_out_of_sight(seen, fence)))[:_MOST_NAMED]
    if hidden:
        yield f"it hides {', '.join(hidden)}: allow that by `sandbox.readable` in config"


def _forbidden(seen: str, fence: Fence) -> Iterator[str]:
    """Paths that weren't written for the fence's sake: without it, we could."""
    for line in seen.splitlines():
        if not (_READ_ONLY.search(line) or _NOT_ALLOWED.search(line)):
            continue
        for path in _paths(line, fence):
            private = any(inside(path, place) for place in fence.temp)
            if not private and fence.territory.sees(path) and not fence.territory.writes(path) and _could_write(path):
                yield path


def _out_of_sight(seen: str, fence: Fence) -> Iterator[str]:
    for line in seen.splitlines():
        if _NOT_FOUND.search(line) or _NOT_ALLOWED.search(line):
            yield from (p for p in _paths(line, fence) if os.path.lexists(p) and not fence.territory.sees(p))


def _paths(line: str, fence: Fence) -> Iterator[str]:
    for text in (*_QUOTED.findall(line), *_BARE.findall(line)):
        home = fence.territory.home + text[1:] if text.startswith("~/") else text
        path = os.path.normpath(os.path.join(fence.cwd, home))
        if "\0" not in path and (os.path.isabs(home) or "/" in home or os.path.lexists(path)):
            yield os.path.realpath(path)


def _could_write(path: str) -> bool:
    existing = path if os.path.lexists(path) else os.path.dirname(path)
    return os.access(existing, os.W_OK)


def _of_limits(ran: Ran, seen: str, policy: SandboxPolicy) -> Iterator[str]:
    ended_by = ran.exit_code - 128
    if policy.cpu_s is not None and (ended_by == signal.SIGXCPU or (ended_by == signal.SIGKILL and not ran.timed_out)):
        yield f"a process may use {policy.cpu_s} s of processor time: raise `sandbox.cpu_seconds`"
    if policy.file_bytes is not None and (ended_by == signal.SIGXFSZ or _TOO_BIG.search(seen)):
        yield f"a file may hold {policy.file_bytes >> 20} MB: raise `sandbox.max_file_mb`"
    if policy.memory_bytes is not None and _NO_MEMORY.search(seen):
        yield f"a process may use {policy.memory_bytes >> 20} MB of memory: raise `sandbox.memory_mb`"
    if policy.processes is not None and _NO_PROCESS.search(seen):
        yield f"there may be {policy.processes} processes: raise `sandbox.max_processes`"
