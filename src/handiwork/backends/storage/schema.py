"""The tables of `sessions.db`, version by version. A step that was released is never changed."""

from __future__ import annotations

import sqlite3

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        "CREATE TABLE entries (key INTEGER PRIMARY KEY, kind TEXT NOT NULL, at INTEGER NOT NULL,"
        " call TEXT NOT NULL, crc INTEGER NOT NULL, body TEXT NOT NULL)",
        # All of it is also in the entries: it is here to be listed, and can be made anew.
        "CREATE TABLE sessions (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,"
        " title TEXT NOT NULL, model TEXT NOT NULL, cwd TEXT NOT NULL, platform TEXT NOT NULL, parent TEXT NOT NULL,"
        " toolsets TEXT NOT NULL, disabled TEXT NOT NULL, state TEXT NOT NULL, owner TEXT NOT NULL,"
        " started INTEGER NOT NULL, ended INTEGER NOT NULL, entries INTEGER NOT NULL)",
    ),
    (
        "ALTER TABLE sessions ADD COLUMN indexed INTEGER NOT NULL DEFAULT 0",
        # Its text is not stored twice: it can be made from the entries, and it is filled when somebody searches.
        "CREATE VIRTUAL TABLE words USING fts5 (text, content='', tokenize='unicode61 remove_diacritics 2')",
    ),
)
VERSION = len(MIGRATIONS)


def version_of(connection: sqlite3.Connection) -> int:
    """The version of the tables; 0 where there are none yet."""
    known = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'schema_version'").fetchone()
    if known is None:
        return 0
    version: int = connection.execute("SELECT coalesce(max(version), 0) FROM schema_version").fetchone()[0]
    return version


def migrate(connection: sqlite3.Connection) -> None:
    """Bring the tables to this version: all steps that are missing, or none."""
    if version_of(connection) >= VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    with connection:  # commits, or rolls back on an error
        connection.execute(
            "CREATE TABLE IF NOT EXISTS schema_version (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL)"
        )
        for version in range(version_of(connection) + 1, VERSION + 1):  # asked again: another process may be quicker
            for statement in MIGRATIONS[version - 1]:
                connection.execute(statement)
            connection.execute("INSERT INTO schema_version VALUES (?, datetime('now'))", (version,))
