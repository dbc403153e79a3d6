"""Send a request to the document's server, and give its answer as the result of a tool."""

from __future__ import annotations

import json
import threading
from typing import Any

from ...core.loading import Late
from ...core.types import Artifact, Done, Label
from ...core.wire import dumps, tool_error
from .requests import Request

httpx = Late("httpx")
MOST_BYTES = 10 << 20
TIMEOUT_S = 30.0
_MOST_SAID = 4_000


class Exchange:
    """One client for all tools of a toolset. It follows no redirects: the host is the document's."""

    def __init__(self, client: Any = None) -> None:
        self._client, self._lock = client, threading.Lock()

    def send(self, request: Request) -> Done:
        """The answer; what a server says of a failure is an error with its status."""
        try:
            with self._open().stream(
                request.method, request.url, headers=request.headers, content=request.body, follow_redirects=False
            ) as response:
                data = _read(response)
        except httpx.HTTPError as error:
            said = f"{request.method} {request.shown}: {type(error).__name__}: {error}".rstrip(": ")
            return Done(tool_error(said), is_error=True)
        host = httpx.URL(request.shown).host
        return _done(request, response, data, (Label("outside", host),))

    def _open(self) -> Any:
        with self._lock:
            if self._client is None:
                self._client = httpx.Client(timeout=TIMEOUT_S)
            return self._client


def _read(response: Any) -> bytes | None:
    """What the server sent; None where it doesn't end in time."""
    parts, size = [], 0
    for part in response.iter_bytes():
        size += len(part)
        if size > MOST_BYTES:
            return None
        parts.append(part)
    return b"".join(parts)


def _done(request: Request, response: Any, data: bytes | None, labels: tuple[Label, ...]) -> Done:
    status = response.status_code
    if data is None:
        said = f"{request.method} {request.shown} answered with more than {MOST_BYTES >> 20} MB"
        return Done(tool_error(said, status=status), labels, is_error=True)
    if response.is_redirect:
        target = str(response.headers.get("location", ""))
        said = f"{request.method} {request.shown} is redirected to {target}, which isn't followed"
        return Done(tool_error(said, status=status), labels, is_error=True)
    if response.is_error:
        said = f"{request.method} {request.shown} answered {status} {response.reason_phrase}".rstrip()
        body = data.decode(response.encoding or "utf-8", "replace")[:_MOST_SAID]
        return Done(tool_error(said, status=status, body=_parsed(body)), labels, is_error=True)
    return _answer(response, data, labels)


def _answer(response: Any, data: bytes, labels: tuple[Label, ...]) -> Done:
    kind = str(response.headers.get("content-type", "")).partition(";")[0].strip().lower()
    if not data:
        return Done(dumps({"status": response.status_code}), labels)
    if kind.startswith(("image/", "audio/", "video/")) or kind in ("application/pdf", "application/octet-stream"):
        described = dumps({"attachment": {"mime": kind, "bytes": len(data)}})
        return Done(described, labels, (Artifact(kind, data),))
    return Done(data.decode(response.encoding or "utf-8", "replace"), labels)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
