"""A store that is damaged: set aside once, a new one opened, and everything whole carried over."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from types import MappingProxyType

from handiwork.core.types import Entry, SessionInfo
from handiwork.core.wire import dumps

from .connections import DamagedError, alone, is_damaged, making_of, told
from .ids import new_id
from .pages import rows_in
from .rows import Row, entry_of, key_of, make_row
from .sqlite import SqliteStore, begun_of

ENDINGS = frozenset({"answered", "denied", "limit", "stuck", "cancelled", "failed"})
STATES = ENDINGS | {"running", "interrupted", "forked", "waiting"}
_PARTS = ("", "-wal", "-shm")


@dataclass(frozen=True, slots=True)
class Salvaged:
    """What was saved of a damaged file, which now lies at `aside`."""

    aside: str
    sessions: int
    entries: int

    @property
    def told(self) -> str:
        """A line for people."""
        saved = f"{self.entries} entries of {self.sessions} sessions were saved from it"
        return f"sessions.db was damaged; it now lies at {self.aside}; {saved}"


def open_store(path: str) -> tuple[SqliteStore, Salvaged | None]:
    """The store at *path*; a damaged one is replaced by what can be saved of it. Raises `StorageError`."""
    try:
        return SqliteStore(path), None
    except DamagedError:
        salvaged = set_aside(path)
    return SqliteStore(path), salvaged


def set_aside(path: str) -> Salvaged | None:
    """Move a damaged file away and put what is whole of it into a new one. None if another process was quicker."""
    with alone(path), told(path):
        return replace_by_salvage(path) if is_damaged(path) else None


def replace_by_salvage(path: str, listed: Mapping[int, SessionInfo] = MappingProxyType({})) -> Salvaged:
    """Fill a new file beside the old one, and only then move them; whoever calls is `alone`.

    *listed* is what the old one's list says of its sessions, where that can be read.
    """
    making = making_of(path)
    for part in (*_PARTS, ".lock"):
        if os.path.exists(making + part):  # somebody died at this
            os.remove(making + part)
    sessions, entries = _fill(making, path, listed)
    os.remove(f"{making}.lock")
    aside = f"{path}.damaged-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
    for part in reversed(_PARTS):
        if os.path.exists(path + part):
            os.replace(path + part, aside + part)
    os.replace(making, path)  # it was closed, and so is one file
    return Salvaged(aside, sessions, entries)


def _fill(making: str, damaged: str, listed: Mapping[int, SessionInfo]) -> tuple[int, int]:
    sessions = entries = 0
    with closing(SqliteStore(making)) as store:
        for rows in group(rows_in(damaged)):
            store.restore(*made_whole(rows, listed.get(rows[0].number)))
            sessions, entries = sessions + 1, entries + len(rows)
    return sessions, entries


def group(rows: Iterable[Row]) -> list[list[Row]]:
    """The rows by session, in order, each once."""
    sessions: dict[int, dict[int, Row]] = {}
    for row in rows:
        sessions.setdefault(row.number, {})[row.seq] = row
    return [[found[seq] for seq in sorted(found)] for _, found in sorted(sessions.items())]


def made_whole(rows: list[Row], listed: SessionInfo | None = None) -> tuple[SessionInfo, list[Row]]:
    """A session's place in the list and its rows, with `lost` ones in the gaps.

    What its first entry says of it counts, then what the list said, *listed*.
    """
    number, first = rows[0].number, rows[0]
    known = listed or SessionInfo(new_id(first.at), number, "(saved from damage)", started=first.at)
    known = replace(known, state=_state(entry_of(rows[-1]), known.state))
    if first.kind == "begun":
        known = replace(known, number=number, started=first.at, **entry_of(first).body)
    else:
        begun = make_row(key_of(number, 1), "begun", "", dumps(begun_of(known)), known.started)
        rows = [begun, *(row for row in rows if row.seq > 1)]
    have = {row.seq for row in rows}
    end = max(known.entries, rows[-1].seq)
    return known, sorted([*rows, *(lost_row(key_of(number, s)) for s in range(1, end + 1) if s not in have)])


def _state(last: Entry, listed: str) -> str:
    """How a session ended: by its last entry, else by the list, where that says what can be."""
    if last.kind == "ended":
        return str(last.body["ending"])
    return listed if listed in STATES - ENDINGS - {"running"} else "interrupted"


def lost_row(key: int, was: str = "") -> Row:
    """What stands in the place of an entry that is gone; *was* is its kind, where that is known."""
    return make_row(key, "lost", "", dumps({"was": was}))
