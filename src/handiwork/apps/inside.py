"""The profiles that stand around a house, together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..guard.rules.fences import Fence
    from .profiles import Profile

# Set for commands: an agent that is started by one stands inside the same fences.
PROFILE_VARIABLE = "HANDIWORK_PROFILE"


@dataclass(frozen=True, slots=True)
class Inside:
    """Profiles, from the outermost."""

    profiles: tuple[Profile, ...] = ()

    def __contains__(self, name: str) -> bool:
        return name in self.names

    @property
    def names(self) -> tuple[str, ...]:
        """What they are called."""
        return tuple(profile.fence.name for profile in self.profiles)

    @property
    def fences(self) -> tuple[Fence, ...]:
        """What no call may reach beyond."""
        return tuple(profile.fence for profile in self.profiles)

    @property
    def variables(self) -> dict[str, str]:
        """What commands are told."""
        return {PROFILE_VARIABLE: ",".join(self.names)} if self.profiles else {}

    @property
    def budgets(self) -> dict[str, float]:
        """What they leave of a task's budget: `max_steps`, `max_seconds`, `max_tokens`."""
        found: dict[str, float] = {}
        for profile in self.profiles:
            for key, amount in profile.budgets.items():
                found[key] = min(amount, found.get(key, amount))
        return found

    def around(self, profile: Profile) -> Inside:
        """These, and one more."""
        return Inside((*self.profiles, profile))
