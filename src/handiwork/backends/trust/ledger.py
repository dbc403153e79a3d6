"""Which contents the person trusts, and which an agent wrote: by hash, in one file of the home."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from handiwork.core.errors import UsageError

from ..files.local import LocalFiles

VERSION = 1
Kind = Literal["trusted", "by_agent"]


@dataclass(frozen=True, slots=True)
class Ledger:
    """The file at `path`. One that is damaged, or can't be read, trusts nothing."""

    path: Path

    def holds(self) -> tuple[frozenset[str], frozenset[str]]:
        """The hashes that are trusted, and those that an agent wrote."""
        try:
            said = self._read()
        except UsageError:  # whoever wants to trust something is told why it can't be
            return frozenset(), frozenset()
        return frozenset(said["trusted"]), frozenset(said["by_agent"])

    def add(self, kind: Kind, digest: str, name: str) -> None:
        """Note a hash with the name of what it is of. Raises `UsageError` where it can't be written."""
        files = LocalFiles()
        real = files.real(str(self.path))
        with files.locked((real,)):
            before, said = files.stat(real), self._read()
            said[kind][digest] = {"name": name, "at": round(time.time())}
            data = json.dumps(said, indent=1, ensure_ascii=False).encode() + b"\n"
            files.replace(real, data, expected=before, mode=0o600)

    def _read(self) -> dict[str, Any]:
        try:
            said = json.loads(self.path.read_bytes())
        except FileNotFoundError:
            said = {}
        except OSError as error:
            raise UsageError(f"can't read {self.path}: {error.strerror}", "check its permissions") from error
        except (ValueError, RecursionError):
            said = {}
        known = said if isinstance(said, dict) and said.get("version") == VERSION else {}
        rows = {kind: known.get(kind) for kind in ("trusted", "by_agent")}
        return {"version": VERSION, **{k: v if isinstance(v, dict) else {} for k, v in rows.items()}}
