"""The helper process: forks a keeper for whoever asks, and ends what a killed keeper leaves behind."""

from __future__ import annotations

import gc
import os
import select
import signal
import time
from _socket import socket

from .keeper import keep, receive
from .kernel import adopt
from .order import DETACHED, SOCKET_FD, STATE_FD
from .tree import descendants, end_tree
from .wake import Wake

_LEAVE_AFTER_S = 5.0


class Server:
    """Serves one host until its socket closes."""

    def __init__(self, host: socket, nothing: int) -> None:
        self._host, self._nothing = host, nothing
        self._wake = Wake(signal.SIGCHLD)
        self._attached: set[int] = set()
        self._detached: set[int] = set()
        self._listening = select.poll()
        for descriptor in (host.fileno(), self._wake.fd):
            self._listening.register(descriptor, select.POLLIN)

    def serve(self) -> None:
        """Until the host is gone; then until all keepers are that aren't meant to stay."""
        while True:
            ready = {fd for fd, _ in self._listening.poll()}
            if self._wake.fd in ready:
                self._reap()
            if self._host.fileno() in ready:
                kind, descriptors = receive(self._host)
                if not kind:
                    return self._leave()
                self._fork(kind, descriptors[0])

    def _fork(self, kind: bytes, descriptor: int) -> None:
        """A keeper for the socket that came; where none can be forked, closing the socket tells it."""
        try:
            pid = os.fork()
        except OSError as error:
            os.write(descriptor, str(error.strerror).encode())
        else:
            if pid == 0:
                self._become_keeper(descriptor)
            (self._detached if kind == DETACHED else self._attached).add(pid)
        os.close(descriptor)

    def _become_keeper(self, descriptor: int) -> None:
        """Never returns. A keeper that fails leaves its tree to the helper, which sees its exit code."""
        code = 1
        try:
            self._wake.close()
            self._host.close()
            keep(socket(fileno=descriptor), self._nothing)
            code = 0
        finally:
            os._exit(code)

    def _reap(self) -> None:
        self._wake.take()
        lost = False
        try:
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                lost = lost or ended[1] != 0
                self._attached.discard(ended[0])
                self._detached.discard(ended[0])
        except ChildProcessError:
            lost = False
        if lost:
            self._end_orphans()

    def _end_orphans(self) -> None:
        """What a keeper that was killed had still in its care is ours now."""
        deadline = time.monotonic() + _LEAVE_AFTER_S
        keepers = self._attached | self._detached
        while any(descendants(os.getpid(), keepers)) and time.monotonic() < deadline:
            if end_tree(os.getpid(), keepers):
                return
            time.sleep(0.005)

    def _leave(self) -> None:
        """Tell the keepers, which may not see the end of the host by themselves, and wait for them."""
        for pid in self._attached:
            os.kill(pid, signal.SIGHUP)
        deadline = time.monotonic() + _LEAVE_AFTER_S
        while self._attached and time.monotonic() < deadline:
            self._reap()
            time.sleep(0.002)
        self._end_orphans()


def _close_foreign() -> None:
    """What the host has opened in another way than Python's is open here, too, and would be for the host's life."""
    for name in os.listdir("/proc/self/fd"):
        if int(name) > SOCKET_FD:
            os.closerange(int(name), int(name) + 1)  # no error for the one that listed them


def main() -> None:
    """Run as the helper on the descriptors that the host has put in place."""
    _close_foreign()
    nothing = os.open(os.devnull, os.O_RDONLY)
    while nothing <= STATE_FD:  # so that what a program gets at its own number never lies on another
        nothing = os.dup(nothing)
    host = socket(fileno=SOCKET_FD)
    os.set_inheritable(SOCKET_FD, False)
    host.setblocking(False)
    adopt("hw-spawner")
    gc.disable()
    gc.freeze()
    Server(host, nothing).serve()
    os._exit(0)
