"""The way out of a sandbox to listed hosts: a small HTTP proxy of ours on this side of the fence."""

from __future__ import annotations

import select
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urlsplit

from ....core.hosts import AllowList, address_of, is_public, plain_host

MAX_CONNECTIONS = 256
_LONGEST_HEAD = 65_536
_HEAD_S = 10.0
_CONNECT_S = 20.0
_IDLE_S = 300.0
_CHUNK = 65_536
_REMEMBERED = 64


@dataclass(frozen=True, slots=True)
class Refused:
    """A connection that wasn't made: when (monotonic seconds), and a sentence that says why."""

    at: float
    reason: str


@dataclass(frozen=True, slots=True)
class Wish:
    """What a client asks for: where to, and what is sent there first (nothing for a tunnel)."""

    host: str
    port: int
    first: bytes = b""


class DeniedError(Exception):
    """Why a wish isn't granted: a status line for the client."""


class Opener(Protocol):
    """Opens the tunnels to some hosts, to change what goes through them; `carry` says why it couldn't, or ""."""

    def wants(self, host: str, port: int) -> bool: ...

    def carry(self, client: socket.socket, server: socket.socket, host: str, port: int) -> str: ...


class Proxy:
    """Serves CONNECT and plain HTTP on the listeners that it is given, for the hosts of *allowed* only (None: all).

    A name is resolved here, once; the address that was checked is the one that is connected to. Tunnels that
    *tap* wants are carried by it, all others as they are.
    """

    def __init__(
        self,
        allowed: AllowList | None,
        resolve: Callable[..., list[tuple[object, ...]]] | None = None,
        tap: Opener | None = None,
    ) -> None:
        self._allowed, self._resolve, self._tap = allowed, resolve or socket.getaddrinfo, tap
        self._listeners: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._places = threading.BoundedSemaphore(MAX_CONNECTIONS)
        self._refused: deque[Refused] = deque(maxlen=_REMEMBERED)

    def refused_since(self, moment: float) -> tuple[str, ...]:
        """What was refused since *moment* (monotonic seconds) and why, each once."""
        return tuple(dict.fromkeys(refused.reason for refused in tuple(self._refused) if refused.at >= moment))

    def serve(self, listener: socket.socket) -> None:
        """Answer whoever connects to *listener*, in threads, until `close`."""
        with self._lock:
            self._listeners.add(listener)
        threading.Thread(target=self._accept, args=(listener,), name="sandbox-proxy", daemon=True).start()

    def forget(self, listener: socket.socket) -> None:
        """Take no more connections from *listener*."""
        with self._lock:
            self._listeners.discard(listener)
        _shut(listener)

    def close(self) -> None:
        """Take no more connections."""
        with self._lock:
            listeners, self._listeners = self._listeners, set()
        for listener in listeners:
            _shut(listener)

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:  # closed, by us or with its namespace
                return
            if not self._places.acquire(blocking=False):
                client.close()
                continue
            threading.Thread(target=self._answer, args=(client,), name="sandbox-proxy-client", daemon=True).start()

    def _answer(self, client: socket.socket) -> None:
        """One connection, from its first line to its end."""
        try:
            with client:
                self._grant(client)
        except OSError:  # either side went away: the other one has been told by the closing
            return
        finally:
            self._places.release()

    def _grant(self, client: socket.socket) -> None:
        client.settimeout(_HEAD_S)
        try:
            head, rest = _read_head(client)
            wish = read_wish(head)
            server = self._connect(wish)
        except DeniedError as denied:
            client.sendall(_reply(str(denied)))
            return
        with server:
            if wish.first:
                server.sendall(wish.first)
            else:
                client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            if not wish.first and self._tap and self._tap.wants(wish.host, wish.port):
                if why := self._tap.carry(client, server, wish.host, wish.port):
                    self._refused.append(Refused(time.monotonic(), f"{wish.host} {why}"))
                return
            server.sendall(rest)
            _relay(client, server)

    def _connect(self, wish: Wish) -> socket.socket:
        if self._allowed is not None and not self._allowed.allows(wish.host, wish.port):
            raise self._refuse(wish, "isn't a listed host")
        try:
            found = self._resolve(wish.host, wish.port, type=socket.SOCK_STREAM)
        except OSError as error:
            raise DeniedError(f"502 {wish.host} has no address: {error.strerror}") from error
        private = self._allowed is None or self._allowed.takes_private(wish.host)
        for family, kind, protocol, _, place in found:
            address = address_of(str(place[0]).partition("%")[0])  # type: ignore[index]
            if not private and (address is None or not is_public(address)):
                raise self._refuse(wish, f"is {address}, no public address, which must be listed as such")
            server = socket.socket(family, kind, protocol)  # type: ignore[arg-type]
            server.settimeout(_CONNECT_S)
            try:
                server.connect(place)  # type: ignore[arg-type]
            except OSError:  # the next address may answer
                server.close()
                continue
            return server
        raise DeniedError(f"502 {wish.host}:{wish.port} doesn't answer")

    def _refuse(self, wish: Wish, reason: str) -> DeniedError:
        host = wish.host if wish.port in (80, 443) else f"{wish.host}:{wish.port}"
        self._refused.append(Refused(time.monotonic(), f"{host} {reason}"))
        return DeniedError(f"403 Forbidden by the sandbox: {host} {reason}")


