"""Searching stored sessions. The index is filled when somebody searches, so that saving never waits for it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any

from .rows import Row, keys_of
from .segments import query_of, segmented, snippet, terms_of

MOST_CHARS = 50_000  # of one entry: what stands behind is not indexed
SPOKEN = ("prompt", "reply", "result", "mended")
Found = tuple[int, str, str]
_OPEN = "SELECT number, indexed FROM sessions WHERE state = 'running' OR indexed < entries"
_UNINDEXED = "SELECT key, kind, at, call, crc, body FROM entries WHERE key > ? AND key <= ?"


def catch_up(connection: sqlite3.Connection) -> None:
    """Index what was said since the last time."""
    connection.execute("BEGIN IMMEDIATE")
    with connection:
        for number, indexed in connection.execute(_OPEN).fetchall():
            last = indexed
            for row in _rows(connection, number, indexed):
                last = row.seq
                _add(connection, row)
            connection.execute("UPDATE sessions SET indexed = ? WHERE number = ?", (last, number))


def _add(connection: sqlite3.Connection, row: Row) -> None:
    if text := text_of(row):
        connection.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (row.key, segmented(text)))


def forget(connection: sqlite3.Connection, number: int) -> None:
    """Take a session out of the index, before its entries go. The text must be given once more."""
    (indexed,) = connection.execute("SELECT indexed FROM sessions WHERE number = ?", (number,)).fetchone()
    for row in _rows(connection, number, 0):
        if row.seq <= indexed and (text := text_of(row)):
            command = "INSERT INTO words (words, rowid, text) VALUES ('delete', ?, ?)"
            connection.execute(command, (row.key, segmented(text)))


def search(connection: sqlite3.Connection, words: str, limit: int) -> list[Found]:
    """Key, kind and snippet of the entries that hold all of *words*, at most *limit*."""
    query = query_of(words)
    if not query:
        return []
    found = connection.execute(
        "SELECT e.key, e.kind, e.at, e.call, e.crc, e.body FROM words JOIN entries e ON e.key = words.rowid"
        " WHERE words MATCH ? ORDER BY bm25(words) LIMIT ?",
        (query, limit),
    )
    rows = [*map(Row._make, found), *_unindexed_hits(connection, words)]
    return [(row.key, row.kind, snippet(text_of(row), words)) for row in rows[:limit]]


def _unindexed_hits(connection: sqlite3.Connection, words: str) -> Iterator[Row]:
    terms = [term.casefold() for term in terms_of(words)]
    for row in unindexed(connection):
        text = text_of(row).casefold()
        if all(term in text for term in terms):
            yield row


def unindexed(connection: sqlite3.Connection) -> Iterator[Row]:
    """The entries that the index doesn't have yet."""
    for number, indexed in connection.execute(_OPEN).fetchall():
        yield from _rows(connection, number, indexed)


def _rows(connection: sqlite3.Connection, number: int, after: int) -> Iterable[Row]:
    first, last = keys_of(number)
    return map(Row._make, connection.execute(_UNINDEXED, (first + after, last)).fetchall())


def text_of(row: Row) -> str:
    """What was said in an entry: the message's text, and the arguments of its calls."""
    if row.kind not in SPOKEN:
        return ""
    try:
        message = json.loads(row.body)["message"]
    except (ValueError, KeyError, TypeError):  # damaged: `check` tells
        return ""
    calls = (c["function"]["arguments"] for c in message.get("tool_calls") or ())
    return "\n".join(filter(None, map(_as_text, (message.get("content"), *calls))))[:MOST_CHARS]


def _as_text(content: Any) -> str:
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False) if content else ""
