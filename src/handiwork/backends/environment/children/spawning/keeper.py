"""A keeper starts one program at a time and knows no rest until all of its tree is gone."""

from __future__ import annotations

import os
import select
import signal
import time
from _socket import MSG_CMSG_CLOEXEC, SCM_RIGHTS, SOL_SOCKET, socket

from .kernel import adopt
from .launch import Descriptors, Failed, launch
from .order import HELLO, NOTHING_LEFT, START, unpack
from .tree import Process, descendants, end_tree, signal_tree
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
    errors = rest.pop(0) if order.has_errors else output
    begun = launch(order, Descriptors(output, input_, state, errors))
    for descriptor in descriptors[2:]:
        os.close(descriptor)
    watch = Watch(exit_, gone, detached=order.detached)
    if isinstance(begun, Failed):
        watch.end_all()  # a program whose limits couldn't be set may have begun
        watch.until_gone(host, wake)
        _tell(host.fileno(), b"error " + begun.pack() + b"\n")
    else:
        watch.pid = begun
        _tell(host.fileno(), b"pid %d %d\n" % (begun, os.getpid()))
        watch.until_gone(host, wake)


def _exactly(host: socket, size: int) -> bytes:
    whole = bytearray()
    while len(whole) < size:
        piece = host.recv(min(size - len(whole), 1 << 20))
        if not piece:
            raise SystemExit  # the host is gone before anything was started
        whole += piece
    return bytes(whole)


def _tell(descriptor: int, line: bytes) -> bool:
    """Write to the host; False when it isn't there any more, which we also hear from its socket."""
    try:
        os.write(descriptor, line)
    except ConnectionError:
        return False
    return True


class Watch:
    """Over one running program and all that it starts."""

    def __init__(self, exit_: int, gone: int, *, detached: bool) -> None:
        self.pid = 0
        self._exit, self._gone, self._detached = exit_, gone, detached
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
        self._close_exit()
        _tell(self._gone, NOTHING_LEFT)
        os.close(self._gone)

    def end_all(self) -> None:
        """From now on, until nothing is left."""
        self._ending_since = self._ending_since or time.monotonic()

    def _reap(self) -> bool:
        """Collect what has ended; False when there are no children any more."""
        try:
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if not pid:
                    return True
                if pid == self.pid:
                    self._tell_exit(status)
        except ChildProcessError:
            return False

    def _tell_exit(self, status: int) -> None:
        code = os.waitstatus_to_exitcode(status)
        _tell(self._exit, b"%d" % (code if code >= 0 else 128 - code))
        self._close_exit()

    def _close_exit(self) -> None:
        if self._exit >= 0:
            os.close(self._exit)
            self._exit = -1

    def _patience_ms(self) -> float | None:
        """Until the next look; a little more, so that it isn't before that."""
        return max(self._look_at - time.monotonic(), 0) * 1000 + 1 if self._ending_since else None

    def _hear(self, signals: set[int]) -> None:
        if signal.SIGTERM in signals or (signal.SIGHUP in signals and not self._detached):
            self.end_all()

    def _obey(self, host: socket) -> None:
        number, _ = receive(host)
        if not number:
            self._listening.unregister(host)
            if not self._detached:
                self.end_all()
        elif number[0] == signal.SIGKILL:
            self.end_all()
        elif number[0]:
            signal_tree(os.getpid(), number[0])

    def _end(self) -> None:
        """End what there is; named are those of another user, which we may not, and what hangs in the kernel."""
        foreign = end_tree(os.getpid())
        now = time.monotonic()
        late = now - self._ending_since > _NAME_AFTER_S
        self._name(list(descendants(os.getpid())) if late else foreign)
        self._look_at = now + (_SLOWER_S if self._named else _AGAIN_S)

    def _name(self, survivors: list[Process]) -> None:
        for process in survivors:
            if process.pid not in self._named:
                self._named.add(process.pid)
                _tell(self._gone, f"{process.pid} {process.name!r}\n".encode())
