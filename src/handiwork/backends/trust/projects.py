"""Folders of a project that would run code: read only as the person trusted them, bound to all that they hold."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .contents import Contents, contents_of
from .ledger import Ledger

_MADE = frozenset({"__pycache__"})  # made by running, and never read for a project


@dataclass(frozen=True, slots=True)
class ProjectTrust:
    """What the person of a *home* trusts of projects: folders with all that is in them."""

    home: str

    @property
    def ledger(self) -> Ledger:
        """Where it is written down."""
        return Ledger(Path(self.home, "projects-trust.json"))

    def folder(self, path: str) -> Contents:
        """What lies in a folder. Raises `UsageError` for links that lead out of it, and for too much."""
        return contents_of(Path(path), "folder", without=_MADE)

    def holds(self, contents: Contents) -> bool:
        """Whether a folder is trusted as it is."""
        return contents.digest in self.ledger.holds()[0]

    def trust(self, contents: Contents) -> None:
        """Trust a folder as it is. Raises `UsageError` where that can't be written down."""
        self.ledger.add("trusted", contents.digest, str(contents.folder))
