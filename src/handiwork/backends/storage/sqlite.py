"""Sessions in one SQLite file.

What is appended is on the disk as far as the system is concerned when the call returns: a process that
dies loses nothing. One connection of a process writes, each change in one transaction that begins as
a writing one, so that several processes wait for each other instead of failing.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from handiwork.core.errors import SessionBusyError
from handiwork.core.types import EntryKind, Hit, SessionInfo
from handiwork.core.wire import dumps

from .connections import open_writer, storage_error, told
from .ids import new_id
from .index import catch_up, forget
from .kept import keep, kept_folder, remove_kept
from .owner import is_alive, this_process
from .reading import Reader
from .recall import Passage, Span
from .rows import Row, entry_of, key_of, keys_of, make_row

_INSERT = "INSERT INTO entries (key, kind, at, call, crc, body) VALUES (?, ?, ?, ?, ?, ?)"
_BEGIN = (
    "INSERT INTO sessions (number, id, title, model, cwd, platform, parent, toolsets, disabled, state, owner, started,"
    " ended, entries) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_COUNT = "SELECT coalesce(max(key), 0) & 4294967295 FROM entries WHERE key BETWEEN ? AND ?"


class SqliteStore(Reader):
    """A `SessionStore` that may be used from any thread."""

    def __init__(self, path: str) -> None:
        self._writer = open_writer(path)
        super().__init__(path)
        self._lock = threading.RLock()
        self._execute = self._writer.cursor().execute

    def append(self, number: int, seq: int, kind: EntryKind, /, *, call: str, body: str) -> None:
        """Write entry *seq* of a session; *body* is JSON text."""
        row = make_row(key_of(number, seq), kind, call, body)
        try:
            with self._lock:
                self._execute(_INSERT, row)
        except (sqlite3.Error, OSError) as error:
            raise storage_error(self.path, error) from error

    def keep_file(self, session: str, path: str, /) -> str:
        """Keep a file as long as the session of that id is kept. Gives its new path."""
        with told(path):
            return keep(kept_folder(self.path), session, path)

    def begin(self, info: SessionInfo, /) -> SessionInfo:
        """A new session with the id that it gets, worked on by this process; `begun` is its first entry."""
        started = info.started or _now_ms()
        with self._changing() as connection:
            made = replace(info, id=new_id(started), number=0, started=started)
            while connection.execute("SELECT 1 FROM sessions WHERE id = ?", (made.id,)).fetchone():
                made = replace(made, id=new_id(started))
            number = self._insert_session(connection, made, this_process())
            connection.execute(_INSERT, make_row(key_of(number, 1), "begun", "", dumps(begun_of(made)), started))
        return replace(made, number=number)

    def claim(self, info: SessionInfo, /) -> None:
        """Make this process the one that works on the session. Raises `SessionBusyError` while another does."""
        mine = this_process()
        with self._changing() as connection:
            row = connection.execute("SELECT owner FROM sessions WHERE number = ?", (info.number,)).fetchone()
            if row is None or (row[0] and row[0] != mine and is_alive(row[0])):
                who = f"another process works on it ({row[0]})" if row else "it was deleted"
                raise SessionBusyError(f"session {info.id}: {who}", f"wait, or: handiwork sessions fork {info.id}")
            connection.execute(
                "UPDATE sessions SET owner = ?, state = 'running', ended = 0 WHERE number = ?", (mine, info.number)
            )

    def release(self, info: SessionInfo, state: str, /) -> None:
        """Nobody works on the session any more; *state* says how it ended, or what it waits for."""
        with self._changing() as connection:
            count = _count(connection, info.number)
            connection.execute(
                "UPDATE sessions SET owner = '', state = ?, entries = ?, ended = ? WHERE number = ?",
                (state, count, _now_ms(), info.number),
            )

    def fork(self, info: SessionInfo, upto: int) -> SessionInfo:
        """A new session that begins with the first *upto* entries of this one."""
        made = replace(info, id=new_id(), number=0, parent=info.id, state="forked")
        begun = make_row(key_of(0, 1), "begun", "", dumps(begun_of(made)), info.started)
        copied = [self._forked(row, made.id) for row in self.rows(info.number) if 1 < row.seq <= upto]
        return self.restore(made, [begun, *copied])

    def _forked(self, row: Row, session: str) -> Row:
        """The same entry for another session; a file that it keeps is kept for that one, too."""
        whole = entry_of(row).body.get("whole") if row.kind == "result" else None
        if not whole or not os.path.exists(whole["path"]):
            return row
        body = {**entry_of(row).body, "whole": {**whole, "path": self.keep_file(session, whole["path"])}}
        return make_row(row.key, row.kind, row.call, dumps(body), row.at)

    def rename(self, info: SessionInfo, title: str, /) -> SessionInfo:
        """Give a session another title, also while somebody works on it.

        The title stands in its first entry, too, which is the only one that is ever written anew.
        """
        named = replace(info, title=title)
        begun = make_row(key_of(info.number, 1), "begun", "", dumps(begun_of(named)), info.started)
        with self._changing() as connection:
            connection.execute("UPDATE sessions SET title = ? WHERE number = ?", (title, info.number))
            connection.execute("UPDATE entries SET crc = ?, body = ? WHERE key = ?", (begun.crc, begun.body, begun.key))
        return named

    def delete(self, info: SessionInfo, /) -> None:
        """Remove a session and all that it holds. Raises `SessionBusyError` while somebody works on it."""
        self.claim(info)
        with told(self.path):  # first: what is half removed must still be listed
            remove_kept(kept_folder(self.path), info.id)
        with self._changing() as connection:
            forget(connection, info.number)
            connection.execute("DELETE FROM entries WHERE key BETWEEN ? AND ?", keys_of(info.number))
            connection.execute("DELETE FROM sessions WHERE number = ?", (info.number,))

    def restore(self, info: SessionInfo, rows: Sequence[Row]) -> SessionInfo:
        """Put in a whole session, the first of *rows* its `begun`. One whose number is taken gets another one."""
        with self._changing() as connection:
            taken = connection.execute("SELECT 1 FROM sessions WHERE number = ?", (info.number,)).fetchone()
            wanted = replace(info, number=0 if taken else info.number, entries=rows[-1].seq)
            number = self._insert_session(connection, wanted, "")
            for row in rows:
                connection.execute(_INSERT, _moved(row, number))
        return replace(wanted, number=number)

    def search(self, words: str, limit: int = 20, /) -> Sequence[Hit]:
        """The entries that hold all of *words*, the best first."""
        with self._lock, told(self.path):
            catch_up(self._writer)
        return super().search(words, limit)

    def recall(self, words: str, span: Span, *, limit: int) -> list[Passage]:
        """What holds any of *words*, the best first."""
        with self._lock, told(self.path):
            catch_up(self._writer)
        return super().recall(words, span, limit=limit)

    def close(self) -> None:
        """Let go of the file. The writer goes last: it can tidy the log away."""
        super().close()
        self._writer.close()

    @contextmanager
    def _changing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: all of it, or nothing."""
        with self._lock, told(self.path):
            self._writer.execute("BEGIN IMMEDIATE")
            with self._writer:
                yield self._writer

    def _insert_session(self, connection: sqlite3.Connection, info: SessionInfo, owner: str) -> int:
        facts = (*begun_of(info).values(), info.state, owner, info.started, info.ended, info.entries)
        inserted = connection.execute(_BEGIN, (info.number or None, *facts)).lastrowid
        return inserted or 0


_ABOUT = ("id", "title", "model", "cwd", "platform", "parent", "toolsets", "disabled")


def begun_of(info: SessionInfo) -> dict[str, Any]:
    """The body of a session's first entry, from which it can be listed again when the list is lost."""
    return {key: getattr(info, key) for key in _ABOUT}


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _count(connection: sqlite3.Connection, number: int) -> int:
    count: int = connection.execute(_COUNT, keys_of(number)).fetchone()[0]
    return count


def _moved(row: Row, number: int) -> Row:
    return row if row.number == number else make_row(key_of(number, row.seq), row.kind, row.call, row.body, row.at)
