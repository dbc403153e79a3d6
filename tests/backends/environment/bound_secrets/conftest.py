"""A host over TLS that answers with what it heard, and an environment whose commands have a secret for it."""

from __future__ import annotations

import secrets
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
import trustme

from handiwork.backends.environment import table
from handiwork.backends.environment.local import LocalEnvironment
from handiwork.backends.environment.sandboxes.sandboxed import SandboxEnvironment
from handiwork.backends.environment.sandboxes.territory import Person
from handiwork.backends.environment.secrets.tap import Tap
from handiwork.backends.environment.secrets.vault import Held, held
from handiwork.backends.environment.shell import ShellEnvironment
from handiwork.core.secrets import Secret
from handiwork.core.types import SandboxPolicy

BOUND, OTHER = "api.example.com", "elsewhere.example.net"


@dataclass
class Echo:
    """Hears requests over TLS in the name of some hosts, and answers each with its own text."""

    listener: socket.socket
    context: ssl.SSLContext
    heard: list[bytes] = field(default_factory=list)

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
            threading.Thread(target=self._talk, args=(client,), daemon=True).start()

    def _talk(self, client: socket.socket) -> None:
        client.settimeout(10)
        try:
            with self.context.wrap_socket(client, server_side=True) as secure:
                while request := _request(secure):
                    self.heard.append(request)
                    head = f"HTTP/1.1 200 OK\r\nX-Echo: yes\r\nContent-Length: {len(request)}\r\n\r\n"
                    secure.sendall(head.encode() + request)
        except OSError:
            client.close()


def _request(client: ssl.SSLSocket) -> bytes:
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
    return data[: len(head) + 4] + body


@pytest.fixture
def echo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Echo]:
    """This process believes that host, and finds both names on loopback."""
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(BOUND, OTHER, "localhost").configure_cert(context)
    bundle = tmp_path / "authority.pem"
    authority.cert_pem.write_to_path(str(bundle))
    monkeypatch.setenv("SSL_CERT_FILE", str(bundle))
    real = socket.getaddrinfo
    monkeypatch.setattr(
        socket, "getaddrinfo", lambda host, *a, **k: real("127.0.0.1" if host in (BOUND, OTHER) else host, *a, **k)
    )
    server = Echo(socket.create_server(("127.0.0.1", 0)), context)
    threading.Thread(target=server.run, daemon=True).start()
    yield server
    server.listener.shutdown(socket.SHUT_RDWR)
    server.listener.close()


@pytest.fixture
def canary() -> str:
    return "canary" + secrets.token_hex(16)


@pytest.fixture
def secret(echo: Echo, canary: str, monkeypatch: pytest.MonkeyPatch) -> Held:
    """`API_TOKEN`, for the bound host alone."""
    monkeypatch.setenv("REAL_API_TOKEN", canary)
    return held(Secret("API_TOKEN", "env", "REAL_API_TOKEN", (f"{BOUND}:{echo.port}", f"localhost:{echo.port}")))


@pytest.fixture
def open_with(person: Person, tmp_path: Path) -> Iterator[Callable[..., ShellEnvironment]]:
    """Opens a place by its name with secrets."""
    opened: list[ShellEnvironment] = []

    def open_one(name: str, *known: Held, **policy: Any) -> ShellEnvironment:
        tap = Tap(known)
        if name == "local":
            place: ShellEnvironment = LocalEnvironment(tmp_path / "results", tap=tap)
        else:
            if problem := table.why_not(name):
                pytest.skip(problem)
            hidden = tuple(one.file for one in known if one.file)
            kept = replace(SandboxPolicy(**policy), hidden=hidden)
            place = SandboxEnvironment(table.LAUNCHERS[name](kept, person, tap), tmp_path / "results")
        opened.append(place)
        return place

    yield open_one
    for place in opened:
        place.close()
