"""Connections to `sessions.db`: private files, one writer for a process, readers beside it."""

from __future__ import annotations

import errno
import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from urllib.parse import quote

from handiwork.core.errors import StorageError

from .schema import VERSION, migrate, version_of

BUSY_S = 10.0
_PAGE_BYTES = 2048  # every entry writes a page: half of the usual size saves a tenth of the time
_LOG_PAGES = 2000
_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_READ_ONLY = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)  # the log's own files can't be made
_FULL = (errno.ENOSPC, errno.EDQUOT)


class DamagedError(StorageError):
    """The file is no database any more, or a part of it can't be read."""


def open_writer(path: str) -> sqlite3.Connection:
    """The connection that writes, its tables made or brought up to date.

    Raises `DamagedError` where the file is damaged, `StorageError` for everything else.
    """
    with told(path):
        _make_folder(os.path.dirname(path))
        if not _has_content(path):
            _create(path)
        connection = _connect(path)
        try:
            _prepare(connection, path)
        except BaseException:
            connection.close()
            raise
        return connection


def _make_folder(folder: str) -> None:
    """The folder, for its owner alone where it is new."""
    if not os.path.isdir(folder):
        os.makedirs(os.path.dirname(folder), exist_ok=True)
        os.makedirs(folder, 0o700, exist_ok=True)


def _create(path: str) -> None:
    """A new file, its owner's alone; SQLite gives its other files the same rights."""
    with alone(path) as lock:
        _finish_replacing(path)
        if _has_content(path):
            return
        if _was_emptied(path):
            raise DamagedError(f"{path} is empty, and was not", "handiwork check --repair")
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        with closing(_connect(path)) as connection:
            connection.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
            connection.execute("PRAGMA journal_mode = WAL")
            migrate(connection)
        os.write(lock, b"made\n")


def _has_content(path: str) -> bool:
    return os.path.exists(path) and os.path.getsize(path) > 0


def _was_emptied(path: str) -> bool:
    """Whether the file, which lost all that it held, held something once: what locks it says so."""
    lock = f"{path}.lock"
    return os.path.exists(path) and not _has_content(path) and os.path.exists(lock) and os.path.getsize(lock) > 0


def _prepare(connection: sqlite3.Connection, path: str) -> None:
    connection.execute("PRAGMA synchronous = NORMAL")  # what was written outlives the process, not the machine
    connection.execute("PRAGMA secure_delete = ON")  # what was deleted must not come back when damage is repaired
    connection.execute(f"PRAGMA wal_autocheckpoint = {_LOG_PAGES}")
    version = version_of(connection)
    if version > VERSION:
        raise StorageError(f"{path} was made by a newer Handiwork", "use that one, or another HANDIWORK_HOME")
    if version < VERSION:
        with alone(path):
            migrate(connection)
    _look_in(connection)


def _look_in(connection: sqlite3.Connection) -> None:
    connection.execute("SELECT max(key) FROM entries").fetchone()
    connection.execute("SELECT * FROM sessions ORDER BY number DESC LIMIT 1").fetchone()


def is_damaged(path: str) -> bool:
    """Whether the file can't be opened because of damage."""
    if _was_emptied(path):
        return True
    try:
        with told(path), closing(_connect(path)) as connection:
            if version_of(connection):
                _look_in(connection)
    except DamagedError:
        return True
    return False


def open_reader(path: str) -> sqlite3.Connection:
    """A connection that only reads, also where nothing can be written. Raises like `open_writer`."""
    with told(path):
        connection = _connect(f"file:{quote(path)}?mode=ro", uri=True)
        try:
            version = version_of(connection)
        except sqlite3.OperationalError as error:
            connection.close()
            if error.sqlite_errorcode & 0xFF not in _READ_ONLY:
                raise
            connection = _connect(f"file:{quote(path)}?immutable=1", uri=True)
            version = version_of(connection)
        if version != VERSION:
            connection.close()
            with closing(open_writer(path)):
                return open_reader(path)
        return connection


def _connect(path: str, *, uri: bool = False) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=BUSY_S, isolation_level=None, check_same_thread=False, uri=uri)


def making_of(path: str) -> str:
    """Where the file that will replace a damaged one is filled."""
    return f"{path}.making"


def _finish_replacing(path: str) -> None:
    """Somebody died after moving a damaged file away, before its replacement was put in its place."""
    if os.path.exists(making_of(path)) and not os.path.exists(path):
        os.replace(making_of(path), path)


@contextmanager
def alone(path: str) -> Iterator[int]:
    """Within, no other process makes, migrates or replaces the file. Gives the open file that says so."""
    lock = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield lock
    finally:
        os.close(lock)


@contextmanager
def told(path: str) -> Iterator[None]:
    """Turns what SQLite and the system say into errors with a next step."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise storage_error(path, error) from error


def storage_error(path: str, error: Exception) -> StorageError:
    """The error for what went wrong with the file."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in _DAMAGE:
        return DamagedError(f"{path} is damaged: {error}", "handiwork check --repair")
    if code == sqlite3.SQLITE_BUSY:
        return StorageError(f"{path} is held by another process", "end that one, or try again")
    if code == sqlite3.SQLITE_FULL or (isinstance(error, OSError) and error.errno in _FULL):
        return StorageError(f"{path} can't be written: the disk is full", "free some space")
    said = error.strerror if isinstance(error, OSError) else error
    return StorageError(f"{path} can't be opened or written: {said}", "check the folder and its permissions")
