"""What the guard says of a call, and what a person answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Allow:
    """The guard has nothing against the call. `rule` names the rule that says so, or is "".

    `effects` are what its commands would do, in words; None where nobody has looked.
    """

    rule: str = ""
    effects: tuple[str, ...] | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Ask:
    """A person must say yes first. `keys` are what a stored answer would cover, exactly; the rest as in `Allow`.

    A `firm` one is for a person alone: neither the mode, nor a model, nor an earlier yes answers it.
    """

    reason: str
    keys: tuple[str, ...] = ()
    rule: str = ""
    firm: bool = False
    effects: tuple[str, ...] | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Forbid:
    """The call doesn't run, whoever says yes. `rule` as in `Allow`."""

    reason: str
    hint: str = ""
    rule: str = ""


# For how long an answer holds. "project" and "always" are stored as a rule, the others are not.
Keep: TypeAlias = Literal["once", "session", "project", "always"]
Verdict: TypeAlias = Allow | Ask | Forbid
ALLOW = Allow()


@dataclass(frozen=True, slots=True)
class Answer:
    """What the person said. `note` goes to the model when the answer is no, `rule` is what a kept yes covers."""

    allowed: bool
    keep: Keep = "once"
    note: str = ""
    rule: str = ""


@dataclass(slots=True)
class Standing:
    """How one session stands with the person and the guard. Delegates share their principal's.

    `granted` are the keys, and `rules` the rules, that were said yes to for as long as it lives. `denied`
    maps what a person said no to (what it is, and what it is done to) to words about that. `noes` counts
    denials in a row, where `counts`; `demoted` says that the mode `auto` is over here, `told` that the person
    knows.
    """

    granted: set[str] = field(default_factory=set)
    rules: list[str] = field(default_factory=list)
    denied: dict[tuple[str, str], str] = field(default_factory=dict)
    counts: bool = False
    noes: int = 0
    demoted: bool = False
    told: bool = False
