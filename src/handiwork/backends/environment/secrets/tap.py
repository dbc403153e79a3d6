"""Where a connection to a bound host is opened: requests get the values of secrets, answers give them back."""

from __future__ import annotations

import importlib
import re
import socket
import ssl
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from ....core.hosts import plain_host
from .authority import CA_VARIABLES, Authority
from .swapping import Swap, swapped_headers, swapped_query
from .vault import Held

_CHUNK = 65_536
_LONGEST_HEAD = 65_536
_IDLE_S, _FAREWELL_S = 300.0, 0.5
_HOST = re.compile(r"(?P<name>\[[^\]]*\]|[^:]*)(?::(?P<port>\d+))?")
_NOT_ONWARD = (b"expect", b"upgrade", b"accept-encoding", b"proxy-connection", b"proxy-authorization")


class Tap:
    """Knows the secrets of one environment, and stands in for the hosts that they go to.

    Only what goes over TLS is opened; whatever else a placeholder goes to gets the placeholder.
    """

    def __init__(self, known: Iterable[Held]) -> None:
        self.known = tuple(known)
        self.authority = Authority()
        self._http = importlib.import_module("h11")

    def wants(self, host: str, port: int) -> bool:
        """Whether some secret goes there."""
        return any(held.goes_to(host, port) for held in self.known)

    def variables(self, bundle: str) -> dict[str, str]:
        """The variables of a command: placeholders, and where *bundle* with the authorities is."""
        trusted = dict.fromkeys(CA_VARIABLES, bundle)
        names = {held.secret.name: held.placeholder for held in self.known}
        return {**trusted, "NODE_USE_ENV_PROXY": "1", **names}

    def carry(self, client: socket.socket, server: socket.socket, host: str, port: int) -> str:
        """Carry requests and answers between both until one of them has enough. Raises `OSError`.

        Where the client speaks no TLS, or doesn't take our certificate, that is said, else "".
        """
        try:
            inner = self.authority.context_for(host).wrap_socket(client, server_side=True)
        except ssl.SSLError as error:
            return f"has a secret here, which goes over TLS alone, and that failed: {error.reason or error}"
        with inner:
            inner.settimeout(_IDLE_S)
            talk = _Talk(self._http, inner, [held for held in self.known if held.goes_to(host, port)], (host, port))
            try:
                outer = self.authority.upstream.wrap_socket(server, server_hostname=host)
            except ssl.SSLError as error:
                talk.refuse(502, f"{host} can't be trusted: {error.reason or error}")
                return ""
            with outer:
                outer.settimeout(_IDLE_S)
                talk.carry(outer)
            _take_leave(inner)
        return ""


class _Talk:
    """One connection, request by request."""

    def __init__(self, http: Any, client: socket.socket, known: list[Held], place: tuple[str, int]) -> None:
        self._http, self._client, self._known, self._place = http, client, known, place
        self._near = http.Connection(http.SERVER, max_incomplete_event_size=_LONGEST_HEAD)

    def carry(self, server: socket.socket) -> None:
        """Carry exchanges until either side closes, or speaks nonsense."""
        http = self._http
        far = http.Connection(http.CLIENT, max_incomplete_event_size=_LONGEST_HEAD)
        try:
            while isinstance(request := self._next(self._near, self._client), http.Request):
                if not self._is_meant(request):
                    self.refuse(421, f"this connection is to {self._place[0]}")
                    return
                back = self._send_on(request, far, server)
                if not self._answer(far, server, back):
                    return
        except (http.RemoteProtocolError, http.LocalProtocolError) as error:
            self.refuse(502, f"not HTTP as it should be: {error}")

    def refuse(self, status: int, why: str) -> None:
        """Tell the client, if nothing was answered yet."""
        http = self._http
        if self._near.our_state is http.IDLE:
            self._next(self._near, self._client)
        if self._near.our_state is not http.SEND_RESPONSE:
            return
        body = f"{why}\n".encode("ascii", "replace")
        headers = [("Content-Type", "text/plain"), ("Content-Length", str(len(body))), ("Connection", "close")]
        for event in (http.Response(status_code=status, headers=headers), http.Data(body), http.EndOfMessage()):
            self._client.sendall(self._near.send(event) or b"")

    def _is_meant(self, request: Any) -> bool:
        """Whether the request is for the host whose certificate was checked: others may share its address."""
        said = [value.decode("latin-1").strip() for name, value in request.headers if name == b"host"]
        found = _HOST.fullmatch(said[0]) if len(said) == 1 else None
        if found is None or not request.target.startswith((b"/", b"*")):
            return False
        return (plain_host(found["name"]), int(found["port"] or 443)) == self._place

    def _send_on(self, request: Any, far: Any, server: socket.socket) -> Swap:
        """Send the request with the values in it. What turns an answer's values back is returned."""
        http = self._http
        tables = {place: self._table(place) for place in ("headers", "query", "body")}
        kept = [(name, value) for name, value in request.headers if name not in _NOT_ONWARD]
        headers, logins = swapped_headers(kept, Swap(tables["headers"]))
        target = swapped_query(request.target, tables["query"])
        headers.append((b"Accept-Encoding", b"identity"))  # an answer that is packed can't be looked through
        body = Swap(tables["body"])
        asked = http.Request(method=request.method, target=target, headers=headers)
        server.sendall(far.send(asked))
        if self._near.they_are_waiting_for_100_continue:
            self._client.sendall(self._near.send(http.InformationalResponse(status_code=100, headers=[])))
        while isinstance(event := self._next(self._near, self._client), http.Data):
            _send(far, server, http.Data(body.feed(bytes(event.data))))
        _send(far, server, http.Data(body.finish()))
        _send(far, server, http.EndOfMessage())
        return Swap({new: old for table in (*tables.values(), logins) for old, new in table.items()})

    def _table(self, place: str) -> dict[bytes, bytes]:
        return {h.placeholder.encode(): h.value.encode() for h in self._known if place in h.secret.places}

    def _answer(self, far: Any, server: socket.socket, back: Swap) -> bool:
        """Hand the answer on, values turned back into placeholders; whether both go on to another request."""
        http = self._http
        while isinstance(event := self._next(far, server), http.InformationalResponse):
            continue
        if not isinstance(event, http.Response):  # closed: the client is told in the same way, and may ask again
            return False
        headers, _ = swapped_headers(event.headers, back)
        handed = http.Response(status_code=event.status_code, headers=headers, reason=event.reason)
        _send(self._near, self._client, handed)
        while isinstance(event := self._next(far, server), http.Data):
            _send(self._near, self._client, http.Data(back.feed(bytes(event.data))))
        _send(self._near, self._client, http.Data(back.finish()))
        _send(self._near, self._client, http.EndOfMessage())
        return self._go_on(far)

    def _go_on(self, far: Any) -> bool:
        http = self._http
        if far.our_state is not http.DONE or far.their_state is not http.DONE or self._near.our_state is not http.DONE:
            return False
        if self._near.their_state is not http.DONE:
            return False
        far.start_next_cycle()
        self._near.start_next_cycle()
        return True

    def _next(self, connection: Any, source: socket.socket) -> Any:
        while (event := connection.next_event()) is self._http.NEED_DATA:
            connection.receive_data(source.recv(_CHUNK))
        return event


def _take_leave(client: ssl.SSLSocket) -> None:
    """Say that nothing was cut off: an answer may have had no other end."""
    client.settimeout(_FAREWELL_S)
    with suppress(OSError, ValueError):  # it went first
        client.unwrap()


def _send(connection: Any, to: socket.socket, event: Any) -> None:
    data = connection.send(event)
    if data:
        to.sendall(data)
