"""What can be asked of stored sessions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from handiwork.core.errors import UnknownNameError, UsageError
from handiwork.core.types import Entry, Hit, SessionInfo

from .connections import open_reader, told
from .index import search
from .owner import is_alive
from .rows import Row, entry_of, keys_of

LAST = "last"
_COLUMNS = (
    "number, id, title, model, cwd, platform, parent, toolsets, disabled, state, started, ended, owner,"
    " coalesce((SELECT max(key) FROM entries WHERE key BETWEEN number << 32 AND (number << 32) + 4294967295), 0)"
    " & 4294967295"
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
        """The session of that id, or the one whose id begins so; `last` is the newest. Raises `UsageError`."""
        if name == LAST:
            found = self.sessions(1)
        else:
            found = self._infos("WHERE id >= ? AND id < ? ORDER BY id", name, f"{name}\U0010ffff")
            found = [i for i in found if i.id == name] or found
        if not name or not found:
            raise UnknownNameError("session", name, (i.id for i in self.sessions(200)), "see `handiwork sessions list`")
        if len(found) > 1:
            raise UsageError(f"several sessions begin with {name!r}: {', '.join(i.id for i in found[:5])}")
        return found[0]

    def entries(self, number: int, /) -> Iterator[Entry]:
        """What happened in a session, in order. A damaged entry reads as lost."""
        return map(entry_of, self.rows(number))

    def rows(self, number: int) -> Iterator[Row]:
        """The same as it is stored."""
        with told(self.path):
            query = "SELECT key, kind, at, call, crc, body FROM entries WHERE key BETWEEN ? AND ? ORDER BY key"
            yield from map(Row._make, self.connection.execute(query, keys_of(number)))

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
        by_number = {i.number: i for key, _, _ in found for i in self._infos("WHERE number = ?", key >> 32)}
        return [Hit(by_number[key >> 32], key & 0xFFFFFFFF, kind, text) for key, kind, text in found]

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
