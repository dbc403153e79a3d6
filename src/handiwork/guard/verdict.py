"""What the guard answers: an action, the reasons for it, and what the thing would touch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from .effects import Effect, Invocation

Action: TypeAlias = Literal["allow", "ask", "forbid"]

_MOST_TOLD: Final = 50
# The kinds of effects that change nothing.
READING: Final = frozenset(("read", "list", "fetch"))
_LOOKING: Final = READING - {"fetch"}
EDITING: Final = frozenset(
    (
        "write",
        "append",
        "truncate",
        "delete",
        "delete_tree",
        "move_away",
        "mode",
        "mode_tree",
        "mode_open",
        "make",
        "own",
    )
)


@dataclass(frozen=True, slots=True)
class CommandVerdict:
    """The verdict on a shell command.

    `effects` are what it would do, each with its target and place in the text, `asked` those of them that ask, with
    the reason. `started` are the programs that it would start, `read` the paths that it would read.
    """

    action: Action
    reasons: list[str] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)
    started: list[Invocation] = field(default_factory=list)
    read: list[str] = field(default_factory=list)
    asked: list[tuple[Effect, str]] = field(default_factory=list)

    @property
    def only_reads(self) -> bool:
        """Whether it may run and is known to change nothing."""
        return self.action == "allow" and all(effect.kind in READING for effect in self.effects)

    def told(self) -> tuple[str, ...]:
        """Its effects in words, each once."""
        return tuple(dict.fromkeys(f"{e.kind} {e.target}".rstrip() for e in self.effects[:_MOST_TOLD]))

    @property
    def only_looks(self) -> bool:
        """Whether it may run and is known to look at what is here alone: it changes nothing, and reaches nobody."""
        return self.action == "allow" and all(effect.kind in _LOOKING for effect in self.effects)

    @property
    def edits(self) -> list[str]:
        """The paths that it would write, move or delete, as far as they are known."""
        return list(dict.fromkeys(effect.target for effect in self.effects if effect.kind in EDITING))


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
