"""Files of a project that would run code: read only as the person trusted them, bound to what they hold."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from handiwork.core.errors import UsageError

from .contents import Contents, contents_of
from .ledger import Ledger

_MADE = frozenset({"__pycache__"})  # made by running, and never read for a project


@dataclass(frozen=True, slots=True)
class ProjectTrust:
    """What the person of a *home* trusts of projects: single files, and folders with all that is in them."""

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

    def trusted_file(self, path: str) -> bytes | None:
        """What a single file holds, if it is trusted as it is; None if it isn't, or isn't there."""
        data = _bytes_of(path)
        return data if data is not None and _digest(path, data) in self.ledger.holds()[0] else None

    def trust_file(self, path: str) -> bytes:
        """Trust a single file as it is; what it holds. Raises `UsageError`."""
        data = _bytes_of(path)
        if data is None:
            raise UsageError(f"can't read {path}", "check that it is there")
        self.ledger.add("trusted", _digest(path, data), path)
        return data


def _bytes_of(path: str) -> bytes | None:
    try:
        return Path(path).read_bytes()
    except OSError:
        return None


def _digest(path: str, data: bytes) -> str:
    """The hash of a file under its own name: the same text under another name may do something else."""
    return hashlib.sha256(Path(path).name.encode() + b"\0" + data).hexdigest()
