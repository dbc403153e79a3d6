"""The one place where a child process starts, and the one place where its whole tree ends."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ...core.errors import HandiworkError, UsageError

GRACE_S = 1.0
_MARK = "HANDIWORK_RUN"
_PROC = Path("/proc")


class Child:
    """A process in a session of its own, its output on one pipe, in the order it was written.

    `mark` is in the environment of everything that the process starts, so that what leaves the
    process group (setsid, double forks) is found too.
    """

    def __init__(self, popen: subprocess.Popen[bytes], mark: str) -> None:
        assert popen.stdout is not None
        self._popen, self.mark, self.pid = popen, mark, popen.pid
        self.pipe = popen.stdout.fileno()
        self.exit_fd = _exit_fd(popen.pid)
        self._gone = False
        os.set_blocking(self.pipe, False)

    @property
    def stdin(self) -> int:
        """The descriptor of its standard input; -1 where that is closed."""
        pipe = self._popen.stdin
        return -1 if pipe is None or pipe.closed else pipe.fileno()

    def close_stdin(self) -> None:
        if self._popen.stdin is not None:
            self._popen.stdin.close()

    def poll(self) -> int | None:
        """Its exit code as a shell tells it (128 + signal), None while it runs."""
        code = self._popen.poll()
        return 128 - code if code is not None and code < 0 else code

    def wait(self, timeout_s: float) -> int | None:
        try:
            self._popen.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return None
        return self.poll()

    def group_alive(self) -> bool:
        """Whether anything of its process group still runs, itself or what it left behind."""
        if not self._signal(0):
            return False
        self._gone = self.poll() is not None and not _group_runs(self.pid)
        return not self._gone

    def terminate(self) -> None:
        """Ask the whole group to end."""
        self._signal(signal.SIGTERM)

    def _signal(self, number: int) -> bool:
        """Signal the group, unless it was seen empty: then its number may be somebody else's."""
        ended = self.poll() is not None
        if not self._gone:
            self._gone = not signal_group(self.pid, number) and ended
        return not self._gone

    def kill_group(self) -> None:
        self._signal(signal.SIGKILL)

    def kill(self) -> int | None:
        """End everything that this process started; the answer is its exit code."""
        self.kill_group()
        kill_marked(self.mark)
        return self.wait(GRACE_S)

    def release(self) -> None:
        """Give the descriptors back. The process itself is left as it is."""
        if self.exit_fd >= 0:
            os.close(self.exit_fd)
            self.exit_fd = -1
        for pipe in (self._popen.stdin, self._popen.stdout):
            if pipe is not None and not pipe.closed:
                pipe.close()


class Nursery:
    """All children of one environment: started here, and none outlives `close`."""

    def __init__(self) -> None:
        self._mark = f"{os.getpid()}.{os.urandom(6).hex()}"
        self._number = itertools.count(1)
        self._lock = threading.Lock()
        self._children: set[Child] = set()
        self._closed = False

    def start(self, argv: Sequence[str], *, cwd: str, env: Mapping[str, str], keyboard: bool = False) -> Child:
        """Start *argv*; with *keyboard* its standard input is a pipe, else it reads nothing."""
        mark = f"{self._mark}.{next(self._number)}"
        outer = os.environ.get(_MARK)
        marked = {**env, _MARK: f"{outer}:{mark}" if outer else mark}
        with self._lock:  # close() must not miss a child that is just being born
            if self._closed:
                raise HandiworkError("this environment is closed", "open a new one to run commands")
            child = Child(_popen(argv, cwd, marked, keyboard=keyboard), mark)
            self._children.add(child)
        return child

    def forget(self, child: Child) -> None:
        """The child has ended and everything of it was read."""
        with self._lock:
            self._children.discard(child)
        child.release()

    def close(self) -> None:
        """End all children and everything they started; start none again."""
        with self._lock:
            self._closed, children = True, tuple(self._children)
            started = next(self._number) > 1
        for child in children:
            child.terminate()
        deadline = time.monotonic() + GRACE_S
        for child in children:
            while child.group_alive() and time.monotonic() < deadline:
                time.sleep(0.005)
        for child in children:
            child.kill_group()
        if started:
            kill_marked(self._mark)


def _popen(argv: Sequence[str], cwd: str, env: Mapping[str, str], *, keyboard: bool) -> subprocess.Popen[bytes]:
    if not Path(cwd).is_dir():
        raise UsageError(f"there is no directory {cwd}", "give an existing directory as cwd")
    return subprocess.Popen(
        argv,
        cwd=cwd,
        env=env,
        stdin=subprocess.PIPE if keyboard else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        bufsize=0,
    )


def _exit_fd(pid: int) -> int:
    """A descriptor that is readable once the process has ended, -1 where the system has none."""
    if not hasattr(os, "pidfd_open"):
        return -1
    try:
        return os.pidfd_open(pid)
    except OSError:  # a kernel older than our Python expects, or a sandbox that forbids it
        return -1


def signal_group(group: int, number: int) -> bool:
    """Send a signal to a process group; False when nothing of it is left."""
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    except PermissionError:  # some of it runs as another user: alive, and not ours to end
        return True
    return True


def _group_runs(group: int) -> bool:
    """Whether a process of the group is more than a dead entry that its parent hasn't collected."""
    folders = list(_PROC.glob("[0-9]*"))
    if not folders:
        return True  # no /proc to look at
    for folder in folders:
        state, _, its_group = _after_name(_bytes_of(folder / "stat"))
        if its_group == b"%d" % group and state not in (b"Z", b"X"):
            return True
    return False


def _after_name(stat: bytes) -> tuple[bytes, bytes, bytes]:
    """State, parent and group of a line of /proc/PID/stat, whose second field may hold anything."""
    fields = stat.rpartition(b")")[2].split(maxsplit=3)
    return (fields[0], fields[1], fields[2]) if len(fields) > 2 else (b"X", b"", b"")


def kill_marked(mark: str) -> int:
    """End every process that carries *mark* or a mark that starts with it; how many those were.

    Looks again until nothing is found, since a process may have forked in between.
    """
    ended = 0
    for _ in range(20):
        found = list(_marked(mark))
        for pid in found:
            _kill(pid)
        ended += len(found)
        if not found:
            break
    return ended


def _marked(mark: str) -> Iterator[int]:
    wanted = mark.encode()
    name = f"{_MARK}=".encode()
    for folder in _PROC.glob("[0-9]*"):
        for variable in _bytes_of(folder / "environ").split(b"\0"):
            if variable.startswith(name) and _carries(variable[len(name) :], wanted):
                yield int(folder.name)


def _carries(marks: bytes, wanted: bytes) -> bool:
    return any(m == wanted or m.startswith(wanted + b".") for m in marks.split(b":"))


def _bytes_of(file: Path) -> bytes:
    """What a file of /proc says, nothing for a process that is gone, dying, or not ours to see."""
    try:
        return file.read_bytes()
    except OSError:
        return b""


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
