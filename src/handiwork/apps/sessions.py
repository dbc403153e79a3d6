"""The sessions of a house: opened when somebody needs them, and gone on with."""

from __future__ import annotations

import os
from collections.abc import Callable

from ..agent.session import Session, Unkept
from ..backends.storage.reading import Reader
from ..backends.storage.salvage import open_store
from ..backends.storage.sqlite import SqliteStore
from ..core.errors import StorageError, UnknownNameError
from ..core.types import SessionInfo
from .house import House

Tell = Callable[[str], object]
FILE = "sessions.db"


def store_path(house: House) -> str:
    """Where the house keeps its sessions."""
    return os.path.join(house.home, FILE)


def open_sessions(house: House, tell: Tell) -> SqliteStore:
    """The store of the house, to write in; *tell* hears of damage that was mended. Raises `StorageError`."""
    store, salvaged = open_store(store_path(house))
    if salvaged:
        tell(salvaged.told)
    return store


def look_into_sessions(house: House, tell: Tell) -> Reader | None:
    """The stored sessions, to look at; None where there are none yet. Raises `StorageError`."""
    if not os.path.exists(store_path(house)):
        return None
    try:
        return Reader(store_path(house))
    except StorageError:  # damaged, or of an older version: opening it to write mends both
        return open_sessions(house, tell)


def find_session(house: House, name: str, tell: Tell) -> SessionInfo:
    """The session of that name. Raises `UnknownNameError`, and `StorageError` where the store can't be read."""
    reader = look_into_sessions(house, tell)
    if reader is None:
        raise UnknownNameError("session", name, (), "there are none yet: `handiwork run` and `handiwork chat` make them")
    return reader.find(name)


def open_session(house: House, about: SessionInfo, tell: Tell) -> Unkept:
    """The conversation that *about* describes: one of the store's, or a new one.

    A new one that can't be stored goes on unsaved and says so in its `problem`. Raises `StorageError`
    where a stored one can't be gone on with.
    """
    try:
        store = open_sessions(house, tell)
        return Session.resume(store, about) if about.number else Session(store, about)
    except StorageError as error:
        if about.number:
            raise
        return Unsaved(str(error))


class Unsaved(Unkept):
    """A conversation that should have been stored, and can't be."""

    def __init__(self, problem: str) -> None:
        self.problem = problem
