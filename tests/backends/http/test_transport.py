from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest

from handiwork.backends.http.late import LateHttp
from handiwork.guard.reach import reach


def test_a_client_of_somebody_elses_is_held_to_the_same(serve: Any) -> None:
    inner = serve(lambda _: [b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\ninner"])
    outer = serve(
        lambda _: [f"HTTP/1.1 302 F\r\nLocation: http://localhost:{inner.port}/\r\nContent-Length: 0\r\n\r\n".encode()]
    )

    async def fetch() -> None:
        late = LateHttp(lambda: reach([f"127.0.0.1:{outer.port}"]))
        async with httpx.AsyncClient(transport=late.transport(), follow_redirects=True) as client:
            await client.get(f"http://127.0.0.1:{outer.port}/")

    with pytest.raises(httpx.ConnectError, match="not allowed"):
        asyncio.run(fetch())
    assert (len(outer.heard), inner.connections) == (1, 0)


def test_the_late_client_fetches(serve: Any) -> None:
    server = serve(lambda _: [b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody"])
    late = LateHttp(lambda: reach([f"localhost:{server.port}"]))
    assert asyncio.run(late.request("GET", f"http://localhost:{server.port}/")).body == b"body"
