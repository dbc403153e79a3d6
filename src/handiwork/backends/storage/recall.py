"""What was said in other sessions, found by any of some words, by its time, or around an entry."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .index import text_of, unindexed
from .rows import Row, key_of, keys_of
from .segments import any_of, terms_of

_COLUMNS = "e.key, e.kind, e.at, e.call, e.crc, e.body"
_WITHIN = "e.at BETWEEN ? AND ? AND e.key NOT BETWEEN ? AND ?"
_SPOKEN = "e.kind IN ('prompt', 'reply', 'result', 'mended')"
_FOR_EVER = 1 << 62


@dataclass(frozen=True, slots=True)
class Span:
    """What is looked through: from *since* to *until* (milliseconds since 1970), but for session number *skip*."""

    since: int = 0
    until: int = _FOR_EVER
    skip: int = 0

    def values(self) -> tuple[int, int, int, int]:
        """The values for the question that every search asks."""
        return (self.since, self.until, *keys_of(self.skip))

    def holds(self, row: Row) -> bool:
        """Whether an entry is in it."""
        return self.since <= row.at <= self.until and row.number != self.skip


@dataclass(frozen=True, slots=True)
class Passage:
    """Something that was said: entry `seq` of session `number`, with its text."""

    number: int
    seq: int
    kind: str
    at: int
    text: str


def said_with(connection: sqlite3.Connection, words: str, span: Span, *, limit: int) -> list[Passage]:
    """What holds any of *words*, that which holds more and rarer ones first."""
    query = any_of(words)
    if not query:
        return []
    found = connection.execute(
        f"SELECT {_COLUMNS} FROM words JOIN entries e ON e.key = words.rowid"
        f" WHERE words MATCH ? AND {_WITHIN} ORDER BY bm25(words) LIMIT ?",
        (query, *span.values(), limit),
    )
    rows = [*map(Row._make, found), *_unindexed_with(connection, words, span)]
    return list(map(_passage, rows[:limit]))


def _unindexed_with(connection: sqlite3.Connection, words: str, span: Span) -> Iterator[Row]:
    terms = [term.casefold() for term in terms_of(words)]
    for row in unindexed(connection):
        if span.holds(row) and any(term in text_of(row).casefold() for term in terms):
            yield row


def said_last(connection: sqlite3.Connection, span: Span, *, limit: int) -> list[Passage]:
    """What people asked and models answered, the newest first."""
    found = connection.execute(
        f"SELECT {_COLUMNS} FROM entries e WHERE e.kind IN ('prompt', 'reply') AND {_WITHIN}"
        " ORDER BY e.key DESC LIMIT ?",
        (*span.values(), limit),
    )
    return _with_text(map(Row._make, found))


def said_around(connection: sqlite3.Connection, number: int, seq: int, *, before: int, after: int) -> list[Passage]:
    """Entry *seq* of a session with so many before and after it, in order."""
    first, last = keys_of(number)
    at = key_of(number, seq)
    query = f"SELECT {_COLUMNS} FROM entries e WHERE e.key BETWEEN ? AND ? AND {_SPOKEN} ORDER BY e.key"
    earlier = connection.execute(f"{query} DESC LIMIT ?", (first, at - 1, before)).fetchall()
    later = connection.execute(f"{query} LIMIT ?", (at, last, after + 1)).fetchall()
    return _with_text(map(Row._make, (*reversed(earlier), *later)))


def _with_text(rows: Iterable[Row]) -> list[Passage]:
    return [passage for passage in map(_passage, rows) if passage.text]


def _passage(row: Row) -> Passage:
    return Passage(row.number, row.seq, row.kind, row.at, text_of(row))
