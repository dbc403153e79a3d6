"""Takes rights away from a program before it starts.

What confines is inherited from the thread that starts the program, so a thread is confined for that alone and
then ends; the keeper itself keeps its rights, and its memory needn't be copied by a fork.
"""

from __future__ import annotations

import _thread
import math
import os
import resource
import signal
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from . import kernel, landlock, seccomp
from .tree import children, threads_of_user

if TYPE_CHECKING:
    from collections.abc import Callable


# Less of it, and the keeper couldn't start the program; it gets such a limit a moment after it began.
_KEEPER_NEEDS = {resource.RLIMIT_DATA: 64 << 20, resource.RLIMIT_NOFILE: 32}
# How long a program gets to make its first processes before they are looked for once more. Seconds.
_MOMENT_S = 0.01


class NoFenceError(OSError):
    """The program can't be confined as it was asked for, and wasn't started or was ended at once."""


class Open(NamedTuple):
    """No confinement."""

    def start(self, work: Callable[[], int]) -> int:
        """The process id that *work* gives."""
        return work()


OPEN = Open()


class Fence(NamedTuple):
    """A confinement made ready for one program. Without instructions it may make any call, root's too."""

    limits: dict[int, tuple[int, int]]
    ruleset: int
    instructions: bytes

    def start(self, work: Callable[[], int]) -> int:
        """The process id that *work* gives, of a program with this fence around it."""
        try:
            pid = _in_own_thread(lambda: self._confined(work))
        finally:
            if self.ruleset >= 0:
                os.close(self.ruleset)
        self._limit(pid)
        if resource.RLIMIT_CPU in self.limits:
            # Nothing is born with it. A process that was just being made then is seen a moment later.
            time.sleep(_MOMENT_S)
            self._limit(pid)
        return pid

    def _confined(self, work: Callable[[], int]) -> int:
        try:
            kernel.gain_nothing(keep_root=not self.instructions)
            if self.ruleset >= 0:
                landlock.restrict(self.ruleset)
            if self.instructions:
                kernel.filter_calls(self.instructions)
        except OSError as error:
            raise NoFenceError(error.errno, error.strerror) from error
        return self._limited(work)

    def _limited(self, work: Callable[[], int]) -> int:
        """Do it under limits that can be taken back, so that the program is born with them.

        The time limit is left out: it counts the keeper's own time, and the program's begins at 0.
        """
        ours = {kind: resource.getrlimit(kind) for kind in self.limits if kind != resource.RLIMIT_CPU}
        for kind, (_, hard) in ours.items():
            resource.setrlimit(kind, _lower(max(self.limits[kind][0], _KEEPER_NEEDS.get(kind, 0)), hard, hard))
        try:
            return work()
        finally:
            for kind, limit in ours.items():
                resource.setrlimit(kind, limit)

    def _limit(self, pid: int) -> None:
        """The same limits for good, also for what it has started by now."""
        try:
            for kind, limit in self.limits.items():
                resource.prlimit(pid, kind, limit)
            for child in children(pid):
                self._limit(child)
        except ProcessLookupError:
            return  # a child that has ended already
        except OSError as error:
            os.kill(pid, signal.SIGKILL)
            raise NoFenceError(error.errno, f"limits can't be set ({error.strerror})") from error


def _in_own_thread(work: Callable[[], int]) -> int:
    outcome: list[int | BaseException] = []
    done = _thread.allocate_lock()
    done.acquire()

    def run() -> None:
        try:
            outcome.append(work())
        except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
            outcome.append(error)
        finally:
            done.release()

    _thread.start_new_thread(run, ())
    done.acquire()
    if isinstance(outcome[0], BaseException):
        raise outcome[0]
    return outcome[0]


def prepare(wanted: dict[str, Any], screen: str) -> Fence:
    """Make ready what `Confinement.plain` gave, for a program with the terminal *screen* if that isn't empty.

    Raises `OSError` where the system can't do that.
    """
    network, limits = wanted["network"], _limits(wanted["limits"])
    if wanted["calls"] == "any":  # what it wants of Landlock is a bonus
        ruleset = landlock.prepare(wanted["files"], network, screen) if landlock.version() > 0 else -1
        return Fence(limits, ruleset, b"")
    instructions = seccomp.instructions(os.uname().machine, network["mode"], unix_sockets=network["unix_sockets"])
    return Fence(limits, landlock.prepare(wanted["files"], network, screen), instructions)


def _limits(wanted: dict[str, Any]) -> dict[int, tuple[int, int]]:
    limits = {resource.RLIMIT_CORE: (0, 0)}
    if wanted["cpu_s"] is not None:
        seconds = max(math.ceil(wanted["cpu_s"]), 1)
        limits[resource.RLIMIT_CPU] = (seconds, seconds + 1)  # told first (SIGXCPU), killed a second later
    # Not the address space: runtimes reserve much more of that than they ever use.
    for kind, name in (
        (resource.RLIMIT_DATA, "memory_bytes"),
        (resource.RLIMIT_FSIZE, "file_bytes"),
        (resource.RLIMIT_NOFILE, "open_files"),
    ):
        if wanted[name] is not None:
            limits[kind] = (wanted[name], wanted[name])
    if wanted["processes"] is not None:
        highest = threads_of_user(os.getuid()) + wanted["processes"]
        limits[resource.RLIMIT_NPROC] = (highest, highest)
    return {kind: _lower(*limit, resource.getrlimit(kind)[1]) for kind, limit in limits.items()}


def _lower(soft: int, hard: int, ceiling: int) -> tuple[int, int]:
    """Such a limit, except that one which is lower already stays."""
    if ceiling != resource.RLIM_INFINITY:
        soft, hard = min(soft, ceiling), ceiling if hard == resource.RLIM_INFINITY else min(hard, ceiling)
    return soft, hard