def _read_head(client: socket.socket) -> tuple[bytes, bytes]:
    """What comes up to the empty line, and what came after it."""
    data = b""
    while b"\r\n\r\n" not in data:
        if len(data) > _LONGEST_HEAD:
            raise DeniedError("431 Too long a head")
        chunk = client.recv(_CHUNK)
        if not chunk:
            raise DeniedError("400 Half a request")
        data += chunk
    head, _, rest = data.partition(b"\r\n\r\n")
    return head, rest


def read_wish(head: bytes) -> Wish:
    """Where a request wants to go. Raises `DeniedError`."""
    line, _, headers = head.partition(b"\r\n")
    words = line.decode("latin-1").split(" ")
    if len(words) != 3 or not words[2].startswith("HTTP/1."):
        raise DeniedError("400 Not a request")
    method, target, _ = words
    try:
        parts = urlsplit(f"//{target}" if method == "CONNECT" else target)
        host, port = plain_host(parts.hostname or ""), parts.port
    except ValueError as error:
        raise DeniedError("400 Not an address") from error
    if not host or (method == "CONNECT" and port is None) or (method != "CONNECT" and parts.scheme != "http"):
        raise DeniedError("400 Not an address that this proxy takes")
    if method == "CONNECT":
        return Wish(host, port or 443)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Wish(host, port or 80, f"{method} {path} {words[2]}\r\n".encode("latin-1") + _onward(headers) + b"\r\n")


def _onward(headers: bytes) -> bytes:
    """The headers for the server: one request a connection, nothing that was meant for us."""
    lines = [line for line in headers.split(b"\r\n") if line]
    kept = [x for x in lines if not x.lower().startswith((b"proxy-", b"connection:", b"keep-alive:"))]
    return b"".join(line + b"\r\n" for line in (*kept, b"Connection: close"))


def _reply(status: str) -> bytes:
    body = f"{status}\n".encode("ascii", "replace")
    head = f"HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    return head.encode("ascii", "replace") + body


def _relay(client: socket.socket, server: socket.socket) -> None:
    """Carry bytes both ways until both have said all, or nothing came for long."""
    other = {client.fileno(): server, server.fileno(): client}
    source = {client.fileno(): client, server.fileno(): server}
    ready = select.poll()
    for number in source:
        ready.register(number, select.POLLIN)
    while source:
        events = ready.poll(_IDLE_S * 1000)
        if not events:
            return
        for number, _ in events:
            chunk = source[number].recv(_CHUNK)
            if chunk:
                other[number].sendall(chunk)
                continue
            other[number].shutdown(socket.SHUT_WR)
            ready.unregister(number)
            del source[number]


def _shut(listener: socket.socket) -> None:
    """Close a listener so that the thread that waits on it wakes up."""
    try:
        listener.shutdown(socket.SHUT_RDWR)
    except OSError:  # its namespace is gone already
        listener.close()
        return
    listener.close()
