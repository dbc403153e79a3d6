"""From a sandbox without a network to the proxy outside: the sandbox hands its listener out."""

from __future__ import annotations

import os
import shutil
import socket
import sys
import threading
from collections import deque
from typing import TYPE_CHECKING

from ....core.hosts import allow_list
from ....core.types import Network
from .proxy import Proxy

if TYPE_CHECKING:
    from ..secrets.tap import Tap

PORT = 3128
MAX_LISTENERS = 64
_POLITE_S = 2.0
# Where the sandbox finds our socket.
INSIDE, BUNDLE_INSIDE = "/dev/handiwork-proxy", "/dev/handiwork-authorities.pem"
# Runs inside before the command: a listener made there accepts what is connected to there, but it is
# this process that takes the connections. Nothing has to run in the sandbox beside the command.
_ENTER = f"""\
import os, socket, sys
with socket.socket() as here, socket.socket(socket.AF_UNIX) as there:
    here.bind(("127.0.0.1", {PORT}))
    here.listen(64)
    there.connect({INSIDE!r})
    socket.send_fds(there, [b"l"], [here.fileno()])
    there.recv(1)
os.execv(sys.argv[1], sys.argv[1:])
"""


class Gateway:
    """Takes listeners through the Unix socket *path* and has *proxy* serve them."""

    def __init__(self, path: str, proxy: Proxy) -> None:
        self.path, self._proxy = path, proxy
        self._served: deque[socket.socket] = deque()
        self._door = socket.socket(socket.AF_UNIX)
        self._door.bind(path)
        self._door.listen(16)
        threading.Thread(target=self._take, name="sandbox-gateway", daemon=True).start()

    def close(self) -> None:
        """Take no more listeners."""
        self._door.shutdown(socket.SHUT_RDWR)
        self._door.close()

    def _take(self) -> None:
        while True:
            try:
                visitor, _ = self._door.accept()
            except OSError:  # closed
                return
            try:
                with visitor:
                    self._welcome(visitor)
            except OSError:  # a visitor that says nothing, or hands out no socket: it gets nothing
                continue

    def _welcome(self, visitor: socket.socket) -> None:
        visitor.settimeout(_POLITE_S)
        _, descriptors, _, _ = socket.recv_fds(visitor, 1, 1)
        for number in descriptors:
            listener = socket.socket(fileno=number)
            self._served.append(listener)
            self._proxy.serve(listener)
        if len(self._served) > MAX_LISTENERS:  # the sandbox of the oldest has most likely ended
            self._proxy.forget(self._served.popleft())
        visitor.send(b"k")


def open_proxy(network: Network, tap: Tap | None) -> tuple[Proxy | None, int]:
    """The proxy on this machine's own loopback and its port, where a list of hosts or a secret needs one."""
    if network == "off" or (network == "on" and tap is None):
        return None, 0
    proxy = Proxy(allow_list(network) if isinstance(network, tuple) else None, tap=tap)
    listener = socket.create_server(("127.0.0.1", 0))
    proxy.serve(listener)
    return proxy, listener.getsockname()[1]


def keep_bundle(folder: str, tap: Tap | None) -> str:
    """The file in *folder* with what commands trust; "" where no secret needs it."""
    if tap is None:
        return ""
    path = os.path.join(folder, "authorities.pem")
    with open(path, "w", encoding="ascii") as file:
        file.write(tap.authority.bundle())
    return path


def entry() -> tuple[str, ...]:
    """The program that runs inside before the command."""
    return (python(), "-I", "-S", "-c", _ENTER)


def python() -> str:
    """A Python that every sandbox sees, else the one that we run in."""
    return shutil.which("python3", path="/usr/bin:/usr/local/bin") or os.path.realpath(sys.executable)


def needs() -> tuple[str, ...]:
    """What must be seen inside for that Python to run."""
    return () if python().startswith("/usr/") else (os.path.dirname(python()), sys.base_prefix)


def proxy_variables(port: int) -> dict[str, str]:
    """The variables by which programs find the proxy; what is local goes without it."""
    url, local = f"http://127.0.0.1:{port}", "localhost,127.0.0.1,::1"
    names = ("http_proxy", "https_proxy", "all_proxy")
    found = {spelt: url for name in names for spelt in (name, name.upper())}
    return {**found, "no_proxy": local, "NO_PROXY": local}
