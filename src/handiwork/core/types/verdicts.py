"""What the guard says of a call, and what a person answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Allow:
    """The guard has nothing against the call."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A person must say yes first. `keys` are what a stored answer would cover, exactly."""

    reason: str
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Forbid:
    """The call doesn't run, whoever says yes."""

    reason: str
    hint: str = ""


Verdict: TypeAlias = Allow | Ask | Forbid
ALLOW = Allow()


@dataclass(frozen=True, slots=True)
class Answer:
    """What the person said. `note` goes to the model when the answer is no."""

    allowed: bool
    keep: Literal["once", "session", "always"] = "once"
    note: str = ""
