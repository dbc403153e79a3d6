"""Files by their real paths: looked at, opened, replaced, removed and locked."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import BinaryIO

from ...core.errors import UsageError
from .atomic import Stamp, remove_file, replace_file, stamp_of
from .locks import locked
from .text import open_regular


class Disk:
    """The files of this machine, as a draft of changes needs them."""

    def real(self, path: str, /) -> str:
        """Where *path*, an absolute one, leads now."""
        return os.path.realpath(path)

    def stat(self, path: str, /) -> Stamp | None:
        """The state of a file, None where there is none."""
        return stamp_of(Path(path))

    def open(self, path: str, /) -> BinaryIO:
        """A regular file to read. Raises `UsageError` for what isn't there or isn't one."""
        return open_regular(Path(path))

    def replace(self, path: str, data: bytes, /, *, expected: Stamp | None, mode: int | None = None) -> Stamp:
        """Make *data* the content of a file, whole or not at all; a new one gets *mode*. The state it is in then."""
        replace_file(Path(path), data, expected=expected, mode=mode)
        return self._stamp(path)

    def _stamp(self, path: str) -> Stamp:
        stamp = stamp_of(Path(path))
        if stamp is None:
            raise UsageError(f"{path} was removed as soon as it was written", "see who else works there, and try again")
        return stamp

    def remove(self, path: str, /, *, expected: Stamp) -> None:
        """Remove a file that is still what *expected* tells."""
        remove_file(Path(path), expected=expected)

    def locked(self, paths: Iterable[str], /) -> AbstractContextManager[None]:
        """Keep other threads and processes from changing *paths*."""
        return locked(map(Path, paths))
