"""Files that are looked at once more before they are replaced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, cast

from ...core.types import Files, FileStat
from .text import MAX_EDIT_BYTES

# Takes the path, what the file holds and what it would hold; raises `UsageError` for what shall not be.
Check: TypeAlias = Callable[[str, str, str], None]


class _Checked:
    def __init__(self, files: Files, check: Check, mark: bytes) -> None:
        self._files, self._check, self._mark = files, check, mark

    def __getattr__(self, name: str) -> Any:
        return getattr(self._files, name)

    def replace(self, path: str, data: bytes, /, *, expected: FileStat | None, mode: int | None = None) -> FileStat:
        if expected is not None and self._mark in data:
            with self._files.open(path) as file:
                old = file.read(MAX_EDIT_BYTES)
            self._check(path, old.decode("utf-8", "replace"), data.decode("utf-8", "replace"))
        return self._files.replace(path, data, expected=expected, mode=mode)


def checked(files: Files, check: Check, mark: str) -> Files:
    """*files*, where a text with *mark* in it replaces another only if *check* has no objection."""
    return cast("Files", _Checked(files, check, mark.encode()))
