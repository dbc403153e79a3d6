"""The verdict on a call, from its tool's traits and origin and from its arguments; never from its name.

Only the rules of a person name tools: they are asked before and after.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from handiwork.core.config import MODES, Mode
from handiwork.core.errors import UsageError
from handiwork.core.loading import Late
from handiwork.core.types import ALLOW, UNDECLARED, Allow, Ask, Forbid, Judge, Ready, Standing, ToolEntry, Verdict

from . import raters
from .modes import in_mode, in_session
from .raters import Bounds, Rated

if TYPE_CHECKING:
    from .programs.entry import Program
    from .rules.fences import Fence
    from .rules.rulebook import Rulebook

fact = Late("handiwork.guard.rules.facts")


def policy(
    mode: Mode = "accept-edits",
    readable: Sequence[str] = (),
    *,
    listed: Sequence[str] = (),
    rules: Callable[[str], Rulebook | None] | None = None,
    programs: Mapping[str, Program] | None = None,
    fences: Sequence[Fence] = (),
    clean: Callable[[Ready], bool] | None = None,
) -> Judge:
    """A judge for one mode. *readable* are folders outside the workspace that may be read unasked, *listed*
    hosts of this machine and its network that may be fetched from.

    `accept-edits` lets edits inside the workspace pass, `ask` asks for each of them, `auto` lets pass what
    is contained or can be put back, too, `read-only` forbids whatever isn't a read, and `yolo` takes every
    ask as a yes; what is forbidden stays so. *rules* gives those that hold now in a workspace, None where
    there are none, *programs* are a person's own entries beside the table's, *fences* what no call may reach
    beyond. *clean* says whether a call holds no text from outside, for `auto`.
    """
    if mode not in MODES:
        raise UsageError(f"unknown mode: {mode!r}", f"use one of {', '.join(MODES)}")
    usual, careful = Bounds(mode, readable, programs, listed), Bounds("ask", readable, programs, listed)

    def judge(ready: Ready, /) -> Verdict:
        entry, stand = ready.entry, ready.call.scope.standing
        bounds = careful if mode == "auto" and stand is not None and stand.demoted else usual
        book = rules(ready.call.scope.workspace) if rules is not None else None
        traits = entry.traits
        is_free = not (book or fences or traits.touches or traits.destructive or ready.provenance)
        if is_free and bounds.mode != "read-only" and _is_own(entry):
            return ALLOW
        found = raters.found(ready, bounds)
        verdict = _verdict_on(ready, found, bounds.mode, book, fences)
        if stand is not None or mode == "auto":
            verdict = in_session(verdict, ready, mode=mode, stand=stand or Standing(), found=found, clean=clean)
        return _telling(verdict, found)

    return judge


def _verdict_on(
    ready: Ready, found: Sequence[Rated], mode: Mode, book: Rulebook | None, fences: Sequence[Fence]
) -> Verdict:
    """The verdict on what was *found* of the call, on its tool and on where its values come from."""
    entry, of_call = ready.entry, [rated.verdict for rated in found]
    of_tool, strange = asks_of_tool(entry), _strange(ready, found)
    proven = _is_proven([*of_tool, *of_call, *strange], entry)
    if not (book or fences):
        return in_mode(raters.together([*of_tool, *of_call, *strange]), entry, mode, proven=proven)
    facts = fact.Facts(ready, found)
    barred = next(filter(None, (fence.bars(facts) for fence in fences)), None)
    ruled = [said for one in (book, *(fence.book for fence in fences)) if one and (said := one.rule_on(facts))]
    denied = barred or next((said for said in ruled if isinstance(said, Forbid)), None)
    if denied:
        return denied
    # Rules lift neither the guard's own no nor what it asks because somebody from outside named the values.
    lifted = [book.lifted(facts, of_tool, mode)] if book else [*of_tool, *of_call]
    held = in_mode(raters.together([*lifted, *strange]), entry, mode, proven=proven)
    return held if not ruled or isinstance(held, Forbid) else raters.together([ruled[0], held])


def _telling(verdict: Verdict, found: Sequence[Rated]) -> Verdict:
    """The verdict with what was found of commands, for whoever keeps a record: a second look takes 50 us."""
    judged = [rated.command for rated in found if rated.command is not None]
    if not judged or isinstance(verdict, Forbid):
        return verdict
    return replace(verdict, effects=tuple(effect for command in judged for effect in command.told()))


def _is_own(entry: ToolEntry) -> bool:
    """Whether the tool is part of the house, of the calling code, or of the person's own folder."""
    origin = entry.origin
    return origin == "builtin" or origin == "code" or origin.startswith("plugin:user/")  # noqa: PLR1714 (faster)


def asks_of_tool(entry: ToolEntry) -> list[Verdict]:
    """What is to be said of the tool itself, whatever it touches."""
    if entry.traits.destructive and entry.traits.open_world:
        return [Ask("it changes something out there, which may not be undone", (f"tool:{entry.name}",))]
    if _is_own(entry) or not _is_undeclared(entry):
        return []
    unknown = f"{entry.name} comes from {entry.origin} and doesn't say what it does"
    return [Ask(unknown, (f"tool:{entry.name}",))]


def _strange(ready: Ready, found: Sequence[Rated]) -> list[Verdict]:
    """What to ask where values of the call come from text that nobody here wrote."""
    if not ready.provenance:
        return []
    name, touches = ready.entry.name, ready.entry.traits.touches
    only_looks = all(rated.command.only_looks for rated in found if rated.command is not None)
    return [
        Ask(_STRANGE.format(argument, label.source), tuple(f"flow:{name}:{argument}:{v}" for v in label.values))
        for argument, label in ready.provenance.items()
        if not (only_looks and touches.get(argument) == "command")
    ]


_STRANGE = "its {} comes from outside, and nobody here named it: {}"


def _is_undeclared(entry: ToolEntry) -> bool:
    """A server's hints aren't trusted; a plugin's traits are code that the person installed."""
    return entry.traits == UNDECLARED or (entry.origin.startswith("mcp:") and not entry.traits.vouched)


def _is_proven(found: list[Verdict], entry: ToolEntry) -> bool:
    """Whether all that the call does is commands that the guard found to only read."""
    return bool(found) and all(isinstance(v, Allow) for v in found) and _runs_commands(entry)


def _runs_commands(entry: ToolEntry) -> bool:
    """Whether the tool runs commands. A path beside a command is the folder that it runs in."""
    kinds = set(entry.traits.touches.values())
    return "command" in kinds and kinds <= {"command", "path"}
