"""The tools a session shows its model: a list that only ever loses and gains at the end.

Providers cache prompts by their first bytes, so a tool that comes or changes must not move the others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..core.wire import name_of_definition

Definition = Mapping[str, Any]


class Offer:
    """Keeps the order of *supply*'s first answer; what is new is appended in the order in which it comes."""

    def __init__(self, supply: Callable[[], Sequence[Definition]]) -> None:
        self._supply = supply
        self._shown: list[Definition] = []

    def renew(self) -> list[Definition]:
        """The definitions for the next model call: gone and changed ones leave, new ones follow the rest."""
        fresh = {name_of_definition(d): d for d in self._supply()}
        kept = [d for d in self._shown if fresh.get(name_of_definition(d)) == d]
        known = {name_of_definition(d) for d in kept}
        self._shown = kept + [d for name, d in fresh.items() if name not in known]
        return self._shown

    def names(self) -> frozenset[str]:
        """The names of what was last shown."""
        return frozenset(map(name_of_definition, self._shown))
