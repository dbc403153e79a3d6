"""Which files that name servers a person has agreed to: each by the hash of what it said then."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from typing import Any

_VERSION = 1


def digest_of(content: bytes) -> str:
    """What an agreement is bound to."""
    return hashlib.sha256(content).hexdigest()


@dataclass(frozen=True, slots=True)
class TrustedFiles:
    """A file of file names and hashes, for its owner alone. One that is damaged trusts nothing."""

    path: str

    def holds(self, file: str, digest: str) -> bool:
        """Whether the person agreed to what *file* says now."""
        return self._load().get(os.path.realpath(file)) == digest

    def knows(self, file: str) -> bool:
        """Whether the person agreed to some content of *file*."""
        return os.path.realpath(file) in self._load()

    def add(self, file: str, digest: str) -> None:
        """The person agrees to what *file* says now."""
        said = {"version": _VERSION, "files": {**self._load(), os.path.realpath(file): digest}}
        temporary = f"{self.path}.{os.getpid()}"
        os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
        with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as stream:
            json.dump(said, stream, indent=1)
        os.replace(temporary, self.path)

    def _load(self) -> dict[str, Any]:
        try:
            with open(self.path, encoding="utf-8") as stream:
                said = json.load(stream)
        except (OSError, ValueError):
            return {}
        known = said.get("files") if isinstance(said, dict) and said.get("version") == _VERSION else None
        return known if isinstance(known, dict) else {}
