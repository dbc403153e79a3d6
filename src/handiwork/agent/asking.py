"""One person, several agents: whoever says yes is asked one thing at a time."""

from __future__ import annotations

import threading
from typing import Any

from ..core.handler import accepted_keywords, call_handler
from ..core.types import EMPTY_SCOPE, Approver, Args, Ask, Handler, Ready, Scope


class InTurn:
    """An approver for agents that work side by side. For one that was stopped while it waited, nobody is asked.

    An approver that is a coroutine may be asked several things at once: it can tell them apart.
    """

    def __init__(self, approver: Approver) -> None:
        self._approver, self._lock = approver, threading.Lock()

    def __call__(self, ready: Ready, ask: Ask, /) -> Any:
        """What the person says."""
        with self._lock:
            stopped = ready.call.scope.cancel
            return False if stopped and stopped.is_set() else self._approver(ready, ask)


ASKS_PERSON = "clarify"


def heeded(clarify: Handler) -> Handler:
    """A handler of `clarify` whose answers count as the person's words."""

    def ask(args: Args, /, *, scope: Scope = EMPTY_SCOPE, **given: Any) -> Any:
        return _heeded(call_handler(clarify, accepted_keywords(clarify), args, {"scope": scope, **given}), scope)

    return ask


def _heeded(said: Any, scope: Scope) -> Any:
    if hasattr(said, "__await__"):
        return _awaited(said, scope)
    if scope.origins and isinstance(said, dict) and isinstance(said.get("answer"), str):
        scope.origins.trust(said["answer"])
    return said


async def _awaited(said: Any, scope: Scope) -> Any:
    return _heeded(await said, scope)
