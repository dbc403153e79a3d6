"""A client that is opened by its first request: most runs fetch nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from ...core.loading import load
from ...core.types import Doorkeeper, Http, HttpReply

CLIENT = "handiwork.backends.http.client:GuardedHttp"
TRANSPORT = "handiwork.backends.http.transport:GuardedTransport"


class LateHttp:
    """Stands for the client (core.types `Http`) with the doorkeeper that *find* gives."""

    def __init__(self, find: Callable[[], Doorkeeper]) -> None:
        self._find = find

    @cached_property
    def _real(self) -> Http:
        client: Http = load(CLIENT)(self._find())
        return client

    async def request(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        timeout_s: float = 30.0,
        max_bytes: int = 10 << 20,
        redirects: int = 5,
    ) -> HttpReply:
        """One exchange, redirects followed. Raises `FetchError`."""
        return await self._real.request(
            method,
            url,
            headers=headers,
            body=body,
            timeout_s=timeout_s,
            max_bytes=max_bytes,
            redirects=redirects,
        )

    def transport(self) -> Any:
        """A transport for an `httpx.AsyncClient` of somebody else's, with the same doorkeeper."""
        return load(TRANSPORT)(self._find())
