"""The one helper process that all children come from: started by the first command, kept for life."""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
import sys
import threading
import time
from pathlib import Path

from ....core.errors import HandiworkError
from .spawning.order import ATTACHED, DETACHED, HELLO, SOCKET_FD

MAX_IDLE = 8
# A program is loaded in milliseconds; a helper that doesn't answer for so long was stopped. Seconds.
ANSWER_S = 30.0
_LEAVE_S = 2.0
_TRIES = 3
# What Python itself may need; our keys are no business of the helper's.
_KEPT_VARIABLES = ("PATH", "LD_LIBRARY_PATH", "LANG", "LC_ALL", "LC_CTYPE")
_BEGIN = "import sys; sys.path.append(sys.argv[1]); from spawning.server import main; main()"


class Keeper:
    """Our side of a process that starts one program at a time and ends its tree.

    One that is `detached` lets the tree outlive us, and isn't used again.
    """

    def __init__(self, socket_: socket.socket, *, detached: bool) -> None:
        self.socket, self.detached = socket_, detached
        socket_.settimeout(ANSWER_S)

    def tell(self, number: int) -> bool:
        """Pass a signal on to the whole tree; False when the keeper is dead, and its tree with it."""
        try:
            self.socket.send(bytes([number]))
        except OSError:
            return False
        return True

    def is_waiting(self) -> bool:
        """Whether it lives and has said nothing; one that ended has closed its side."""
        self.socket.setblocking(False)
        try:
            self.socket.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            self.socket.settimeout(ANSWER_S)
            return True
        except ConnectionError:
            return False
        return False

    def part(self) -> None:
        """Let it see an end, upon which it ends its tree: a fork of this process may hold the socket, too."""
        with contextlib.suppress(OSError):  # it is gone already
            self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()


class Spawner:
    """Hands out keepers. Those that come back are used again. Thread-safe; a fork of this process starts anew."""

    def __init__(self) -> None:
        self._start_anew()
        os.register_at_fork(after_in_child=self._start_anew)

    def _start_anew(self) -> None:
        self._lock = threading.Lock()
        self._helper = 0
        self._socket: socket.socket | None = None
        self._idle: list[Keeper] = []

    def borrow(self, *, detached: bool = False) -> Keeper:
        """A keeper that is free; give it back when nothing of its tree is left."""
        with self._lock:
            while self._idle and not detached:
                keeper = self._idle.pop()
                if keeper.is_waiting():
                    return keeper
                keeper.part()
        return Keeper(self._new(DETACHED if detached else ATTACHED), detached=detached)

    def give_back(self, keeper: Keeper) -> None:
        """The keeper has nothing to do any more, or is dead."""
        with self._lock:
            wanted = not keeper.detached and len(self._idle) < MAX_IDLE and self._socket is not None
            if wanted and keeper.is_waiting():
                self._idle.append(keeper)
                return
        keeper.part()

    def close(self) -> None:
        """End the helper, the keepers, and all that they started; a later command starts anew.

        The end of this process does the same, without being waited for.
        """
        with self._lock:
            idle, self._idle = self._idle, []
            helper, ours, self._helper, self._socket = self._helper, self._socket, 0, None
        for keeper in idle:
            keeper.part()
        if ours is not None:
            ours.close()
            _collect(helper, _LEAVE_S)

    def _new(self, kind: bytes) -> socket.socket:
        """A fresh keeper; a helper that was ended is replaced, since it had nothing to start yet."""
        for _ in range(_TRIES):
            ours, theirs = socket.socketpair()
            ours.settimeout(ANSWER_S)
            try:
                sent = self._hand_on(kind, theirs)
                theirs.close()
                if sent and _says_hello(ours):
                    return ours
                ours.close()
            except BaseException:
                ours.close()
                theirs.close()
                raise
        raise HandiworkError(
            "the process that starts commands ends as soon as it is started",
            "see whether something ends processes here, then run the command again",
        )

    def _hand_on(self, kind: bytes, theirs: socket.socket) -> bool:
        """Have the helper fork a keeper for *theirs*; False when the helper is dead."""
        with self._lock:
            helper = self._socket or self._start()
            try:
                socket.send_fds(helper, [kind], [theirs.fileno()])
            except (BrokenPipeError, ConnectionResetError):
                helper.close()
                self._socket = None
                _collect(self._helper, _LEAVE_S)
                return False
        return True

    def _start(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        try:
            self._helper = _start_helper(theirs.fileno())
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        self._socket = ours
        return ours


SPAWNER = Spawner()


def _start_helper(theirs: int) -> int:
    """The process id of a new helper, without forking this process, whose other threads may hold locks."""
    if not sys.executable:
        raise HandiworkError("there is no Python interpreter to start commands with", "set sys.executable to one")
    given = fcntl.fcntl(theirs, fcntl.F_DUPFD_CLOEXEC, SOCKET_FD + 1)  # so that the next line moves it
    nowhere = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in range(3)]
    try:
        return os.posix_spawn(
            sys.executable,
            [sys.executable, "-I", "-S", "-c", _BEGIN, str(Path(__file__).parent)],
            {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ},
            file_actions=[*nowhere, (os.POSIX_SPAWN_DUP2, given, SOCKET_FD)],
            setsid=True,
            setsigmask=(),  # a thread that blocks signals would hand that on
        )
    finally:
        os.close(given)


def _says_hello(keeper: socket.socket) -> bool:
    """Wait for a new keeper's first byte; False when its helper died over it. Raises why there is none."""
    try:
        hello = keeper.recv(200)
    except TimeoutError:
        raise HandiworkError(
            "the process that starts commands doesn't answer", "see whether it was stopped (ps: hw-spawner)"
        ) from None
    except ConnectionResetError:
        return False
    if hello not in (HELLO, b""):
        text = hello.decode("utf-8", "replace")
        raise HandiworkError(f"no process can be started: {text}", "end some, or raise the limit (ulimit -u)")
    return hello == HELLO


def _collect(pid: int, timeout_s: float) -> None:
    """Wait for the helper's end, unless somebody else in this process has collected it."""
    deadline = time.monotonic() + timeout_s
    try:
        while os.waitpid(pid, os.WNOHANG)[0] == 0:
            if time.monotonic() > deadline:
                return
            time.sleep(0.002)
    except ChildProcessError:
        return
