"""Which sessions go: what is said of them must all hold, and nobody's work is taken away."""

from __future__ import annotations

import pytest

from handiwork.apps.pruning import Pruning
from handiwork.core.errors import UsageError
from handiwork.core.types import DELEGATE, SessionInfo

DAY = 24 * 3600 * 1000
NOW = 1_000 * DAY


def session(name, days, state="answered", **more):
    """One that was last worked on so many days ago."""
    return SessionInfo(name, state=state, started=NOW - days * DAY, **more)


SESSIONS = [  # the newest first
    session("new", 0),
    session("running", 1, "running"),
    session("helper", 1, platform=DELEGATE, parent="running"),
    session("waits", 5, "waiting"),
    session("limit", 6, "limit"),
    session("hand", 30, platform=DELEGATE, parent="old"),
    session("finger", 30, platform=DELEGATE, parent="hand"),
    session("old", 31),
    session("older", 40, "limit"),
    session("orphan", 50, platform=DELEGATE, parent="gone"),
    session("revived", 90, ended=NOW - DAY),
]


@pytest.mark.parametrize(
    ("wanted", "goes"),
    [
        (Pruning(days=30), "hand finger old older orphan"),
        (Pruning(days=0), "new limit hand finger old older orphan revived"),
        (Pruning(keep=1), "limit hand finger old older orphan revived"),
        (Pruning(keep=4), "hand finger old older orphan revived"),
        (Pruning(keep=99), ""),
        (Pruning(states=frozenset({"limit"})), "limit older"),
        (Pruning(states=frozenset({"waiting"})), "waits"),
        (Pruning(states=frozenset({"running"})), ""),
        (Pruning(days=7, states=frozenset({"limit"})), "older"),
        (Pruning(days=7, keep=6), "orphan"),
    ],
)
def test_what_goes(wanted, goes):
    assert [info.id for info in wanted.choose(SESSIONS, NOW)] == goes.split()


@pytest.mark.parametrize("wanted", [Pruning(), Pruning(days=-1), Pruning(keep=-2)])
def test_what_can_not_be_meant(wanted):
    with pytest.raises(UsageError):
        wanted.check()
