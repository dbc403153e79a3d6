"""Repair of what `checking` found. What was there is set aside first, never written over."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Sequence
from contextlib import closing

from handiwork.core.errors import SessionBusyError, StorageError
from handiwork.core.types import SessionInfo
from handiwork.core.wire import dumps

from .checking import Damage, listed_sessions
from .connections import alone, open_writer, told
from .reading import Reader
from .salvage import replace_by_salvage
from .sqlite import SqliteStore

_NEW_INDEX = (
    "DROP TABLE words",
    "CREATE VIRTUAL TABLE words USING fts5 (text, content='', tokenize='unicode61 remove_diacritics 2')",
    "UPDATE sessions SET indexed = 0",
)


def repair(path: str, damages: Sequence[Damage]) -> list[str]:
    """Mend *damages* of the database *path*; what was done, in words.

    Raises `SessionBusyError` while another process works on a session, `StorageError` where it can't be mended.
    """
    kinds = {damage.mending for damage in damages}
    done = []
    if "rights" in kinds:
        done += _take_rights(path)
    if "salvage" in kinds:
        done.append(_salvage(path))
    elif "index" in kinds:
        done.append(_renew_index(path))
    notes = [damage for damage in damages if damage.mending == "note"]
    return [*done, *_note_losses(path, notes)]


def _take_rights(path: str) -> list[str]:
    taken = []
    for name in (path, f"{path}-wal", f"{path}-shm"):
        if os.path.exists(name) and stat.S_IMODE(os.stat(name).st_mode) & 0o077:
            os.chmod(name, 0o600)
            taken.append(f"{name} is for its owner alone again")
    return taken


def _salvage(path: str) -> str:
    listed = _listed(path)
    for info in listed.values():
        if info.state == "running":
            raise SessionBusyError(f"another process works on session {info.id}", "end it, then repair")
    with alone(path), told(path):
        return replace_by_salvage(path, listed).told


def _listed(path: str) -> dict[int, SessionInfo]:
    """What can still be read of the list of sessions."""
    try:
        with closing(Reader(path)) as reader:
            return listed_sessions(reader)
    except (StorageError, sqlite3.DatabaseError):
        return {}


def _renew_index(path: str) -> str:
    with told(path), closing(open_writer(path)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        with connection:
            for statement in _NEW_INDEX:
                connection.execute(statement)
    return "the search index was emptied; it fills itself at the next search"


def _note_losses(path: str, damages: Sequence[Damage]) -> list[str]:
    """Write into its session that a file is lost: nothing brings it back, but nobody is surprised any more."""
    if not damages:
        return []
    with closing(SqliteStore(path)) as store:
        infos = {info.number: info for info in store.sessions(-1)}
        return [_note_loss(store, infos[damage.number], damage.path) for damage in damages if damage.number in infos]


def _note_loss(store: SqliteStore, info: SessionInfo, lost: str) -> str:
    store.claim(info)
    entries = list(store.entries(info.number))
    body = dumps({"was": "kept", "path": lost})
    store.append(info.number, entries[-1].seq + 1, "lost", call="", body=body)
    store.release(info, info.state)
    return f"session {info.id}: noted that {lost} is lost"
