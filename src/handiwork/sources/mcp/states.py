"""The state of a server: what it is in, why, and since when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

# starting: being connected. connected: its tools can be called. degraded: connected, but something is
# amiss. needs_reauth: a person must log in. incompatible: no protocol version in common. held: a person must
# agree first. failed: couldn't be connected, is tried again. disabled: switched off. idle: not asked for yet.
StateName: TypeAlias = Literal[
    "idle", "starting", "connected", "degraded", "needs_reauth", "incompatible", "held", "failed", "disabled"
]
USABLE: frozenset[StateName] = frozenset({"connected", "degraded"})
BROKEN: frozenset[StateName] = frozenset({"failed", "needs_reauth", "incompatible", "held", "disabled"})
# What no further try will change by itself.
SETTLED: frozenset[StateName] = frozenset({"needs_reauth", "incompatible", "held", "disabled"})


@dataclass(frozen=True, slots=True)
class State:
    """`since` is in seconds since 1970; `fix` is what a person can do."""

    name: StateName
    reason: str = ""
    since: float = 0.0
    fix: str = ""
