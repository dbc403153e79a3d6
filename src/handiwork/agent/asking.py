"""One person, several agents: whoever says yes is asked one thing at a time."""

from __future__ import annotations

import threading
from typing import Any

from ..core.types import Approver, Ask, Ready


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
