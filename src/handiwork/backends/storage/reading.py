"""What can be asked of stored sessions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from handiwork.core.errors import UnknownNameError, UsageError
from handiwork.core.types import DELEGATE, Entry, Hit, SessionInfo

from .connections import open_reader, told
from .index import search
from .owner import is_alive
from .recall import Passage, Span, said_around, said_last, said_with
from .rows import Row, entry_of, keys_of

LAST = "last"
_COLUMNS = (
    "number, id, title, model, cwd, platform, parent, toolsets, disabled, state, started, ended, owner,"
    " coalesce((SELECT max(key) FROM entries WHERE key BETWEEN number << 32 AND (number << 32) + 4294967295), 0)"
    " & 4294967295"
)

# Read by SQLite, which is eight times as fast as reading whole entries: a list asks it of every session.
_USED = (
    "SELECT CASE WHEN json_valid(body) THEN json_extract(body, '$.usage') END FROM entries"
    " WHERE key BETWEEN ? AND ? AND kind = 'reply'"
)


class Reader:
    """The sessions of one file, read through a connection of its own."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.connection = open_reader(path)

    def sessions(self, limit: int = 50, /) -> Sequence[SessionInfo]:
        """The sessions, the newest first."""
        return self._infos("ORDER BY number DESC LIMIT ?", limit)

    def find(self, name: str, /) -> SessionInfo:
        """The session of that id, or the one whose id begins so; `last` is the newest of a person's.

        Raises `UsageError`.
        """
        if name == LAST:
            found = self._infos("WHERE platform <> ? ORDER BY number DESC LIMIT 1", DELEGATE)
        else:
            found = self._infos("WHERE id >= ? AND id < ? ORDER BY id", name, f"{name}\U0010ffff")
            found = [i for i in found if i.id == name] or found
        if not name or not found:
            raise UnknownNameError("session", name, (i.id for i in self.sessions(200)), "see `handiwork sessions list`")
        if len(found) > 1:
            raise UsageError(f"several sessions begin with {name!r}: {', '.join(i.id for i in found[:5])}")
        return found[0]

    def entries(self, number: int, after: int = 0, /) -> Iterator[Entry]:
        """What happened in a session, in order, *after* that entry. A damaged entry reads as lost."""
        return map(entry_of, self.rows(number, after))

    def rows(self, number: int, after: int = 0) -> Iterator[Row]:
        """The same as it is stored."""
        first, last = keys_of(number)
        with told(self.path):
            query = "SELECT key, kind, at, call, crc, body FROM entries WHERE key BETWEEN ? AND ? ORDER BY key"
            yield from map(Row._make, self.connection.execute(query, (first + after + bool(after), last)))

    def used(self, number: int) -> list[Any]:
        """What each reply of a session has used, as it was noted; None where that is damaged."""
        with told(self.path):
            return [usage and json.loads(usage) for (usage,) in self.connection.execute(_USED, keys_of(number))]

    def delegates(self, session: str) -> Sequence[SessionInfo]:
        """The sessions of those that worked for the agent of a session."""
        return self._infos("WHERE parent = ? AND platform = ? ORDER BY number", session, DELEGATE)

    def calls_named(self, call: str) -> Sequence[tuple[SessionInfo, int]]:
        """The sessions that have a call of that id, and the first entry about it."""
        with told(self.path):
            query = "SELECT min(key) FROM entries WHERE call = ? GROUP BY key >> 32 ORDER BY 1 DESC"
            keys = [key for (key,) in self.connection.execute(query, (call,))]
        return [(info, key & 0xFFFFFFFF) for key in keys for info in self._infos("WHERE number = ?", key >> 32)]

    def search(self, words: str, limit: int = 20, /) -> Sequence[Hit]:
        """The entries that hold all of *words*, the best first; what isn't indexed yet is looked through."""
        with told(self.path):
            found = search(self.connection, words, limit)
        by_number = self.numbered(key >> 32 for key, _, _ in found)
        return [Hit(by_number[key >> 32], key & 0xFFFFFFFF, kind, text) for key, kind, text in found]

    def recall(self, words: str, span: Span, *, limit: int) -> list[Passage]:
        """What holds any of *words*, the best first."""
        with told(self.path):
            return said_with(self.connection, words, span, limit=limit)

    def latest(self, span: Span, *, limit: int) -> list[Passage]:
        """What people asked and models answered, the newest first."""
        with told(self.path):
            return said_last(self.connection, span, limit=limit)

    def around(self, number: int, seq: int, *, before: int, after: int) -> list[Passage]:
        """What was said around an entry, in order."""
        with told(self.path):
            return said_around(self.connection, number, seq, before=before, after=after)

    def number_of(self, session: str) -> int:
        """The number of the session of that id, 0 where there is none."""
        return next((info.number for info in self._infos("WHERE id = ?", session)), 0)

    def numbered(self, numbers: Iterable[int]) -> dict[int, SessionInfo]:
        """The sessions of those numbers."""
        return {info.number: info for n in set(numbers) for info in self._infos("WHERE number = ?", n)}

    def close(self) -> None:
        """Let go of the file."""
        self.connection.close()

    def _infos(self, rest: str, *values: object) -> list[SessionInfo]:
        with told(self.path):
            rows = self.connection.execute(f"SELECT {_COLUMNS} FROM sessions {rest}", values).fetchall()
        return list(map(_info, rows))


def _info(row: Sequence[Any]) -> SessionInfo:
    number, name, title, model, cwd, platform, parent, toolsets, disabled, state, started, ended, owner, entries = row
    if state == "running" and not is_alive(owner):
        state = "interrupted"
    about = (title, model, cwd, platform, parent, toolsets, disabled)
    return SessionInfo(name, number, *about, state, started, ended, entries)
