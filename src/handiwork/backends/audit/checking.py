"""Whether an audit still is what was written: each fault by file and line."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

from . import files
from .chain import START, hash_of, head_of, split
from .reading import Line, lines_of


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that isn't as it was written, where, and what must have happened."""

    place: str
    what: str


@dataclass(slots=True)
class Checked:
    """What was found: `faults` are changes to what was written, `notes` what is no change but worth knowing."""

    lines: int = 0
    segments: int = 0
    faults: list[Fault] = field(default_factory=list)
    notes: list[Fault] = field(default_factory=list)


@dataclass(slots=True)
class _Segment:
    """Where the chain of a segment stands while it is followed."""

    seq: int = 0
    hash: str = START
    place: str = ""
    closed: bool = False


def check_audit(folder: str) -> Checked:
    """Follow the chains of all files in *folder*. Raises `OSError` for a file that can't be read."""
    kept = files.numbered(folder)
    check = _Check(is_dropped=bool(kept) and kept[0][0] > 1)
    _check_numbers(folder, check.found)
    for path in files.every(folder):
        check.file(list(lines_of(path)))
    check.finish()
    return check.found


def _check_numbers(folder: str, found: Checked) -> None:
    for (one, _), (other, path) in pairwise(files.numbered(folder)):
        if other != one + 1:
            gone = f"audit.{one + 1}.jsonl" + (f" to audit.{other - 1}.jsonl" if other > one + 2 else "")
            found.faults.append(Fault(os.path.basename(path), f"{gone} before it is missing"))


class _Check:
    """One pass over all lines, in order. *is_dropped* says that older files were removed as there were enough."""

    def __init__(self, *, is_dropped: bool) -> None:
        self._is_dropped = is_dropped
        self.found = Checked()
        self._segments: dict[str, _Segment] = {}
        self._torn: dict[str, Line] = {}
        self._seen: set[str] = set()

    def file(self, lines: list[Line]) -> None:
        """Follow the lines of a file."""
        for at, line in enumerate(lines):
            self.found.lines += 1
            text, said_hash = split(line.text)
            head = head_of(line.text)
            if line.said is None or not said_hash or head is None:
                self._unreadable(line, lines[at + 1 : at + 2])
            else:
                self._follow(line, head, text, said_hash)
                self._seen.add(said_hash)

    def _unreadable(self, line: Line, after: Iterable[Line]) -> None:
        """A line that was cut short by a death is followed by nothing, or by a process that says that it saw it so."""
        following = next(iter(after), None)
        is_told = (following.said or {}).get("torn") is True if following else not line.whole
        head = head_of(line.text)
        if is_told and line.said is None:
            self.found.notes.append(Fault(line.place, "torn: its process died, or the disk was full, while it wrote"))
            self._torn.update({head[0]: line} if head else {})
        else:
            self._fault(line, "damaged: it isn't a line of an audit any more")
            if head and (segment := self._segments.get(head[0])):
                segment.seq = max(segment.seq, head[1] + 1)
                segment.hash = ""

    def _follow(self, line: Line, head: tuple[str, int], text: bytes, said_hash: str) -> None:
        name, seq = head
        segment = self._segments.get(name)
        if segment is None:
            segment = self._segments[name] = self._opened(line, seq)
        if name in self._torn:
            self._fault(line, f"more of segment {name} after its torn line {self._torn[name].place}")
        if segment.closed:
            self._fault(line, f"inserted: segment {name} was closed at {segment.place}")
        self._judge(line, segment, seq, is_right=said_hash == hash_of(segment.hash, text))
        segment.hash, segment.place = said_hash, line.place
        segment.closed = (line.said or {}).get("event") == "closed"

    def _judge(self, line: Line, segment: _Segment, seq: int, *, is_right: bool) -> None:
        """Whether the line is the next one of its segment."""
        if seq > segment.seq:
            count = seq - segment.seq
            what = f"removed: {count} line{'s' if count > 1 else ''} of its segment before it, after {segment.place}"
            self._fault(line, what if segment.place else f"removed: the first {count} lines of its segment")
        elif seq < segment.seq:
            self._fault(line, f"inserted or reordered: line {seq} of its segment, after {segment.seq - 1}")
        elif not is_right and segment.hash:  # after a damaged line nothing can be said of the next one
            edited = f"edited: this line, or {segment.place} before it" if segment.place else "edited"
            self._fault(line, edited)
        segment.seq = max(segment.seq, seq + 1)

    def _opened(self, line: Line, seq: int) -> _Segment:
        said = line.said or {}
        self.found.segments += 1
        if said.get("event") == "segment" and seq == 0:
            self._check_before(line, said)
        return _Segment()

    def _check_before(self, line: Line, said: dict[str, object]) -> None:
        """What a segment saw as it began must be there still, unless it is older than the oldest file."""
        saw, before = said.get("saw"), said.get("before")
        if saw and saw not in self._seen and not (self._is_dropped and not self._seen):
            self._fault(line, "removed: the line that the audit ended with as this segment began")
        if not isinstance(before, dict):
            return
        name = str(before.get("seg"))
        known = self._segments.get(name)
        if known is None and not self._is_dropped:
            self._fault(line, f"removed: all of segment {name}, which this one goes on from")
        elif known and known.hash != before.get("hash"):
            self._fault(line, f"removed: lines at the end of segment {name}, after {known.place}")

    def _fault(self, line: Line, what: str) -> None:
        self.found.faults.append(Fault(line.place, what))

    def finish(self) -> None:
        """What was left open is told: nothing says whether lines at its end are missing."""
        for name, segment in self._segments.items():
            if not segment.closed and name not in self._torn:
                said = f"segment {name} isn't closed: its process still writes, or was killed"
                self.found.notes.append(Fault(segment.place, said))
