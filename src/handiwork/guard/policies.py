"""The verdict on a call, from its tool's traits and origin and from its arguments; never from its name."""

from __future__ import annotations

from collections.abc import Sequence

from handiwork.core.config import MODES, Mode
from handiwork.core.errors import UsageError
from handiwork.core.types import ALLOW, UNDECLARED, Allow, Ask, Judge, Ready, ToolEntry, Verdict

from . import raters
from .modes import in_mode
from .raters import Bounds


def policy(mode: Mode = "accept-edits", readable: Sequence[str] = ()) -> Judge:
    """A judge for one mode. *readable* are folders outside the workspace that may be read unasked.

    `accept-edits` lets edits inside the workspace pass, `ask` asks for each of them, `read-only`
    forbids whatever isn't a read, and `yolo` takes every ask as a yes; what is forbidden stays so.
    """
    if mode not in MODES:
        raise UsageError(f"unknown mode: {mode!r}", f"use one of {', '.join(MODES)}")
    bounds = Bounds(mode, readable)

    def judge(ready: Ready, /) -> Verdict:
        entry = ready.entry
        if not (entry.traits.touches or ready.provenance) and bounds.mode != "read-only" and _is_own(entry):
            return ALLOW
        found = _found(ready, bounds)
        return in_mode(raters.together(found), entry, bounds.mode, proven=_is_proven(found, entry))

    return judge


def _is_own(entry: ToolEntry) -> bool:
    """Whether the tool is part of the house, of the calling code, or of the person's own folder."""
    origin = entry.origin
    return origin == "builtin" or origin == "code" or origin.startswith("plugin:user/")  # noqa: PLR1714 (faster)


def _found(ready: Ready, bounds: Bounds) -> list[Verdict]:
    """The verdict on the tool itself, and on each thing that the call touches."""
    entry = ready.entry
    touched = [*raters.found(ready, bounds), *_strange(ready)]
    if _is_own(entry) or not _is_undeclared(entry):
        return touched
    unknown = f"{entry.name} comes from {entry.origin} and doesn't say what it does"
    return [Ask(unknown, (f"tool:{entry.name}",)), *touched]


def _strange(ready: Ready) -> list[Verdict]:
    """What to ask where values of the call come from text that nobody here wrote."""
    name = ready.entry.name
    return [
        Ask(_STRANGE.format(argument, label.source), tuple(f"flow:{name}:{argument}:{v}" for v in label.values))
        for argument, label in ready.provenance.items()
        if not (ready.entry.traits.touches.get(argument) == "command" and raters.only_looks(ready, argument))
    ]


_STRANGE = "its {} comes from outside, and nobody here named it: {}"


def _is_undeclared(entry: ToolEntry) -> bool:
    """A server's hints aren't trusted; a plugin's traits are code that the person installed."""
    return entry.traits == UNDECLARED or entry.origin.startswith("mcp:")


def _is_proven(found: list[Verdict], entry: ToolEntry) -> bool:
    """Whether all that the call does is commands that the guard found to only read."""
    return bool(found) and all(isinstance(v, Allow) for v in found) and _runs_commands(entry)


def _runs_commands(entry: ToolEntry) -> bool:
    """Whether the tool runs commands. A path beside a command is the folder that it runs in."""
    kinds = set(entry.traits.touches.values())
    return "command" in kinds and kinds <= {"command", "path"}
