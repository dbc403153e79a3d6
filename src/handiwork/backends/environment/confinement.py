"""What a command may touch, as a value that can be written down and handed to whatever confines it."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from ...core.errors import UsageError
from ...core.types import SandboxPolicy


@dataclass(frozen=True, slots=True)
class Files:
    """Folders, with all below them, and files: what can be read, also run, or also changed.

    Paths are absolute and followed to their ends when the command starts; one that isn't there gives
    nothing. A folder for programs of one's own is in `write` and in `execute`. The usual devices
    (/dev/null and its like) are always there. What is in none of these lists can't be opened.
    """

    read: tuple[str, ...] = ()
    write: tuple[str, ...] = ()
    execute: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Network:
    """Which sockets: all ("on"), none ("off"), or TCP to and on the ports given ("ports").

    With "off" and "ports" there is no UDP, so no look-up of names either. `unix_sockets` are those of
    this machine; a pair of connected ones can always be made.
    """

    mode: Literal["on", "off", "ports"] = "off"
    connect: tuple[int, ...] = ()
    bind: tuple[int, ...] = ()
    unix_sockets: bool = True


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of each process, which it is born with and a moment later can't raise any more; None sets none.

    `memory_bytes` is what a process may write to of its own (heap and private mappings), not shared
    memory and not the tree's sum. `processes` is how many threads and processes may be added to those that
    the user has by now; the kernel doesn't hold root to it.
    """

    cpu_s: float | None = None
    memory_bytes: int | None = None
    processes: int | None = None
    file_bytes: int | None = None
    open_files: int | None = None


@dataclass(frozen=True, slots=True)
class Confinement:
    """What a command and all that it starts may touch; `files=None` leaves files as they are.

    Always on: no program gives more rights (setuid), root can't administer the machine, no tracing of
    others, no mounts, no namespaces, no kernel modules, no io_uring; and where the kernel can
    (`offer.probe`), no signals to and no abstract sockets of processes outside. With `calls="any"` there is
    no filter of calls, and root stays root: for a program that builds a sandbox of its own around the command.
    """

    files: Files | None = None
    network: Network = field(default_factory=Network)
    limits: Limits = field(default_factory=Limits)
    calls: Literal["few", "any"] = "few"

    def __post_init__(self) -> None:
        for path in (*self.files.read, *self.files.write, *self.files.execute) if self.files else ():
            if not os.path.isabs(path):
                raise UsageError(f"a confinement needs absolute paths, got {path!r}", "give the whole path")
        for port in (*self.network.connect, *self.network.bind):
            if not 0 <= port <= 65_535:
                raise UsageError(f"there is no port {port}", "give ports from 0 to 65535")
        for name, limit in asdict(self.limits).items():
            if limit is not None and not limit >= 0:
                raise UsageError(f"a limit is 0 or more, got {name}={limit}", "None sets no limit")

    def plain(self) -> dict[str, Any]:
        """Dicts, lists, numbers and texts, for JSON and for the keeper."""
        return asdict(self)

    @classmethod
    def of(cls, plain: dict[str, Any]) -> Confinement:
        """The confinement that `plain` wrote, also after a way through JSON."""
        files = plain["files"]
        return cls(
            Files(**_tuples(files)) if files is not None else None,
            Network(**_tuples(plain["network"])),
            Limits(**plain["limits"]),
            plain["calls"],
        )


def limits_of(policy: SandboxPolicy) -> Limits:
    """The limits that a sandbox's policy sets."""
    return Limits(policy.cpu_s, policy.memory_bytes, policy.processes, policy.file_bytes)


def _tuples(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}
