"""Which sessions are to go: old ones, all but the last, those that ended in some way; never one that is worked on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ..backends.storage.sqlite import SqliteStore
from ..core.errors import SessionBusyError, UsageError
from ..core.types import DELEGATE, SessionInfo

_DAY_MS = 24 * 3600 * 1000
# Somebody may still want to answer: they go only where they are named.
_WAITING = "waiting"


@dataclass(frozen=True, slots=True)
class Pruning:
    """What has to hold of a session for it to go: all of what is said.

    `days` since it was last worked on; it isn't among the `keep` newest of a person's; its state is one of `states`.
    The sessions of delegates go with the session that they worked for.
    """

    days: float | None = None
    keep: int | None = None
    states: frozenset[str] = frozenset()

    def check(self) -> None:
        """Raises `UsageError` where nothing is said, or what can't be."""
        if self.days is None and self.keep is None and not self.states:
            raise UsageError("it isn't said which sessions are to go", "--older-than DAYS, --keep N, --state STATE")
        for flag, value in (("--older-than", self.days), ("--keep", self.keep)):
            if value is not None and value < 0:
                raise UsageError(f"{flag} must be at least 0, got {value:g}")

    def choose(self, sessions: Iterable[SessionInfo], now_ms: int) -> list[SessionInfo]:
        """Those of *sessions* (the newest first) that are to go."""
        sessions = list(sessions)
        known = {info.id for info in sessions}
        own = [info for info in sessions if info.platform != DELEGATE or info.parent not in known]
        gone = {info.id for n, info in enumerate(own) if self._takes(info, n, now_ms)}
        while more := {i.id for i in sessions if _goes_along(i, gone)} - gone:  # delegates may have delegated
            gone |= more
        return [info for info in sessions if info.id in gone]

    def _takes(self, info: SessionInfo, position: int, now_ms: int) -> bool:
        if info.state == "running" or (info.state == _WAITING and _WAITING not in self.states):
            return False
        last = info.ended or info.started
        is_old = self.days is None or now_ms - last >= self.days * _DAY_MS
        is_beyond = self.keep is None or position >= self.keep
        return is_old and is_beyond and (not self.states or info.state in self.states)


def _goes_along(info: SessionInfo, gone: set[str]) -> bool:
    return info.platform == DELEGATE and info.parent in gone and info.state != "running"


def prune(store: SqliteStore, sessions: Sequence[SessionInfo], tell: Callable[[str], object]) -> list[SessionInfo]:
    """Remove *sessions* and all that they hold; those that are gone. One that somebody began to work on stays."""
    gone = []
    for info in sessions:
        try:
            store.delete(info)
        except SessionBusyError as error:
            tell(f"{info.id} stays: {error}")
        else:
            gone.append(info)
    return gone
