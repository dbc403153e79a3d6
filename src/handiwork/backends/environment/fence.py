"""What a sandbox forbade a command that failed, and how that is allowed."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from dataclasses import dataclass

from ...core.types import Command, Ran, SandboxPolicy
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
_NO_SOCKET = re.compile(r"(?:sock|connect)[^\n]*\n?[^\n]*(?:Permission denied|Operation not permitted|EACCES|EPERM)")
_PROGRAM = re.compile(r"^\S+: (?:line \d+: )?(?=.)")
_NO_MEMORY = re.compile(r"Cannot allocate memory|MemoryError|bad_alloc|out of memory|ENOMEM", re.I)
_NO_PROCESS = re.compile(r"Resource temporarily unavailable|EAGAIN|can't start new thread|fork: retry")
_TOO_BIG = re.compile(r"File size limit exceeded|File too large|EFBIG|Errno 27\b")
_OF_PROCESSES = re.compile(r"(?:^|[;&|(`\s])(?:pkill|killall|pgrep|pidof|lsof|fuser)\s")
_NOBODY_THERE = re.compile(r"No such process|no process found")


@dataclass(frozen=True, slots=True)
class Fence:
    """What stood around *command*: the sandbox's name, its territory, its policy, what its proxy refused.

    `own_processes` says that a command doesn't see the processes of others; `temp` are the private folders that
    are written, too, `home` is what stands for the home.
    """

    sandbox: str
    territory: Territory
    policy: SandboxPolicy
    command: Command
    temp: tuple[str, ...] = PRIVATE
    refused: tuple[str, ...] = ()
    own_processes: bool = False
    home: str = ""


def explain(ran: Ran, fence: Fence) -> str:
    """Why the fence made a command fail, with the setting that allows it; empty where it didn't."""
    if ran.exit_code == 0:
        return ""
    seen = ran.output[-_LOOKED_AT:]
    found = [*_of_network(seen, fence), *_of_files(seen, fence), *_of_limits(ran, seen, fence.policy)]
    if fence.own_processes and (_NOBODY_THERE.search(seen) or _OF_PROCESSES.search(fence.command.text)):
        found.append("each command sees its own processes only: end those of earlier ones with the process tool")
    return f"the sandbox ({fence.sandbox}): {'; '.join(dict.fromkeys(found))}" if found else ""


def _of_network(seen: str, fence: Fence) -> Iterator[str]:
    network = fence.policy.network
    if fence.refused:
        yield f"{'; '.join(fence.refused[:_MOST_NAMED])}: allow that by `sandbox.network` in config"
    elif network != "on" and (_NO_NETWORK.search(seen) or _NO_SOCKET.search(seen)):
        listed = "off" if network == "off" else f"through the proxy of http_proxy only, to {', '.join(network)}"
        yield f"the network is {listed}: change `sandbox.network` in config"


def _of_files(seen: str, fence: Fence) -> Iterator[str]:
    allowed = " and ".join((*fence.territory.writable, fence.temp[0]))
    forbidden = _named(_forbidden(seen, fence))
    if forbidden:
        yield f"commands write only in {allowed}: allow {forbidden} by `sandbox.writable` in config"
    elif _READ_ONLY.search(seen):
        yield f"commands write only in {allowed}: list other folders in `sandbox.writable` in config"
    if shared := _named(_shared(seen, fence)):
        yield f"{shared} is not to be written: use $TMPDIR, which is {fence.temp[0]}"
    hidden = list(_out_of_sight(seen, fence))
    if any(fence.territory.is_own(path) for path in hidden):
        yield "Handiwork's own settings aren't for commands to see or change"
    if rest := _named(path for path in hidden if not fence.territory.is_own(path)):
        yield f"it hides {rest}: allow that by `sandbox.readable` in config"


def _named(paths: Iterator[str]) -> str:
    return ", ".join(list(dict.fromkeys(paths))[:_MOST_NAMED])


def _forbidden(seen: str, fence: Fence) -> Iterator[str]:
    """Paths that weren't written for the fence's sake: without it, we could."""
    for path in _paths(seen, fence, _READ_ONLY, _NOT_ALLOWED):
        if fence.territory.sees(path) and not fence.territory.writes(path) and _could_write(path):
            yield path


def _shared(seen: str, fence: Fence) -> Iterator[str]:
    """Paths in the temporary folders of the machine, where those aren't exchanged for private ones."""
    for path in _paths(seen, fence, _NOT_ALLOWED, _NOT_FOUND):
        if any(inside(path, place) for place in PRIVATE) and not fence.territory.sees(path):
            yield path


def _out_of_sight(seen: str, fence: Fence) -> Iterator[str]:
    for path in _paths(seen, fence, _NOT_FOUND, _NOT_ALLOWED):
        if os.path.lexists(path) and not fence.territory.sees(path):
            yield path


def _paths(seen: str, fence: Fence, *complaints: re.Pattern[str]) -> Iterator[str]:
    """The paths in lines with one of *complaints*, but for those that are private to the sandbox."""
    for line in seen.splitlines():
        if not any(complaint.search(line) for complaint in complaints):
            continue
        told = _PROGRAM.sub("", line)
        for text in (*_QUOTED.findall(told), *_BARE.findall(told)):
            path = _placed(text, fence)
            if path and not any(inside(path, place) for place in fence.temp):
                yield path


def _placed(text: str, fence: Fence) -> str:
    """The path that *text* means on this machine, if it is one."""
    whole = fence.territory.home + text[1:] if text.startswith("~/") else text
    if "\0" in whole or not ("/" in whole or os.path.lexists(os.path.join(fence.command.cwd, whole))):
        return ""
    path = os.path.realpath(os.path.join(fence.command.cwd, whole))
    if fence.home and inside(path, fence.home):
        return fence.territory.home + path[len(fence.home) :]
    return path


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
