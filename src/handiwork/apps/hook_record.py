"""What went wrong with hooks lately, kept in a file so that `doctor` can tell it."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from ..core.loading import Late

redaction = Late("handiwork.guard.redaction")

_MOST_BYTES = 262_144
_RECENT_S = 7 * 86_400
_MOST_TEXT = 500


@dataclass(frozen=True, slots=True)
class Failures:
    """How often a hook failed in the last week, and how it did so last."""

    who: str
    count: int
    last: str


class HookRecord:
    """The record in a home. What can't be written is not: it is in the log anyway."""

    def __init__(self, home: str) -> None:
        self._path = os.path.join(home, "hooks.jsonl")

    def note(self, who: str, error: str) -> None:
        """A hook failed."""
        line = json.dumps({"at": int(time.time()), "who": who, "error": redaction.redact(error[:_MOST_TEXT])})
        with suppress(OSError):
            self._shorten()
            with open(os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "a", encoding="utf-8") as f:
                f.write(line + "\n")

    def recent(self) -> list[Failures]:
        """The failures of the last week, by hook."""
        found: dict[str, Failures] = {}
        for who, error in self._entries(time.time() - _RECENT_S):
            found[who] = Failures(who, found[who].count + 1 if who in found else 1, error)
        return list(found.values())

    def _entries(self, since: float) -> Iterator[tuple[str, str]]:
        for line in self._lines():
            with suppress(ValueError, KeyError, TypeError):  # a line that was cut short by a full disk
                entry = json.loads(line)
                if entry["at"] >= since:
                    yield str(entry["who"]), str(entry["error"])

    def _lines(self) -> list[str]:
        try:
            with open(self._path, encoding="utf-8", errors="replace") as file:
                return file.readlines()
        except OSError:
            return []

    def _shorten(self) -> None:
        if not os.path.exists(self._path) or os.path.getsize(self._path) < _MOST_BYTES:
            return
        lines = self._lines()
        with open(self._path, "w", encoding="utf-8") as file:
            file.writelines(lines[len(lines) // 2 :])
