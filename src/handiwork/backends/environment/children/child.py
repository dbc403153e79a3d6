"""A child process and the children of one environment, each with all that it starts."""

from __future__ import annotations

import atexit
import os
import select
import signal
import termios
import threading
import time
import weakref
from collections.abc import Mapping, Sequence

from ....core.errors import HandiworkError
from .beginning import Beginning, Program, begin
from .confinement import Confinement
from .spawner import SPAWNER, Keeper
from .spawning.order import NOTHING_LEFT

GRACE_S = 1.0
STATE_BYTES = 1_048_576
_END_OF_INPUT = b"\x04"


class Child:
    """A running program in a session of its own, its output on one pipe, in the order it was written.

    `errors` is a pipe for its standard error, where that was to be kept apart. `pipe` is not to be waited
    on for an end: `exit_fd` is readable for ever once the program has ended, `gone_fd` at its end once
    nothing is left of what it started, wherever that went. Thread-safe.
    """

    def __init__(self, began: Beginning) -> None:
        self.pid, self.keeper_pid = began.pid, began.keeper_pid
        self.pipe, self.stdin, self.errors = began.ends.pipe, began.ends.stdin, began.ends.errors
        self.exit_fd, self.gone_fd = began.ends.exit_fd, began.ends.gone_fd
        self._state_fd = began.ends.state_fd
        self._keeper: Keeper | None = began.keeper
        self._lock = threading.Lock()
        self._code: int | None = None
        self._gone = False
        self._names = bytearray()
        self._state = b""

    def poll(self) -> int | None:
        """Its exit code as a shell tells it (128 + signal), None while it runs."""
        with self._lock:
            if self._code is None and self.exit_fd >= 0 and _is_ready(self.exit_fd):
                # A keeper that was killed told nothing: then its program was killed too.
                self._code = int(os.read(self.exit_fd, 16) or 128 + signal.SIGKILL)
            return self._code

    def wait(self, timeout_s: float) -> int | None:
        """Its exit code once it has ended, None after *timeout_s*."""
        if self.poll() is None and self.exit_fd >= 0:
            _is_ready(self.exit_fd, timeout_s)
        return self.poll()

    def alive(self) -> bool:
        """Whether anything still runs of all that it started, itself or what it left behind."""
        with self._lock:
            while not self._gone and _is_ready(self.gone_fd):
                piece = os.read(self.gone_fd, 4096)
                self._names += piece
                self._gone = not piece or piece.endswith(NOTHING_LEFT)
            return not self._gone

    def wait_gone(self, timeout_s: float) -> bool:
        """Wait until nothing of it is left; False after *timeout_s*."""
        deadline = time.monotonic() + timeout_s
        while self.alive():
            if not _is_ready(self.gone_fd, deadline - time.monotonic()):
                return False
        return True

    def survivors(self) -> list[str]:
        """What could not be ended, as "1234 'name'": another user's, or hanging in the kernel."""
        return self._names.decode("utf-8", "replace").splitlines() if self.alive() else []

    def terminate(self) -> None:
        """Ask everything that it started to end."""
        self.send_signal(signal.SIGTERM)

    def send_signal(self, number: int) -> None:
        """Signal it and everything that it started; SIGKILL ends all of it for certain."""
        with self._lock:
            if self._keeper is not None and not self._gone:
                self._keeper.tell(number)

    def kill(self) -> int | None:
        """End everything that this process started; the answer is its exit code."""
        self.send_signal(signal.SIGKILL)
        self.wait_gone(GRACE_S)
        return self.poll()

    @property
    def state(self) -> bytes:
        """What it wrote to descriptor 9, at most 1 MiB; whoever still holds that is not waited for."""
        with self._lock:
            return os.pread(self._state_fd, STATE_BYTES, 0) if self._state_fd >= 0 else self._state

    @property
    def state_bytes(self) -> int:
        """How much it has written there."""
        with self._lock:
            return os.fstat(self._state_fd).st_size if self._state_fd >= 0 else len(self._state)

    def resize(self, rows: int, columns: int) -> None:
        """Give its terminal another size, which it is told by SIGWINCH."""
        termios.tcsetwinsize(self.pipe, (rows, columns))

    def close_stdin(self) -> None:
        """Tell it that nothing more will be typed."""
        if self.stdin == self.pipe >= 0:
            os.write(self.stdin, _END_OF_INPUT)
        elif self.stdin >= 0:
            os.close(self.stdin)
        self.stdin = -1

    def release(self) -> None:
        """Give the descriptors back. What is still left of it is ended, unless it was detached."""
        self.poll()
        gone = not self.alive()
        state = self.state
        with self._lock:
            self._state, keeper, self._keeper = state, self._keeper, None
            for descriptor in {self.exit_fd, self.gone_fd, self.pipe, self.stdin, self.errors, self._state_fd} - {-1}:
                os.close(descriptor)
            self.exit_fd = self.gone_fd = self.pipe = self.stdin = self.errors = self._state_fd = -1
            self._gone = True
        if keeper is not None and gone:
            SPAWNER.give_back(keeper)
        elif keeper is not None:
            keeper.part()


