"""How far and how much an agent may hand on to others. What the tool says, and what holds."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

# Set for every command: an agent that it starts knows by it how many stand above it.
DEPTH_VARIABLE = "HANDIWORK_DEPTH"


@dataclass(frozen=True, slots=True)
class DelegationLimits:
    """Bounds of one call and of each of its tasks.

    An agent that a person started has depth 0; none is deeper than `depth`. `quiet_s` is how long a model
    may be silent. Times are seconds.
    """

    depth: int = 2
    tasks: int = 8
    at_once: int = 4
    steps: int = 40
    tokens: int = 400_000
    seconds: float = 900.0
    quiet_s: float = 300.0


DELEGATION_LIMITS = DelegationLimits()


def depth_here() -> int:
    """How many agents stand above one that begins in this process."""
    return depth_of(os.environ)


def depth_of(variables: Mapping[str, str]) -> int:
    """The same for a process with those variables."""
    said = variables.get(DEPTH_VARIABLE, "")
    return int(said) if said.isascii() and said.isdigit() else 0
