"""What this system can confine, told truthfully: asked of the kernel, not read off its name."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass

from .spawning import kernel, landlock, seccomp

SCOPES = 6  # the version of Landlock that knows the sockets and signals of others


@dataclass(frozen=True, slots=True)
class Offer:
    """What this system can confine: the version of Landlock (0: none), the filter of calls, and what is amiss."""

    landlock: int
    seccomp: bool
    reasons: tuple[str, ...]


# What the versions of Landlock before each of these leave open.
_SINCE = (
    (2, "files can't be moved or linked from one folder to another"),
    (3, "files outside the writable paths can be emptied (truncate)"),
    (4, "TCP ports can't be told apart: on or off"),
    (5, "devices can be controlled through files that may be read (ioctl)"),
    (6, "processes outside can be sent signals and be reached by abstract sockets"),
)


def probe() -> Offer:
    """Ask the kernel what it has; nothing is changed."""
    known = landlock.version()
    reasons = [f"no Landlock: {_why_none(-known)}"] if known < 1 else [text for since, text in _SINCE if known < since]
    machine = os.uname().machine
    filters = kernel.filter_error() == errno.EFAULT
    if not filters:
        reasons.append("no filter of calls: this kernel has no seccomp filters")
    elif machine not in seccomp.MACHINES:
        reasons.append(f"no filter of calls: the numbers of calls on {machine} aren't known here")
    if os.geteuid() == 0:
        reasons.append("running as root: the kernel doesn't hold root to a limit of processes")
    return Offer(max(known, 0), filters and machine in seccomp.MACHINES, tuple(reasons))


def _why_none(number: int) -> str:
    if number == errno.EOPNOTSUPP:
        return "it is switched off; boot with lsm=landlock,..."
    if number == errno.ENOSYS:
        return "this kernel is older than 5.13 or built without it"
    return os.strerror(number)
