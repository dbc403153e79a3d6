"""A fence around a session: what no call may reach beyond, whatever rules, mode and person say."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from handiwork.core.types import Forbid

from ..effects import Invocation
from ..shell.marks import is_known, shown
from ..verdict import CommandVerdict
from .facts import TAKES, Facts
from .globs import PathGlob
from .rulebook import Rulebook, is_host

_HINT = "work inside it; a person may choose another profile"


@dataclass(frozen=True, slots=True)
class Fence:
    """What a profile leaves; None is no bound. `book` holds its rules that ask and deny.

    `is_kept` says that the kernel keeps commands from writing and from the network elsewhere. Where it doesn't, only
    commands run that are known to only read; so it is always where reading is bounded.
    """

    name: str
    tools: frozenset[str] | None = None
    read: tuple[PathGlob, ...] | None = None
    write: tuple[PathGlob, ...] | None = None
    hosts: tuple[str, ...] | None = None
    book: Rulebook = field(default_factory=Rulebook)
    is_kept: bool = False

    def bars(self, facts: Facts) -> Forbid | None:
        """Why a call would reach beyond; None where it doesn't."""
        why = next(filter(None, (look(self, facts) for look in _LOOKS)), "")
        return Forbid(f"{why}, beyond the profile {self.name}", _HINT, f"profile {self.name}") if why else None


def _tool(fence: Fence, facts: Facts) -> str:
    return "" if fence.tools is None or facts.name in fence.tools else f"it calls {facts.name}"


def _written(fence: Fence, facts: Facts) -> str:
    if fence.write is None:
        return ""
    effects = (effect for command in facts.commands for effect in command.effects)
    unknown = next((e.target for e in effects if e.kind in TAKES and not is_known(e.target)), None)
    if unknown is not None:
        return f"it writes to what is only known when it runs ({shown(unknown)})"
    real = sorted(set(map(os.path.realpath, facts.written)))
    return next((f"it writes {path}" for path in real if not _is_in(path, fence.write)), "")


def _read(fence: Fence, facts: Facts) -> str:
    if fence.read is None:
        return ""
    there = (path for path in facts.read if path in facts.surely_read or os.path.lexists(path))
    real = sorted(set(map(os.path.realpath, there)))
    return next((f"it reads {path}" for path in real if not _is_in(path, fence.read)), "")


def _is_in(path: str, globs: Iterable[PathGlob]) -> bool:
    return any(glob.covers(path) for glob in globs)


def _host(fence: Fence, facts: Facts) -> str:
    if fence.hosts is None:
        return ""
    named = next((h for h in sorted(facts.hosts) if not any(is_host(h, known) for known in fence.hosts or ())), "")
    return f"it reaches {named}" if named else ""


def _command(fence: Fence, facts: Facts) -> str:
    """Commands do what their text doesn't say."""
    if fence.read is None and (fence.is_kept or (fence.write is None and fence.hosts is None)):
        return ""
    for rated in facts.rated:
        if rated.command is not None and not _only_looks(rated.command):
            return f"it runs what isn't known to only read, and nothing here would keep it in ({rated.text[:60]})"
    return ""


def _only_looks(command: CommandVerdict) -> bool:
    return command.only_reads and all(map(_is_plain, command.started))


def _is_plain(invocation: Invocation) -> bool:
    return all(map(is_known, invocation.words))


def _unseen(fence: Fence, facts: Facts) -> str:
    """What neither its tool's traits nor a command's text tell."""
    if fence.read is None and fence.write is None and fence.hosts is None:
        return ""
    traits, origin = facts.ready.entry.traits, facts.origin
    if "code" in traits.touches.values() or "recipient" in traits.touches.values():
        return f"{facts.name} does what can't be seen"
    is_ours = origin in ("builtin", "code")
    named = fence.tools is not None and facts.name in fence.tools
    return "" if is_ours or named or traits.touches else f"{facts.name} doesn't say what it touches"


_LOOKS: tuple[Callable[[Fence, Facts], str], ...] = (_tool, _unseen, _written, _read, _host, _command)
