"""Which servers speak only the protocol of before 2026, remembered so that they needn't be asked each time."""

from __future__ import annotations

import json
import os
import time
from typing import Any

# A server that was updated is found out after this.
_GOOD_FOR_S = 7 * 86_400.0


class Eras:
    """A small file of server identities. What can't be read or written is only not remembered."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._known: dict[str, float] = _load(path)

    def mode_of(self, identity: str) -> str:
        """The SDK's word for how to greet the server: `legacy`, or `auto` to ask it."""
        return "legacy" if time.time() - self._known.get(identity, 0.0) < _GOOD_FOR_S else "auto"

    def remember(self, identity: str, *, legacy: bool) -> None:
        """What a connection turned out to speak."""
        if legacy == (identity in self._known):
            return
        if legacy:
            self._known[identity] = time.time()
        else:
            del self._known[identity]
        self._save()

    def _save(self) -> None:
        if not self._path:
            return
        temporary = f"{self._path}.{os.getpid()}"
        try:
            os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
            with open(temporary, "w", encoding="utf-8") as file:
                json.dump(self._known, file)
            os.replace(temporary, self._path)
        except OSError:
            return  # it costs the next start three seconds at most


def _load(path: str) -> dict[str, float]:
    try:
        with open(path, encoding="utf-8") as file:
            known: Any = json.load(file)
    except (OSError, ValueError):
        return {}
    if not isinstance(known, dict):
        return {}
    return {str(k): float(v) for k, v in known.items() if isinstance(v, (int, float))}
