"""Which rules of projects' files a person has trusted: kept in their own home, by the contents of the rules.

A project's files come with it, and a program that an agent starts may write them: what they allow holds only
after a person said so, or where the person's own answer was stored there.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from ..backends.trust.agreed import AgreedFiles, digest_of


@dataclass(frozen=True, slots=True)
class RuleTrust:
    """The record in *home*."""

    home: str

    @property
    def _agreed(self) -> AgreedFiles:
        return AgreedFiles(os.path.join(self.home, "trusted_rules.json"))

    def trusts(self, file: str, allowed: Sequence[str]) -> bool:
        """Whether these rules of *file*, and no others, were trusted."""
        return not allowed or self._agreed.holds(file, _digest(allowed))

    def trust(self, file: str, allowed: Sequence[str]) -> None:
        """Trust these rules of *file* from now on. Raises `UsageError` where that can't be written."""
        self._agreed.add(file, _digest(allowed))


def _digest(allowed: Sequence[str]) -> str:
    return digest_of("\0".join(sorted(allowed)).encode())