def _is_ready(descriptor: int, timeout_s: float = 0) -> bool:
    ready = select.poll()
    ready.register(descriptor, select.POLLIN)
    return bool(ready.poll(max(timeout_s, 0) * 1000))


_NURSERIES: weakref.WeakSet[Nursery] = weakref.WeakSet()


def _closed() -> HandiworkError:
    return HandiworkError("this environment is closed", "open a new one to run commands")


class Nursery:
    """All children of one environment: started here, and none outlives `close`."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._children: set[Child] = set()
        self._closed = False
        self._owner = os.getpid()
        _NURSERIES.add(self)

    def start(
        self,
        argv: Sequence[str],
        *,
        cwd: str,
        env: Mapping[str, str],
        keyboard: bool = False,
        terminal: tuple[int, int] | None = None,
        state: bool = False,
        errors: bool = False,
        detached: str = "",
        confinement: Confinement | None = None,
    ) -> Child:
        """Start *argv* in *cwd* with exactly the variables of *env*; it has begun when this returns.

        With *keyboard* its standard input is a pipe, else it reads nothing. *terminal* (rows, columns)
        makes a terminal of output and input. *state* gives it descriptor 9 to write to, read as
        `Child.state`, *errors* a pipe of its own for standard error. *detached* is a file for its output;
        it is then left alone by `close` and by our end. *confinement* is what it and all that it starts
        may touch. Raises `UsageError` for a program or directory that isn't there or too much of it,
        `HandiworkError` where it can't be confined.
        """
        if self._closed:
            raise _closed()
        program = Program(argv, cwd, env, keyboard, terminal, state, errors, detached, confinement)
        child = Child(begin(program))
        with self._lock:
            late = self._closed
            if not late and not detached:
                self._children.add(child)
        if late:  # close() came while it was being born
            child.kill()
            child.release()
            raise _closed()
        return child

    def forget(self, child: Child) -> None:
        """The child has ended and everything of it was read."""
        with self._lock:
            self._children.discard(child)
        child.release()

    def close(self) -> None:
        """End all children and everything they started; start none again."""
        if os.getpid() != self._owner:
            return  # a fork of the process that started them
        with self._lock:
            self._closed, children = True, tuple(self._children)
        for child in children:
            child.terminate()
        deadline = time.monotonic() + GRACE_S
        waiting = [child for child in children if not child.wait_gone(deadline - time.monotonic())]
        for child in waiting:
            child.send_signal(signal.SIGKILL)
        deadline = time.monotonic() + GRACE_S
        for child in waiting:
            child.wait_gone(deadline - time.monotonic())


def _close_all() -> None:
    """What nobody has closed is asked to end, too, before it is ended with us."""
    for nursery in tuple(_NURSERIES):
        nursery.close()


atexit.register(_close_all)
