"""A keeper starts one program at a time and knows no rest until all of its tree is gone."""

from __future__ import annotations

import os
import select
import signal
import time
from _socket import MSG_CMSG_CLOEXEC, SCM_RIGHTS, SOL_SOCKET, socket

from .kernel import adopt
from .launch import Descriptors, Failure, launch
from .order import HELLO, START, unpack
from .tree import descendants, end_tree, signal_tree
from .wake import Wake

_ROOM_FOR_DESCRIPTORS = 256
# How often what was killed is looked for again, and after how long it is named. Seconds.
_AGAIN_S = 0.01
_NAME_AFTER_S = 0.5
_SLOWER_S = 0.5


def keep(host: socket, nothing: int) -> None:
    """Serve the orders that come from *host*, one after the other; *nothing* is an input without content.

    Returns once the host is gone and nothing is left of what it started.
    """
    adopt("hw-keeper")
    wake = Wake(signal.SIGCHLD, signal.SIGTERM, signal.SIGHUP)
    host.setblocking(False)
    _tell(host.fileno(), HELLO)
    listening = select.poll()
    listening.register(host, select.POLLIN)
    listening.register(wake.fd, select.POLLIN)
    while True:
        listening.poll()
        if wake.take() - {signal.SIGCHLD}:
            return
        first, descriptors = receive(host)
        if not first:
            return
        if first[0] == START:
            _serve(host, wake, nothing, descriptors)


def receive(host: socket) -> tuple[bytes, list[int]]:
    """One byte with the descriptors that came along; nothing at the end, a zero when nothing is there."""
    try:
        first, extra, _, _ = host.recvmsg(1, _ROOM_FOR_DESCRIPTORS, MSG_CMSG_CLOEXEC)
    except BlockingIOError:
        return b"\0", []
    except ConnectionError:
        return b"", []
    found = [data for level, kind, data in extra if (level, kind) == (SOL_SOCKET, SCM_RIGHTS)]
    return first, [fd for data in found for fd in memoryview(data[: len(data) // 4 * 4]).cast("i")]


def _serve(host: socket, wake: Wake, nothing: int, descriptors: list[int]) -> None:
    host.setblocking(True)
    order = unpack(lambda size: _exactly(host, size))
    host.setblocking(False)
    exit_, gone, output, *rest = descriptors
    input_ = rest.pop(0) if order.has_input else nothing
    state = rest.pop(0) if order.has_state else -1
    begun = launch(order, Descriptors(output, input_, state))
    for descriptor in descriptors[2:]:
        os.close(descriptor)
    if isinstance(begun, Failure):
        _tell(host.fileno(), b"error " + begun.pack() + b"\n")
        os.close(exit_)
        os.close(gone)
        return
    _tell(host.fileno(), b"pid %d %d\n" % (begun, os.getpid()))
    Watch(begun, exit_, gone, detached=order.detached).until_gone(host, wake)


def _exactly(host: socket, size: int) -> bytes:
    whole = bytearray()
    while len(whole) < size:
        piece = host.recv(min(size - len(whole), 1 << 20))
        if not piece:
            raise SystemExit(0)  # the host is gone before anything was started
        whole += piece
    return bytes(whole)


def _tell(descriptor: int, line: bytes) -> bool:
    """Write to the host; False when it isn't there any more, which we also hear from its socket."""
    try:
        os.write(descriptor, line)
    except BrokenPipeError:
        return False
    return True


class Watch:
    """Over one running program and all that it starts."""

    def __init__(self, pid: int, exit_: int, gone: int, *, detached: bool) -> None:
        self._pid, self._exit, self._gone, self._detached = pid, exit_, gone, detached
        self._listening = select.poll()
        # When the end was asked for, and when to look through the tree again; 0 before that.
        self._ending_since = self._look_at = 0.0
        self._named: set[int] = set()

    def until_gone(self, host: socket, wake: Wake) -> None:
        """Reap, pass signals on, and end everything when asked to or when the host is gone."""
        self._listening.register(host, select.POLLIN)
        self._listening.register(wake.fd, select.POLLIN)
        while self._reap():
            ready = {fd for fd, _ in self._listening.poll(self._patience_ms())}
            if wake.fd in ready:
                self._hear(wake.take())
            if host.fileno() in ready:
                self._obey(host)
            if self._ending_since and time.monotonic() >= self._look_at:
                self._end()
        os.close(self._gone)

    def _reap(self) -> bool:
        """Collect what has ended; False when there are no children any more."""
        try:
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if not pid:
                    return True
                if pid == self._pid:
                    self._tell_exit(status)
        except ChildProcessError:
            return False

    def _tell_exit(self, status: int) -> None:
        code = os.waitstatus_to_exitcode(status)
        _tell(self._exit, b"%d" % (code if code >= 0 else 128 - code))
        os.close(self._exit)

    def _patience_ms(self) -> float | None:
        """Until the next look; a little more, so that it isn't before that."""
        return max(self._look_at - time.monotonic(), 0) * 1000 + 1 if self._ending_since else None

    def _hear(self, signals: set[int]) -> None:
        if signal.SIGTERM in signals or (signal.SIGHUP in signals and not self._detached):
            self._begin_to_end()

    def _obey(self, host: socket) -> None:
        number, _ = receive(host)
        if not number:
            self._listening.unregister(host)
            if not self._detached:
                self._begin_to_end()
        elif number[0] == signal.SIGKILL:
            self._begin_to_end()
        elif number[0]:
            signal_tree(os.getpid(), number[0])

    def _begin_to_end(self) -> None:
        self._ending_since = self._ending_since or time.monotonic()

    def _end(self) -> None:
        foreign = end_tree(os.getpid())
        now = time.monotonic()
        if foreign or now - self._ending_since > _NAME_AFTER_S:
            self._name_survivors()
        self._look_at = now + (_SLOWER_S if self._named else _AGAIN_S)

    def _name_survivors(self) -> None:
        """Those of another user, which we may not end, and those that hang in the kernel."""
        for process in descendants(os.getpid()):
            if process.pid not in self._named:
                self._named.add(process.pid)
                _tell(self._gone, f"{process.pid} {process.name!r}\n".encode())
