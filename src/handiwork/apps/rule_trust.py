"""Which rules of projects' files a person has trusted: kept in their own home, by the contents of the rules.

A project's files come with it, and a program that an agent starts may write them: what they allow holds only
after a person said so, or where the person's own answer was stored there.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence

from ..core.errors import ConfigError
from .config_file import write_text

_VERSION = 1


class RuleTrust:
    """The record in *home*."""

    __slots__ = ("_path",)

    def __init__(self, home: str) -> None:
        self._path = os.path.join(home, "trusted_rules.json")

    def trusts(self, file: str, allowed: Sequence[str]) -> bool:
        """Whether these rules of *file*, and no others, were trusted."""
        return not allowed or self._record().get(os.path.realpath(file)) == _digest(allowed)

    def trust(self, file: str, allowed: Sequence[str]) -> None:
        """Trust these rules of *file* from now on."""
        files = {**self._record(), os.path.realpath(file): _digest(allowed)}
        write_text(self._path, json.dumps({"version": _VERSION, "files": files}, indent=1) + "\n")

    def _record(self) -> dict[str, str]:
        try:
            with open(self._path, encoding="utf-8") as file:
                data = json.load(file)
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise ConfigError(
                f"{self._path}: can't be read: {error}", "remove it, and trust the rules again"
            ) from error
        files = data.get("files") if isinstance(data, dict) and data.get("version") == _VERSION else None
        return files if isinstance(files, dict) else {}


def _digest(allowed: Sequence[str]) -> str:
    return hashlib.sha256("\0".join(sorted(allowed)).encode()).hexdigest()
