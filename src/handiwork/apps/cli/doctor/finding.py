"""What a look has found, how bad it is, and what would mend it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

State: TypeAlias = Literal["ok", "warning", "problem"]


@dataclass(frozen=True, slots=True)
class Mend:
    """What `--fix` can do about a finding. `do` says what it did; a *careful* one is done only after a question."""

    what: str
    do: Callable[[], str]
    careful: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at: where it belongs, what it is called, and what is the matter with it."""

    group: str
    name: str
    state: State
    detail: str
    fix: str = ""
    mend: Mend | None = None
