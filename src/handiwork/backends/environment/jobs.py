"""The background processes of an environment: whose they are, how long they live, what is to be told of them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal
from weakref import WeakKeyDictionary

from ...core.errors import UnknownNameError, UsageError
from ...core.types import Environment, Process
from .exits import ending

Lifetime = Literal["turn", "session", "detached"]

MAX_RUNNING = 32
MAX_ENDED = 32
MAX_SESSIONS = 1024
# Of what comes again and again, a session hears no more often than this. Seconds.
WATCH_EVERY_S = 30.0
_COMMAND_CHARS = 60


class Watch:
    """Counts how often a text comes in what a process prints, also across the pieces it comes in."""

    def __init__(self, text: str) -> None:
        self.text, self._needle, self._tail = text, text.encode(), b""
        self.seen = 0

    def hear(self, chunk: bytes) -> None:
        heard = self._tail + chunk
        self.seen += heard.count(self._needle)
        self._tail = heard[max(len(heard) - len(self._needle) + 1, 0) :]


@dataclass(slots=True)
class Job:
    """A process, and what its session has been told of it."""

    process: Process
    lifetime: Lifetime = "session"
    watch: Watch | None = None
    told_end: bool = False
    told_seen: int = 0
    told_at: float = float("-inf")

    def news(self, now: float) -> str:
        """One line about what happened since it was last asked, empty if nothing did; an end is told once."""
        if self.told_end:
            return ""
        ended = self.process.poll()
        said = self._seen(now, last=ended is not None)
        if ended is not None:
            self.told_end = True
            said.append(f"has ended with {ending(ended)}")
        return f"{self.process.id} ({shortened(self.process.command)}) {' and '.join(said)}" if said else ""

    def _seen(self, now: float, *, last: bool) -> list[str]:
        seen = self.watch.seen if self.watch else 0
        fresh = seen - self.told_seen
        if self.watch is None or not fresh or (now - self.told_at < WATCH_EVERY_S and not last):
            return []
        self.told_seen, self.told_at = seen, now
        return [f"has printed {self.watch.text!r} {f'{fresh} times' if fresh > 1 else 'once'}"]


class Jobs:
    """The processes of all sessions of one environment; each session sees its own. Thread-safe."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._lock, self._now = threading.Lock(), now
        self._sessions: dict[str, dict[str, Job]] = {}

    def room(self, session: str) -> None:
        """Raises `UsageError` when the session has as many running processes as it may have."""
        if sum(process.poll() is None for process in self.of(session).values()) >= MAX_RUNNING:
            raise UsageError(f"{MAX_RUNNING} background processes are running", "end some of them first")

    def add(self, session: str, job: Job) -> None:
        """Remember *job*; of those that have ended, the oldest are forgotten, and so are very old sessions."""
        if job.watch:
            job.process.listen(job.watch.hear)
        with self._lock:
            rows = self._sessions.setdefault(session, {})
            rows[job.process.id] = job
            for name in _ended(rows)[:-MAX_ENDED]:
                del rows[name]
            if len(self._sessions) > MAX_SESSIONS:
                self._forget_a_session()

    def _forget_a_session(self) -> None:
        """The oldest one in which nothing runs any more."""
        over = next((name for name, rows in self._sessions.items() if len(_ended(rows)) == len(rows)), None)
        if over is not None:
            del self._sessions[over]

    def rows(self, session: str) -> list[Job]:
        """The jobs of one session, oldest first."""
        with self._lock:
            return list(self._sessions.get(session, {}).values())

    def of(self, session: str) -> dict[str, Process]:
        """The processes of one session by their ids, oldest first."""
        return {job.process.id: job.process for job in self.rows(session)}

    def get(self, session: str, id: str) -> Process:
        """One process. Raises `UnknownNameError` naming those that there are."""
        known = self.of(session)
        if id not in known:
            raise UnknownNameError("process", id, known, f"there are: {', '.join(known) or 'none'}")
        return known[id]

    def notices(self, session: str) -> list[str]:
        """What happened to the session's processes since this was last asked, a line each."""
        with self._lock:
            rows = self._sessions.get(session)
            if not rows:
                return []
            now = self._now()
            return [news for job in rows.values() if (news := job.news(now))]

    def end_turn(self, session: str) -> None:
        """End the processes that were to live no longer than the turn; nothing is told of them."""
        self._end(session, ("turn",))

    def end_session(self, session: str) -> None:
        """End the processes of a session that is over, but for the detached ones."""
        self._end(session, ("turn", "session"))

    def _end(self, session: str, lifetimes: tuple[Lifetime, ...]) -> None:
        for job in self.rows(session):
            if job.lifetime in lifetimes and not job.told_end:
                job.told_end = True
                job.process.kill()


class SessionJobs:
    """The processes of one session as its agent sees them (core.types `Background`)."""

    def __init__(self, environment: Environment, session: str) -> None:
        self._jobs, self._session = jobs_of(environment), session

    def notices(self) -> list[str]:
        """What happened since this was last asked, a line each; each thing is told once."""
        return self._jobs.notices(self._session)

    def end_turn(self) -> None:
        """End the processes that were to live no longer than the turn."""
        self._jobs.end_turn(self._session)

    def end_session(self) -> None:
        """End all but those that outlive even this process."""
        self._jobs.end_session(self._session)


def _ended(rows: dict[str, Job]) -> list[str]:
    return [name for name, job in rows.items() if job.process.poll() is not None]


def shortened(command: str) -> str:
    """A command as it is named in one line."""
    line = " ".join(command.split())
    return line if len(line) <= _COMMAND_CHARS else line[: _COMMAND_CHARS - 3] + "..."


class _Tables:
    """The table of each environment that has one, gone with it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._of: WeakKeyDictionary[Environment, Jobs] = WeakKeyDictionary()

    def of(self, environment: Environment) -> Jobs:
        with self._lock:
            return self._of.setdefault(environment, Jobs())


jobs_of = _Tables().of
