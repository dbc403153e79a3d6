"""Tools that rules or profiles keep from everybody here: they are not shown, since all their calls would be refused."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from ..catalog.gate import Closed
from ..core.loading import Late
from ..core.types import ToolEntry
from .rulebooks import Rulebooks

if TYPE_CHECKING:
    from ..guard.rules.fences import Fence
    from ..guard.rules.rulebook import Rulebook

rulebook = Late("handiwork.guard.rules.rulebook")
Fences = tuple["Fence", ...]


class Denials:
    """What holds now, as the supply asks it: by the rules of the person and of the *project*, and by the profiles."""

    def __init__(self, rules: Rulebooks | None, fences: Callable[[], Fences], project: Callable[[], str]) -> None:
        self._rules, self._fences, self._project = rules, fences, project

    def __call__(self) -> Callable[[ToolEntry], Closed | None] | None:
        """What says why a tool is kept back; None where nothing keeps any."""
        project = self._project()
        book = self._rules.book(project) if self._rules and project else None
        fences = tuple(fence for fence in self._fences() if fence.tools is not None or fence.book.deny)
        return partial(_denied, book, fences) if fences or (book and book.deny) else None


def _denied(book: Rulebook | None, fences: Fences, entry: ToolEntry) -> Closed | None:
    for fence in fences:
        if fence.tools is not None and entry.name not in fence.tools:
            fix = f"add {entry.name} to profiles.{fence.name}.tools in config.yaml, or choose another profile"
            return Closed(f"the profile {fence.name} leaves it out", fix)
        if rule := rulebook.denial_of(fence.book, entry):
            fix = f"take {rule.text} out of profiles.{fence.name}.policy.deny in config.yaml, or choose another profile"
            return Closed(f"a rule of the profile {fence.name} denies it: {rule}", fix)
    if book and (rule := rulebook.denial_of(book, entry)):
        return Closed(f"a rule denies it: {rule}", f"handiwork policy remove '{rule.text}' --action deny")
    return None
