"""Who works on a session: a process, told apart from a later one that got its number."""

from __future__ import annotations

import os


def this_process() -> str:
    """The name of this process: machine, number, start."""
    return f"{os.uname().nodename} {os.getpid()} {_started(os.getpid())}"


def is_alive(owner: str) -> bool:
    """Whether the process of that name runs. One of another machine may."""
    host, _, rest = owner.partition(" ")
    pid, _, started = rest.partition(" ")
    if not pid.isdigit():
        return False
    return host != os.uname().nodename or (_exists(int(pid)) and _started(int(pid)) == started)


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # it is somebody else's
        return True
    return True


def _started(pid: int) -> str:
    """When a process started, in ticks since boot; "" where the system doesn't tell."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as stat:
            fields = stat.read().rpartition(b")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in (b"Z", b"X") else fields[19].decode()
