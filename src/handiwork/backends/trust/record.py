"""A file of the home in which agreements are written down: JSON, changed under a lock, at once or not at all."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from handiwork.core.errors import UsageError
from handiwork.core.loading import Late

local = Late("handiwork.backends.files.local")  # reading what was agreed to needs none of it
VERSION = 1


@dataclass(frozen=True, slots=True)
class Record:
    """The file at `path`. One that is damaged says nothing."""

    path: Path

    def read(self) -> dict[str, Any]:
        """What it says. Raises `UsageError` where it can't be read."""
        try:
            said = json.loads(self.path.read_bytes())
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise UsageError(f"can't read {self.path}: {error.strerror}", "check its permissions") from error
        except (ValueError, RecursionError):
            return {}
        return said if isinstance(said, dict) and said.get("version") == VERSION else {}

    def change(self, alter: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        """Write what *alter* makes of what it says. Raises `UsageError` where that can't be written."""
        files = local.LocalFiles()
        real = files.real(str(self.path))
        with files.locked((real,)):
            before, said = files.stat(real), alter(self.read())
            data = json.dumps({"version": VERSION, **said}, indent=1, ensure_ascii=False).encode() + b"\n"
            files.replace(real, data, expected=before, mode=0o600)
