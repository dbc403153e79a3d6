"""Which files a person has agreed to: each under its own path, by the hash of what it said then.

The same text in another place may do something else: it names what lies beside it.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from handiwork.core.errors import UsageError

from .record import Record


def digest_of(content: bytes) -> str:
    """What an agreement is bound to."""
    return hashlib.sha256(content).hexdigest()


@dataclass(frozen=True, slots=True)
class AgreedFiles:
    """The agreements at `path`. A record that is damaged, or can't be read, agrees to nothing."""

    path: str

    def holds(self, file: str, digest: str) -> bool:
        """Whether the person agreed to what *file* says now."""
        return self._files().get(os.path.realpath(file)) == digest

    def knows(self, file: str) -> bool:
        """Whether the person agreed to some content of *file*."""
        return os.path.realpath(file) in self._files()

    def add(self, file: str, digest: str) -> None:
        """The person agrees to what *file* says now. Raises `UsageError` where that can't be written."""
        agreed = {os.path.realpath(file): digest}
        Record(Path(self.path)).change(lambda said: {"files": {**_files_in(said), **agreed}})

    def _files(self) -> dict[str, Any]:
        try:
            return _files_in(Record(Path(self.path)).read())
        except UsageError:  # whoever wants to agree to something is told why it can't be
            return {}


def _files_in(said: dict[str, Any]) -> dict[str, Any]:
    files = said.get("files")
    return files if isinstance(files, dict) else {}
