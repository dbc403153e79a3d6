"""At most so many calls of a tool in so many seconds. Copy it to ~/.handiwork/plugins/ and change LIMITS."""

from __future__ import annotations

import threading
import time
from collections import defaultdict, deque

LIMITS = {"web_search": (10, 60.0), "terminal": (120, 60.0)}  # tool -> calls, seconds


class RateLimit:
    """Remembers when each limited tool was last called, and says no to what is too much."""

    def __init__(self, limits=LIMITS, now=time.monotonic):
        self._limits, self._now = limits, now
        self._calls = defaultdict(deque)
        self._lock = threading.Lock()  # calls of one turn may run side by side

    def __call__(self, tool_name):
        if tool_name not in self._limits:
            return None
        most, seconds = self._limits[tool_name]
        with self._lock:
            calls, now = self._calls[tool_name], self._now()
            while calls and calls[0] <= now - seconds:
                calls.popleft()
            if len(calls) < most:
                calls.append(now)
                return None
            wait = calls[0] + seconds - now
        message = f"{tool_name} may be called {most} times in {seconds:g} s; wait {wait:.0f} s, or do something else"
        return {"action": "block", "message": message}


def register(ctx):
    ctx.register_hook("pre_tool_call", RateLimit())
