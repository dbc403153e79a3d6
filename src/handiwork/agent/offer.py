"""The tools a session shows its model: a list that only ever loses and gains at the end.

Providers cache prompts by their first bytes, so a tool that comes or changes must not move the others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Definition = Mapping[str, Any]


class Offer:
    """Keeps the order of *supply*'s first answer; what is new is appended in one sorted block."""

    def __init__(self, supply: Callable[[], Sequence[Definition]]) -> None:
        self._supply = supply
        self._shown: list[Definition] = []

    def renew(self) -> list[Definition]:
        """The definitions for the next model call: gone and changed ones leave, new ones follow the rest."""
        fresh = {_name(d): d for d in self._supply()}
        kept = [d for d in self._shown if fresh.get(_name(d)) == d]
        known = {_name(d) for d in kept}
        self._shown = kept + [d for name, d in sorted(fresh.items()) if name not in known]
        return self._shown

    def names(self) -> frozenset[str]:
        """The names of what was last shown."""
        return frozenset(map(_name, self._shown))


def _name(definition: Definition) -> str:
    name: str = definition["function"]["name"]
    return name
