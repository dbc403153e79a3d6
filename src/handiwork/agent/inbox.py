"""What is said to an agent while it works."""

from __future__ import annotations

from collections import deque


class Inbox:
    """Messages in the order in which they came, from whatever threads, until somebody takes them."""

    def __init__(self) -> None:
        self._said: deque[str] = deque()

    def put(self, text: str) -> None:
        """A message came. An empty one is none."""
        if text.strip():
            self._said.append(text)

    def take(self) -> str | None:
        """The next message; None where there is none."""
        try:
            return self._said.popleft()
        except IndexError:
            return None

    def take_all(self) -> list[str]:
        """All that is there."""
        return list(iter(self.take, None))
