"""Connections to addresses that were judged: a name is resolved once, and what was judged is what is connected to."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, TypeAlias

import httpcore

from ...core.types import Doorkeeper

Resolver: TypeAlias = Callable[[str, int], Awaitable[list[str]]]
_MOST_TRIED = 4


async def resolved(host: str, port: int) -> list[str]:
    """The addresses of *host*, in the order in which to try them. Raises `OSError`."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(place[0]).partition("%")[0] for *_, place in found))


class PinnedBackend(httpcore.AsyncNetworkBackend):
    """Connects to a host only where *doorkeeper* takes every address behind its name.

    TLS and the `Host` header keep the name, which is what certificates are checked against. A connection that is
    kept for later requests stays with the address that it was made to.
    """

    def __init__(self, doorkeeper: Doorkeeper, resolve: Resolver = resolved) -> None:
        self._doorkeeper, self._resolve = doorkeeper, resolve
        self._network = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 (the library's signature)
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """A connection to the first of the host's addresses that answers."""
        addresses = await self.addresses(host, port)
        failed: httpcore.ConnectError | httpcore.ConnectTimeout | None = None
        for address in addresses[:_MOST_TRIED]:
            try:
                return await self._network.connect_tcp(
                    address, port, timeout=timeout, local_address=local_address, socket_options=socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:  # the next address may answer
                failed = error
        raise failed or httpcore.ConnectError(f"{host} has no address")

    async def addresses(self, host: str, port: int) -> list[str]:
        """The addresses behind *host*, all of them judged. Raises `httpcore.ConnectError`."""
        try:
            found = await self._resolve(host, port)
        except (OSError, UnicodeError) as error:
            raise httpcore.ConnectError(f"{host} has no address: {error}") from error
        for address in found:
            if why := self._doorkeeper.why_not_address(host, port, address):
                raise httpcore.ConnectError(f"not allowed: {host} leads to {address}: {why}")
        return found

    async def connect_unix_socket(self, *_: Any, **__: Any) -> httpcore.AsyncNetworkStream:
        """Never: a socket of this machine isn't the web."""
        raise httpcore.ConnectError("not allowed: a Unix socket")

    async def sleep(self, seconds: float) -> None:
        """For the library's own waiting."""
        await self._network.sleep(seconds)
