"""Files of this machine by any path: a link stays a link, and its target is replaced whole or not at all."""

from __future__ import annotations

from pathlib import Path

from ...core.types import FileStat
from .local import LocalFiles

_FILES = LocalFiles()


def stamp_of(path: Path) -> FileStat | None:
    """What tells one state of a file from the next, None where there is no file."""
    return _FILES.stat(_FILES.real(str(path)))


def replace_file(path: Path, data: bytes, *, expected: FileStat | None) -> None:
    """Make *data* the content of *path*; parent directories are made, mode and owner kept.

    Raises `UsageError` where the file isn't (any more) what *expected* tells, or can't be written.
    """
    _FILES.replace(_FILES.real(str(path)), data, expected=expected)
