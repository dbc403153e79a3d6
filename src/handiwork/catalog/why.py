"""Why is a tool visible, or not? Asked of the same resolver that supplies the model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..core.errors import near_names
from ..core.types import ToolEntry
from .presets import SEARCH
from .supply import Names, Supply, as_names


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """One question on the way to the model, its answer, and what mends a no."""

    question: str
    passed: bool
    detail: str = ""
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Story:
    """The checkpoints of one tool in order, up to the first no."""

    tool: str
    checkpoints: tuple[Checkpoint, ...]

    @property
    def visible(self) -> bool:
        return all(c.passed for c in self.checkpoints)


@dataclass(frozen=True, slots=True)
class Wells:
    """What is known of where tools come from: modules that failed to load, and files that were looked at.

    `failures` maps a file or plugin to what went wrong; `silent` are files that register nothing, `waiting` those
    of a project that the person doesn't trust yet.
    """

    failures: Mapping[str, str] = field(default_factory=dict)
    silent: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()


def explain(
    supply: Supply,
    name: str,
    enabled: Iterable[str] | None,
    disabled: Iterable[str] = (),
    wells: Wells | None = None,
) -> Story:
    """The checkpoints for *name* under a selection, ending at the first that fails."""
    chosen = None if enabled is None else as_names(enabled)
    entry = supply.registry.get(name)
    if entry is None:
        return Story(name, (_unregistered(supply, name, wells or Wells()),))
    found = [Checkpoint("registered", True, f"{where(entry)}, toolset {entry.toolset}, from {entry.origin}")]
    found += [Checkpoint("refused", True, f"an intruder was refused: {r}") for r in supply.registry.rejections(name)]
    budgeted = supply.budget is not None or entry.toolset == SEARCH
    for step in (_enabled, _not_disabled, _gate, *((_affordable,) if budgeted else ()), _shown):
        found.append(step(supply, entry, chosen, as_names(disabled)))
        if not found[-1].passed:
            break
    return Story(name, tuple(found))


def where(entry: ToolEntry) -> str:
    """File and line of the handler, the file shortened to its last two parts; none of a tool that agents bind."""
    return "bound by agents" if getattr(entry.handler, "needs_agent", False) else _place_of(entry.handler)


def _place_of(function: Any) -> str:
    inner = getattr(function, "__wrapped__", function)
    code = getattr(inner, "__code__", None)
    if code is None:
        return str(getattr(inner, "__module__", "?"))
    return f"{'/'.join(code.co_filename.split('/')[-2:])}:{code.co_firstlineno}"


def _unregistered(supply: Supply, name: str, wells: Wells) -> Checkpoint:
    for source, error in wells.failures.items():
        if name in source or name in error:
            return Checkpoint("registered", False, f"{source} failed to load: {error}", f"mend {source}")
    refused = supply.registry.rejections(name)
    if refused:
        fix = "correct the registration; the reason names what is wrong"
        return Checkpoint("registered", False, f"registration was refused: {refused[-1]}", fix)
    for path in wells.silent:
        if name in path:
            fix = "add a top-level `registry.register(...)` call, an `@tool` function or `def register(ctx)`"
            return Checkpoint("registered", False, f"{path} has no top-level registration, so it was not run", fix)
    missed = supply.registry.missed(name)
    if missed:
        return Checkpoint("registered", False, missed.reason, missed.fix)
    near = near_names(name, supply.registry.names())
    hint = (
        f"did you mean {' or '.join(near)}?" if near else "install the plugin that has it; see `handiwork tools list`"
    )
    detail = "no built-in file, plugin or program registered a tool of that name"
    if wells.waiting:
        detail += f"; these wait for trust: {', '.join(wells.waiting)}"
        hint = f"handiwork plugins trust, if it is one of theirs; {hint}"
    if wells.failures:
        detail += f"; failed to load: {', '.join(wells.failures)}"
    return Checkpoint("registered", False, detail, hint)


def _enabled(supply: Supply, entry: ToolEntry, enabled: Names | None, _: Names) -> Checkpoint:
    sets = "every toolset" if enabled is None else ", ".join(enabled)
    if entry.name in supply.selected(enabled, ()):
        return Checkpoint("enabled", True, f"by {sets}")
    return Checkpoint(
        "enabled",
        False,
        f"its toolset {entry.toolset!r} is not in {sets}",
        f"handiwork tools enable {entry.toolset}",
    )


def _not_disabled(supply: Supply, entry: ToolEntry, enabled: Names | None, disabled: Names) -> Checkpoint:
    if entry.name in supply.selected(enabled, disabled):
        return Checkpoint("not disabled", True)
    culprits = [d for d in disabled if entry.name in supply.toolsets.expand((d,)).tools]
    fix = f"handiwork tools enable {culprits[0]}"
    return Checkpoint("not disabled", False, f"taken away by disabled toolset {', '.join(culprits)}", fix)


def _gate(supply: Supply, entry: ToolEntry, _: Names | None, __: Names) -> Checkpoint:
    closed = supply.registry.gate.closed(entry)
    if closed is None:
        return Checkpoint("check", True, _age(supply, entry))
    fix = closed.fix or (f"its check at {_place_of(entry.check_fn)} says what it needs" if entry.check_fn else "")
    return Checkpoint("check", False, " ".join(x for x in (closed.reason, _age(supply, entry)) if x), fix)


def _age(supply: Supply, entry: ToolEntry) -> str:
    answer = supply.registry.gate.answer(entry.check_fn) if entry.check_fn else None
    return f"(asked {supply.registry.gate.age_s(answer):.0f} s ago)" if answer else ""


def _affordable(supply: Supply, entry: ToolEntry, enabled: Names | None, disabled: Names) -> Checkpoint:
    absent = supply.absence(supply.view(enabled, disabled), entry)
    if absent:
        return Checkpoint("budget", False, absent.reason, absent.fix)
    limit = "none is set" if supply.budget is None else f"within {supply.budget:,} tokens"
    return Checkpoint("budget", True, limit)


def _shown(supply: Supply, entry: ToolEntry, enabled: Names | None, disabled: Names) -> Checkpoint:
    view = supply.view(enabled, disabled)
    if entry.name in view.names:
        return Checkpoint("shown", True, "the model sees it")
    wait = "the cached list is older than the gate's answer; it is renewed within 30 s"
    return Checkpoint("shown", False, wait, "wait, or start anew")
