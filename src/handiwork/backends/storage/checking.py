"""Is everything that is stored still what was written? Looks at all of it and changes nothing."""

from __future__ import annotations

import os
import sqlite3
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal, TypeAlias

from handiwork.core.types import Entry, SessionInfo

from .connections import DamagedError, open_writer
from .kept import read_kept
from .pages import log_is_whole
from .reading import Reader
from .rows import Row, entry_of, is_whole
from .salvage import ENDINGS, STATES
from .sqlite import begun_of

Mending: TypeAlias = Literal["salvage", "index", "rights", "note"]
_LOOKS, _BETWEEN_S = 4, 0.05
_ROWS = "SELECT key, kind, at, call, crc, body FROM entries ORDER BY key"


@dataclass(frozen=True, slots=True)
class Damage:
    """One thing that isn't as it was written, where, and the kind of work that mends it.

    `number` and `path` name the session and the file whose loss would be noted.
    """

    where: str
    what: str
    mending: Mending
    number: int = 0
    path: str = ""


def find_damage(path: str) -> list[Damage]:
    """Every damage of the database *path* and of the files that belong to it. Raises `StorageError`."""
    found = list(_rights(path))
    if not _log_is_whole(path):  # looked at before SQLite opens it, and leaves out what isn't
        return [*found, Damage("database", "a part of its log is not what was written", "salvage")]
    try:
        with closing(Reader(path)) as reader:
            return [*found, *_in_database(reader)]
    except (DamagedError, sqlite3.DatabaseError) as error:
        return [*found, Damage("database", str(error), "salvage")]


def _log_is_whole(path: str) -> bool:
    """Whether the log is whole, or is now: what a process is just writing may look damaged for a moment."""
    for _ in range(_LOOKS):
        if log_is_whole(path):
            return True
        time.sleep(_BETWEEN_S)
    return False


def _rights(path: str) -> Iterator[Damage]:
    for name in (path, f"{path}-wal", f"{path}-shm"):
        if os.path.exists(name) and stat.S_IMODE(os.stat(name).st_mode) & 0o077:
            yield Damage(os.path.basename(name), "others may read or write it", "rights")


def _in_database(reader: Reader) -> Iterator[Damage]:
    reader.connection.execute("BEGIN")  # all of it is looked at as it is in this moment
    for (said,) in reader.connection.execute("PRAGMA integrity_check(20)"):
        if said != "ok":
            yield Damage("database", said, "salvage")
    listed = listed_sessions(reader)
    seen = set()
    for number, rows in groupby(map(Row._make, reader.connection.execute(_ROWS)), key=lambda row: row.number):
        seen.add(number)
        known = listed.get(number)
        name = known.id if known else f"number {number}"
        yield from (Damage(f"session {name}", what, "salvage") for what in _in_session(rows, known))
    for number in listed.keys() - seen:
        yield Damage(f"session {listed[number].id}", "all its entries are gone", "salvage")
    yield from _index(reader.path)
    for known in listed.values():
        yield from _kept_files(reader, known)


def listed_sessions(reader: Reader) -> dict[int, SessionInfo]:
    """The list of sessions; `entries` is how many each had when it was last let go of."""
    counts = dict(reader.connection.execute("SELECT number, entries FROM sessions").fetchall())
    return {info.number: replace(info, entries=counts.get(info.number, 0)) for info in reader.sessions(-1)}


def _in_session(rows: Iterable[Row], known: SessionInfo | None) -> Iterator[str]:
    expected, last = 1, Entry(0, "lost", 0, "")
    for row in rows:
        if row.seq != expected:
            yield f"entries {expected} to {row.seq - 1} are gone"
        expected = row.seq + 1
        if not is_whole(row):
            yield f"entry {row.seq} is not what was written"
            continue
        last = entry_of(row)
        if row.seq == 1 and not _agrees(known, last):
            yield "its place in the list is not what was written"
    if known is None:
        return
    if known.entries >= expected:
        yield f"entries {expected} to {known.entries} are gone"
    elif known.state not in STATES or (last.kind == "ended" and known.state in ENDINGS - {last.body["ending"]}):
        yield f"its state {known.state!r} is not what was written"


def _agrees(known: SessionInfo | None, begun: Entry) -> bool:
    """Whether the list says of a session what its first entry says."""
    return known is not None and (known.started, begun_of(known)) == (begun.at, begun.body)


def _index(path: str) -> Iterator[Damage]:
    """The search index by its own check, a command that counts as writing; where nothing may be written, unchecked."""
    if not os.access(path, os.W_OK):
        return
    with closing(open_writer(path)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        try:
            connection.execute("INSERT INTO words (words) VALUES ('integrity-check')")
        except sqlite3.DatabaseError as error:
            yield Damage("search index", str(error), "index")
        finally:
            connection.execute("ROLLBACK")


def _kept_files(reader: Reader, info: SessionInfo) -> Iterator[Damage]:
    entries = list(reader.entries(info.number))
    noted = {e.body.get("path") for e in entries if e.kind == "lost"}
    for entry in entries:
        whole = entry.body.get("whole") if entry.kind == "result" else None
        if whole and "problem" not in whole and whole["path"] not in noted:
            _, state = read_kept(whole)
            if state != "whole":
                where = f"session {info.id}, entry {entry.seq}"
                yield Damage(where, f"the file {whole['path']} is {state}", "note", info.number, whole["path"])
