"""What is kept of a login: a file a server, for its owner alone, and one process at a time that renews it."""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import json
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, fields
from typing import Any

_VERSION = 1
_LOCK_S = 20.0
_LOCK_STEP_S = 0.02


@dataclass(slots=True)
class Kept:
    """Of one resource at one issuer. `expires_at` is in seconds since 1970, None for never.

    `tokens`, `client`, `metadata` and `resource_metadata` are as the protocol has them; `approved` are the
    origins that the person agreed to log in at; `wanted_scope` is what the next login should also ask for.
    """

    resource: str = ""
    issuer: str = ""
    tokens: dict[str, Any] | None = None
    expires_at: float | None = None
    client: dict[str, Any] | None = None
    metadata: dict[str, Any] | None = None
    resource_metadata: dict[str, Any] | None = None
    approved: list[str] = field(default_factory=list)
    wanted_scope: str = ""


def folder_of(home: str) -> str:
    """Where the logins of a home are kept; "" keeps none."""
    return os.path.join(home, "mcp", "logins") if home else ""


class LoginFile:
    """The file of one resource, named by a hash of it; the issuer stands in it. *folder* "" keeps nothing.

    What an issuer gave is only used with that issuer: the SDK drops it where the server names another.
    """

    def __init__(self, folder: str, resource: str) -> None:
        name = hashlib.sha256(resource.encode("utf-8", "surrogatepass")).hexdigest()
        self.path = os.path.join(folder, f"{name}.json") if folder else ""
        self._resource = resource
        self._in_memory = Kept(resource)

    def load(self) -> Kept:
        """What is kept now; nothing where the file is damaged or not this resource's."""
        if not self.path:
            return self._in_memory
        try:
            with open(self.path, encoding="utf-8") as file:
                said = json.load(file)
            if said.pop("version") != _VERSION or said["resource"] != self._resource:
                return Kept(self._resource)
            return Kept(**said)
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return Kept(self._resource)

    def save(self, kept: Kept) -> None:
        """Keep it in place of what was there."""
        if not self.path:
            self._in_memory = kept
            return
        os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
        temporary = f"{self.path}.{os.getpid()}"
        said = {"version": _VERSION, **{f.name: getattr(kept, f.name) for f in fields(kept)}}
        with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            json.dump(said, file, ensure_ascii=True, indent=1)
        os.replace(temporary, self.path)

    def forget(self) -> bool:
        """Log out, as far as this machine is concerned; False where nobody was logged in."""
        was_there = self.load().tokens is not None
        if self.path and os.path.lexists(self.path):
            os.unlink(self.path)
        self._in_memory = Kept(self._resource)
        return was_there

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """No other process, and no other call here, renews this login meanwhile. Raises `TimeoutError`."""
        if not self.path:
            yield
            return
        os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
        lock = os.open(f"{self.path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            async with asyncio.timeout(_LOCK_S):
                while not _taken(lock):  # noqa: ASYNC110 - other processes hold it
                    await asyncio.sleep(_LOCK_STEP_S)
            yield
        finally:
            os.close(lock)


def _taken(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def expiry_of(tokens: dict[str, Any]) -> float | None:
    """When an access token that was just given ends."""
    lasts = tokens.get("expires_in")
    return time.time() + lasts if isinstance(lasts, (int, float)) else None
