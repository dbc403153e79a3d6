from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import pytest

Answer = Callable[[bytes], Iterable[bytes]]


@dataclass
class Served:
    """A loopback server that sends what `answer` yields, and remembers what it was sent, by connection."""

    listener: socket.socket
    answer: Answer
    heard: list[bytes] = field(default_factory=list)
    connections: int = 0

    @property
    def port(self) -> int:
        port: int = self.listener.getsockname()[1]
        return port

    def run(self) -> None:
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._talk, args=(client,), daemon=True).start()

    def _talk(self, client: socket.socket) -> None:
        with client:
            client.settimeout(5)
            try:
                while request := _request(client):
                    self.heard.append(request)
                    for part in self.answer(request):
                        client.sendall(part)
            except OSError:
                return


def _request(client: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        chunk = client.recv(65_536)
        if not chunk:
            return b""
        data += chunk
    head, _, body = data.partition(b"\r\n\r\n")
    length = next((int(x.split(b":")[1]) for x in head.lower().split(b"\r\n") if x.startswith(b"content-length")), 0)
    while len(body) < length:
        body += client.recv(65_536)
    return head + b"\r\n\r\n" + body


@pytest.fixture
def serve() -> Iterator[Callable[[Answer], Served]]:
    opened = []

    def start(answer: Answer) -> Served:
        served = Served(socket.create_server(("127.0.0.1", 0)), answer)
        threading.Thread(target=served.run, daemon=True).start()
        opened.append(served)
        return served

    yield start
    for served in opened:
        served.listener.shutdown(socket.SHUT_RDWR)
        served.listener.close()
