"""Patches of the form `*** Begin Patch ... *** End Patch`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .changes import FileChange, Hunk
from .hunks import read_hunks
from .reader import Reader

_HEADER = re.compile(r"\*\*\* (Add|Update|Delete) File:(.*)")
_MOVE = "*** Move to:"


def read_sections(reader: Reader) -> Iterator[FileChange]:
    """The changes of files, up to the line that ends the patch."""
    reader.at += reader.shows("*** Begin Patch")
    reader.skip_blank()
    while not reader.shows("*** End Patch"):
        if reader.ended:
            reader.fail("`*** End Patch` is missing", "was the patch cut off? send the whole of it")
        yield _section(reader)
        reader.skip_blank()
    reader.at += 1
    reader.skip_blank()
    if not reader.ended:
        reader.fail("nothing may follow `*** End Patch`")


def _section(reader: Reader) -> FileChange:
    found = _HEADER.match(reader.line)
    if not found:
        reader.fail("expected `*** Update File: PATH`, `*** Add File: PATH` or `*** Delete File: PATH`")
    path, start = reader.path(found.group(2)), reader.at + 1
    reader.at += 1
    if found.group(1) == "Delete":
        return FileChange("delete", path, line=start)
    if found.group(1) == "Add":
        return FileChange("add", path, _content(reader), line=start)
    return _update(reader, path, start)


def _update(reader: Reader, path: str, start: int) -> FileChange:
    target = reader.path(reader.line.removeprefix(_MOVE)) if reader.starts(_MOVE) else ""
    reader.at += bool(target)
    hunks = tuple(read_hunks(reader, _is_over))
    if not hunks and not target:
        reader.fail(f"there is no change to {path}", "add lines that begin with + or -")
    return FileChange("update", path, hunks, target, line=start)


def _content(reader: Reader) -> tuple[Hunk, ...]:
    """The content of a new file, as the one hunk that makes it."""
    start = reader.at
    while reader.starts("+"):
        reader.at += 1
    lines = tuple(("+", f"{line[1:]}\n") for line in reader.lines[start : reader.at])
    reader.skip_blank()
    if not reader.ended and not reader.starts("*** "):
        reader.fail("each line of a new file begins with +")
    return (Hunk(lines, line=start + 1),) if lines else ()


def _is_over(reader: Reader) -> bool:
    return reader.ended or (reader.starts("*** ") and not reader.shows("*** End of File"))
