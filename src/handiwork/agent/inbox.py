"""What is said to an agent while it works."""

from __future__ import annotations

from collections import deque


class Inbox:
    """Messages in the order in which they came, from whatever threads, until somebody takes them. One takes."""

    def __init__(self) -> None:
        self._said: deque[str] = deque()

    def put(self, text: str) -> None:
        """A message came. An empty one is none."""
        if text.strip():
            self._said.append(text)

    def first(self) -> str | None:
        """The next message, which stays until it is dropped; None where there is none."""
        return self._said[0] if self._said else None

    def take(self, text: str) -> bool:
        """Take that first message out; False where somebody has taken it back meanwhile."""
        is_there = self.first() is text
        if is_there:
            self._said.popleft()
        return is_there

    def take_all(self) -> list[str]:
        """All that is there."""
        said = []
        while self._said:
            said.append(self._said.popleft())
        return said
