"""Which contents the person trusts, and which an agent wrote: by hash, in one file of the home."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from handiwork.core.errors import UsageError

from .record import Record

Kind = Literal["trusted", "by_agent"]


@dataclass(frozen=True, slots=True)
class Ledger:
    """The file at `path`. One that is damaged, or can't be read, trusts nothing."""

    path: Path

    def holds(self) -> tuple[frozenset[str], frozenset[str]]:
        """The hashes that are trusted, and those that an agent wrote."""
        try:
            said = _rows(Record(self.path).read())
        except UsageError:  # whoever wants to trust something is told why it can't be
            return frozenset(), frozenset()
        return frozenset(said["trusted"]), frozenset(said["by_agent"])

    def add(self, kind: Kind, digest: str, name: str) -> None:
        """Note a hash with the name of what it is of. Raises `UsageError` where it can't be written."""
        row = {"name": name, "at": round(time.time())}
        Record(self.path).change(lambda said: {**(rows := _rows(said)), kind: {**rows[kind], digest: row}})


def _rows(said: dict[str, Any]) -> dict[str, Any]:
    rows = {kind: said.get(kind) for kind in ("trusted", "by_agent")}
    return {kind: row if isinstance(row, dict) else {} for kind, row in rows.items()}
