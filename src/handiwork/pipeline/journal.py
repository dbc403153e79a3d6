"""The journal seam: an effect's intent is written before it, what came of it after."""

from __future__ import annotations

from ..core.types import Outcome, Ready


class NullJournal:
    """Writes nothing. For houses without sessions."""

    def intent(self, ready: Ready, /) -> None:
        """Nothing to remember."""

    def outcome(self, ready: Ready, outcome: Outcome, /) -> None:
        """Nothing to remember."""


NULL_JOURNAL = NullJournal()
