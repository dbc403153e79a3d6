"""The sessions of a house: opened when somebody needs them, and gone on with."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

from ..agent.session import Session, Unkept
from ..backends.storage.reading import Reader
from ..backends.storage.salvage import open_store
from ..backends.storage.sqlite import SqliteStore
from ..core.errors import StorageError, UnknownNameError
from ..core.types import SessionInfo
from .house import House

Tell = Callable[[str], object]
FILE = "sessions.db"


@dataclass(frozen=True, slots=True)
class Wish:
    """Which conversation an agent shall have: the one to *resume*, or a new one; not kept where *save* is off."""

    resume: str = ""
    save: bool = True


def path_of(house: House) -> str:
    """Where the house keeps its sessions."""
    return os.path.join(house.home, FILE)


def open_sessions(house: House, tell: Tell) -> SqliteStore:
    """The store of the house, to write in; *tell* hears of damage that was mended. Raises `StorageError`."""
    store, salvaged = open_store(path_of(house))
    if salvaged:
        tell(salvaged.told)
    return store


def look_into_sessions(house: House, tell: Tell) -> Reader:
    """The stored sessions, to look at: nothing is made where there are none. Raises `StorageError`."""
    if not os.path.exists(path_of(house)):
        raise UnknownNameError("session", "", (), "there are none yet: `handiwork run` and `handiwork chat` make them")
    try:
        return Reader(path_of(house))
    except StorageError:
        return open_sessions(house, tell)


def open_session(house: House, wish: Wish, about: SessionInfo, tell: Tell) -> Unkept:
    """The conversation that is wished for. One that can't be saved is told once, and goes on unsaved.

    Raises `StorageError` where a session to resume can't be read, and `UsageError` where it isn't there.
    """
    if not wish.save and not wish.resume:
        return Unkept()
    try:
        store = open_sessions(house, tell)
    except StorageError as error:
        if wish.resume:
            raise
        tell(f"this session is not saved: {error} ({error.hint}; --no-save says that you know)")
        return Unsaved(str(error))
    return Session.resume(store, store.find(wish.resume)) if wish.resume else Session(store, about)


class Unsaved(Unkept):
    """A conversation that should have been stored, and can't be."""

    def __init__(self, problem: str) -> None:
        self.problem = problem
