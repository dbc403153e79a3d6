"""An approver that has a limited time to answer: after that it is a no."""

from __future__ import annotations

from collections.abc import Awaitable
from functools import partial
from typing import Any

from ..core.loading import Late
from ..core.types import Answer, Approver, Ask, Ready
from .workers import HandlerTimeoutError, Workers

asyncio = Late("asyncio")


class InTime:
    """Asks *approver*, a function or a coroutine, and waits at most *seconds*."""

    def __init__(self, approver: Approver, seconds: float) -> None:
        self._approver, self._seconds = approver, seconds

    def __call__(self, ready: Ready, ask: Ask, /) -> Any:
        """What the approver says in time."""
        # Workers of its own: one that hangs must not hold the next question.
        try:
            said = Workers().run(partial(self._approver, ready, ask), timeout_s=self._seconds, name="approver")
        except HandlerTimeoutError:
            return self._too_late()
        return self._awaited(said) if hasattr(said, "__await__") else said

    async def _awaited(self, said: Awaitable[Any]) -> Any:
        try:
            return await asyncio.wait_for(said, self._seconds)
        except TimeoutError:
            return self._too_late()

    def _too_late(self) -> Answer:
        return Answer(False, note=f"nobody answered within {self._seconds:g} s")
