"""Cancelling: one token a turn, heard by everything that the turn started."""

from __future__ import annotations

import threading
from collections.abc import Callable


class CancelToken:
    """Set once; runs what was registered, at once if it is already set. Thread-safe."""

    __slots__ = ("_callbacks", "_lock", "_set")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._callbacks: dict[object, Callable[[], None]] = {}
        self._set = False

    def is_set(self) -> bool:
        return self._set

    def cancel(self) -> None:
        """Tell everybody. A second time does nothing."""
        with self._lock:
            callbacks = [] if self._set else list(self._callbacks.values())
            self._set = True
            self._callbacks.clear()
        for callback in callbacks:
            callback()

    def on_cancel(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call *callback* when the token is set; the answer takes that back."""
        key = object()
        with self._lock:
            if not self._set:
                self._callbacks[key] = callback
                return lambda: self._forget(key)
        callback()
        return lambda: None

    def _forget(self, key: object) -> None:
        with self._lock:
            self._callbacks.pop(key, None)
