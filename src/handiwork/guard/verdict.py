"""What the guard answers: an action, the reasons for it, and what the thing would touch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Action: TypeAlias = Literal["allow", "ask", "forbid"]


@dataclass(frozen=True, slots=True)
class CommandVerdict:
    """The verdict on a shell command. `effects` are words such as `run:ls` or `write:out.txt`."""

    action: Action
    reasons: list[str] = field(default_factory=list)
    effects: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class PathVerdict:
    """The verdict on one path; `real` is what it resolves to, empty where it can't be resolved."""

    action: Action
    reasons: list[str] = field(default_factory=list)
    real: str = ""


@dataclass(frozen=True, slots=True)
class UrlVerdict:
    """The verdict on one URL; `host` is its host in plain ASCII where it could be read."""

    action: Action
    reasons: list[str] = field(default_factory=list)
    host: str = ""
