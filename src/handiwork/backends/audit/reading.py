"""Reading an audit: its lines, file by file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from . import files
from .chain import read


@dataclass(frozen=True, slots=True)
class Line:
    """A line as it stands in a file. `said` is None where it can't be read; `whole` is whether its end is there."""

    file: str
    number: int
    text: bytes
    said: dict[str, Any] | None
    whole: bool = True

    @property
    def place(self) -> str:
        """Where it stands, for people: file and line."""
        return f"{os.path.basename(self.file)}:{self.number}"


def lines_of(path: str) -> Iterator[Line]:
    """The lines of one file. Raises `OSError`."""
    with open(path, "rb") as file:
        for number, raw in enumerate(file, 1):
            text = raw.rstrip(b"\n")
            if text:
                yield Line(path, number, text, read(text), raw.endswith(b"\n"))


def lines_in(folder: str) -> Iterator[Line]:
    """All lines of the audit in *folder*, the oldest first."""
    for path in files.every(folder):
        yield from lines_of(path)


def entries_of(lines: Iterable[Line]) -> Iterator[dict[str, Any]]:
    """What happened, one entry for a call: what was written before it ran joined with what came of it.

    A call whose end nobody wrote has the status "no end": its process was killed, or it still runs.
    """
    begun: dict[tuple[str, int], dict[str, Any]] = {}
    entries: list[dict[str, Any]] = []
    for line in lines:
        said = line.said
        if said is None or said.get("event") in ("segment", "closed"):
            continue
        key = (str(said.get("seg", "")).rpartition(".")[0], said.get("n", -1))
        if said.get("event") == "end" and (first := begun.pop(key, None)):
            first.update({k: v for k, v in said.items() if k not in ("event", "seg", "seq", "hash", "v", "at", "n")})
            continue
        entry = {**said, "place": line.place}
        if said.get("event") == "begin":
            entry["status"] = "no end"
            begun[key] = entry
        entries.append(entry)
    return iter(entries)
