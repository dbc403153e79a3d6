"""The grammar of patches: `*** Begin Patch` texts and unified diffs, read into changes of files.

Whoever must know what a patch does asks here: the tool that applies it, the guard that judges its
paths, the turn that runs calls side by side. Nothing of the disk is looked at. What stands in a
patch as a line number or a count is kept as a claim; whether it is true, the file will say.
"""

from __future__ import annotations

from ..errors import UsageError
from .changes import FileChange, Hunk, Kind
from .diffs import read_diffs
from .reader import Reader
from .sections import read_sections

__all__ = ["FileChange", "Hunk", "Kind", "parse", "paths_of"]


def parse(text: str) -> tuple[FileChange, ...]:
    """The changes that a patch asks for, in its order. Raises `UsageError` naming the line it can't read."""
    reader = Reader(text)
    changes = tuple(read_sections(reader) if reader.starts("*** ") else read_diffs(reader))
    if not changes:
        raise UsageError(
            "the patch names no file in any of its lines",
            "begin with `*** Begin Patch` and `*** Update File: PATH`, or with `--- PATH` and `+++ PATH`",
        )
    return changes


def paths_of(text: str) -> tuple[str, ...]:
    """Every path that a patch would write, move or delete, each once. Raises as `parse` does."""
    named = (path for change in parse(text) for path in (change.path, change.target) if path)
    return tuple(dict.fromkeys(named))
