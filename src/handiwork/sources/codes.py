"""The compiled code of plugins, all in one file: a hundred small ones take longer to open than to run."""

from __future__ import annotations

import marshal
import os
from collections.abc import Callable
from contextlib import suppress
from importlib.util import MAGIC_NUMBER
from types import CodeType

Stamp = tuple[int, int]


class Codes:
    """Code by the paths of files. *path* is where it is kept; "" keeps nothing.

    A file with another modification time (ns) or size is compiled anew.
    """

    def __init__(self, path: str = "") -> None:
        self._path = path
        self._known = _load(path) if path else {}
        self._is_changed = False

    def get(self, path: str, stamp: Stamp, make: Callable[[], CodeType]) -> CodeType:
        """The code of a file with that *stamp*, known or made."""
        known = self._known.get(path)
        if known is None or known[0] != stamp:
            known = self._known[path] = (stamp, make())
            self._is_changed = True
        return known[1]

    def save(self) -> None:
        """Write down what was made, whole or not at all; files that are gone are forgotten."""
        if not self._path or not self._is_changed:
            return
        kept = {path: row for path, row in self._known.items() if os.path.exists(path)}
        temporary = f"{self._path}.{os.getpid()}"
        with suppress(OSError):  # a read-only home: only slower
            os.makedirs(os.path.dirname(self._path), exist_ok=True)
            with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
                file.write(MAGIC_NUMBER + marshal.dumps(kept))
            os.replace(temporary, self._path)
            self._is_changed = False


def _load(path: str) -> dict[str, tuple[Stamp, CodeType]]:
    """What an earlier run kept; what is absent, damaged or another Python's is empty."""
    try:
        with open(path, "rb") as file:
            data = file.read()
        known = marshal.loads(data[len(MAGIC_NUMBER) :]) if data.startswith(MAGIC_NUMBER) else {}
    except (OSError, EOFError, ValueError, TypeError):
        return {}
    return known if isinstance(known, dict) else {}
