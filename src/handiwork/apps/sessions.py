"""The sessions of a house: opened when somebody needs them, and gone on with."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass

from ..agent.session import Session, Unkept
from ..agent.waiting import Question, answer_body, open_questions, pick, questions_in
from ..backends.storage.connections import DamagedError
from ..backends.storage.reading import Reader
from ..backends.storage.salvage import open_store
from ..backends.storage.sqlite import SqliteStore
from ..core.errors import StorageError, UnknownNameError, UsageError
from ..core.types import Keep, SessionInfo, Usage
from ..core.usage import sum_of, usage_of
from ..core.wire import dumps
from ..guard.workspace import find_workspace
from .house import House

Tell = Callable[[str], object]
FILE = "sessions.db"


def store_path(house: House) -> str:
    """Where the house keeps its sessions."""
    return os.path.join(house.home, FILE)


def open_sessions(house: House, tell: Tell) -> SqliteStore:
    """The store of the house, to write in; *tell* hears of damage that was mended. Raises `StorageError`."""
    if isinstance(house.store, SqliteStore):
        return house.store
    store, salvaged = open_store(store_path(house))
    if salvaged:
        tell(salvaged.told)
    house.store = store
    return store


@contextmanager
def looking_into_sessions(house: House, tell: Tell) -> Iterator[Reader | None]:
    """The stored sessions, to look at; None where there are none yet. Raises `StorageError`."""
    if not os.path.exists(store_path(house)):
        yield None
        return
    with closing(_open_reader(house, tell)) as reader:
        yield reader


def _open_reader(house: House, tell: Tell) -> Reader:
    try:
        return Reader(store_path(house))
    except DamagedError:
        store, salvaged = open_store(store_path(house))
        if salvaged:
            tell(salvaged.told)
        return store


@contextmanager
def searching_sessions(house: House, tell: Tell) -> Iterator[Reader | None]:
    """The same, to search: where it can be written, its index is brought up to date first."""
    with looking_into_sessions(house, tell) as reader:
        writable = reader is not None and os.access(reader.path, os.W_OK)
        yield open_sessions(house, tell) if writable else reader


def find_session(house: House, name: str, tell: Tell) -> SessionInfo:
    """The session of that name. Raises `UnknownNameError`, and `StorageError` where the store can't be read."""
    with looking_into_sessions(house, tell) as reader:
        if reader is None:
            raise UnknownNameError("session", name, (), "there are none yet: `handiwork run` makes one")
        return reader.find(name)


def open_session(house: House, about: SessionInfo, tell: Tell, *, waits: bool = False) -> Unkept:
    """The conversation that *about* describes: one of the store's, or a new one.

    One that *waits* ends where somebody must be asked, to be gone on with when they have answered.

    A new one that can't be stored goes on unsaved and says so in its `problem`. Raises `StorageError`
    where a stored one can't be gone on with.
    """
    try:
        store = open_sessions(house, tell)
        open_it = Session.resume if about.number else Session
        return open_it(store, about, waits=waits)
    except StorageError as error:
        if about.number:
            raise
        return Unsaved(str(error))


def used_in(reader: Reader, info: SessionInfo) -> Usage:
    """What a session has used, with those that worked for it. A reply whose numbers are lost has no known price."""
    own = sum_of(map(usage_of, reader.used(info.number)))
    return own + sum_of(used_in(reader, other) for other in reader.delegates(info.id))


def used_by(house: House, info: SessionInfo, tell: Tell) -> Usage:
    """The same, of a session of the house."""
    with looking_into_sessions(house, tell) as reader:
        return used_in(reader, info) if reader else Usage()


def waiting_calls(reader: Reader) -> list[tuple[SessionInfo, Question]]:
    """The calls that wait for an answer, with their sessions, the newest first."""
    waiting = (info for info in reader.sessions(-1) if info.state in ("waiting", "forked"))
    return [(info, question) for info in waiting for question in open_questions(reader.entries(info.number))]


@dataclass(frozen=True, slots=True)
class Reply:
    """What a person says to a call that waits. `store` keeps a rule, and says where; it is called once."""

    said: str
    note: str = ""
    keep: Keep = "once"
    breadth: str = "exact"
    store: Callable[[str, str, Keep], str] | None = None


def answer_call(store: SqliteStore, info: SessionInfo, call: str, reply: Reply) -> tuple[Question, str]:
    """Answer a call that waits, once; where a rule was kept, too. Raises `UsageError` for what is no answer, or not
    wanted (any more)."""
    store.claim(info)
    try:
        entries = list(store.entries(info.number))
        question = pick(questions_in(entries), call)
        rule = _rule_of(question, reply)
        body = dumps(answer_body(question, reply.said, reply.note, keep=reply.keep, rule=rule))
        lasts = reply.keep in ("project", "always") and reply.store is not None
        place = reply.store(find_workspace(info.cwd), rule, reply.keep) if lasts and reply.store else ""
        store.append(info.number, entries[-1].seq + 1, "answer", call=call, body=body)
    finally:
        store.release(info, info.state)
    return question, place


def _rule_of(question: Question, reply: Reply) -> str:
    """The offered rule of the breadth that a yes is to have. Raises `UsageError` where there is none."""
    if reply.said.lower() != "yes" or reply.keep == "once" or question.about != "approval":
        return ""
    offers = {breadth: rule for breadth, rule, _ in question.facts.get("offers", ())}
    if reply.keep == "session" and reply.breadth == "exact":
        return ""
    if reply.breadth not in offers:
        there = ", ".join(offers) or "none: it can be allowed once, or for the session"
        raise UsageError(f"no rule of the breadth {reply.breadth} answers this call", f"there are: {there}")
    return str(offers[reply.breadth])


def close_sessions(house: House) -> None:
    """Let go of the store: what its log holds is put into the file."""
    if isinstance(house.store, SqliteStore):
        house.store.close()
        house.store = None


class Unsaved(Unkept):
    """A conversation that should have been stored, and can't be."""

    def __init__(self, problem: str) -> None:
        self.problem = problem
