"""Why is a tool visible, or not? The answers of all checkpoints, up to the first no."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from ..core.errors import near_names
from ..core.types import ToolEntry
from .checkpoints import BOUND, CHECKPOINTS, SAYABLE, SOURCES, Checkpoint, Facts, Stop, first_no
from .gate import Closed, Gate, place_of
from .supply import Supply

State: TypeAlias = Literal["ok", "no", "not asked"]


@dataclass(frozen=True, slots=True)
class Answer:
    """What one checkpoint says of a tool, and what mends a no."""

    checkpoint: Checkpoint
    state: State
    detail: str = ""
    fix: str = ""

    @property
    def name(self) -> str:
        """The checkpoint's name."""
        return self.checkpoint.name


@dataclass(frozen=True, slots=True)
class Story:
    """The answers of all checkpoints of one tool, in order; behind the first no, none was asked.

    Nor are those that are about an agent, where there is none.
    """

    tool: str
    checkpoints: tuple[Answer, ...]

    @property
    def visible(self) -> bool:
        """Whether a model sees the tool."""
        return self.stop is None

    @property
    def stop(self) -> Answer | None:
        """The first no."""
        return next((a for a in self.checkpoints if a.state == "no"), None)

    def mended_by(self, fix: str) -> Story:
        """The same, with another way to mend the first no; "" leaves it as it is."""
        if not fix:
            return self
        answers = (replace(a, fix=fix) if a is self.stop else a for a in self.checkpoints)
        return replace(self, checkpoints=tuple(answers))

    @property
    def asked(self) -> tuple[Answer, ...]:
        """Those that were asked: the last one is the first no, if there is one."""
        return tuple(a for a in self.checkpoints if a.state != "not asked")


def explain(
    supply: Supply,
    name: str,
    enabled: Iterable[str] | None,
    disabled: Iterable[str] = (),
    *,
    bound: Collection[str] | None = None,
    unsayable: Mapping[str, str] | None = None,
) -> Story:
    """What each checkpoint says of *name* under a selection.

    *bound* are the tools whose parts the agent has (None: no agent is asked for), *unsayable* says which schemas
    its model's provider doesn't take, and why.
    """
    view = supply.view(enabled, disabled)
    entry = supply.registry.get(name)
    if entry is None:
        no = absence(supply, name)
        at = next((c for c in SOURCES if c.name == no.at), SOURCES[0])
        return _story(name, Stop(at, no), {})
    facts = replace(view.facts, bound=bound, unsayable=unsayable)
    unasked = {c.name for c, known in ((BOUND, bound), (SAYABLE, unsayable)) if known is None}
    return _story(name, first_no(CHECKPOINTS, facts, entry), _details(supply, entry, facts), unasked)


def absence(supply: Supply, name: str) -> Closed:
    """Why no tool of that name is registered."""
    if missed := supply.registry.missed(name):
        return missed
    if name in supply.toolsets.names():
        tools = ", ".join(supply.toolsets.resolve(name)) or "none of its tools is installed"
        return Closed(f"it is a toolset, not a tool: {tools}", f"handiwork toolsets show {name}", "found")
    near = near_names(name, supply.registry.names())
    meant = f"did you mean {' or '.join(near)}?" if near else ""
    return Closed(_NOWHERE, meant or "install the plugin that has it; see `handiwork tools list`", "found")


_NOWHERE = "no built-in file, plugin, package or server has a tool of that name"


def _story(tool: str, stop: Stop | None, details: Mapping[str, str], unasked: Container[str] = ()) -> Story:
    answers: list[Answer] = []
    for checkpoint in CHECKPOINTS:
        if stop is not None and checkpoint is stop.at:
            age = details.get(checkpoint.name, "") if checkpoint.name == "check" else ""
            answers.append(Answer(checkpoint, "no", " ".join(filter(None, (stop.no.reason, age))), stop.no.fix))
            break
        state: State = "not asked" if checkpoint.name in unasked else "ok"
        answers.append(Answer(checkpoint, state, details.get(checkpoint.name, "")))
    answers += [Answer(checkpoint, "not asked") for checkpoint in CHECKPOINTS[len(answers) :]]
    return Story(tool, tuple(answers))


def _details(supply: Supply, entry: ToolEntry, facts: Facts) -> dict[str, str]:
    """What is worth saying beside a yes."""
    budget = "none is set" if supply.budget is None else f"within {supply.budget:,} tokens"
    refused = "".join(f"; refused: {r} (to let it: {r.fix})" for r in supply.registry.rejections(entry.name))
    return {
        "found": where(entry),
        "loaded": f"from {entry.origin}",
        "registered": f"in toolset {entry.toolset}{refused}",
        "enabled": f"by {', '.join(facts.enabled)}" if facts.enabled else "every toolset is",
        "check": _age(supply.registry.gate, entry),
        "budget": budget,
    }


def where(entry: ToolEntry) -> str:
    """File and line of the handler, the file shortened to its last two parts; none of a tool that agents bind."""
    return "bound by agents" if getattr(entry.handler, "needs_agent", False) else place_of(entry.handler)


def _age(gate: Gate, entry: ToolEntry) -> str:
    """How old the answer of a tool's own check is, and when it is asked again."""
    answer = gate.answer(entry.check_fn) if entry.check_fn else None
    if answer is None:
        return ""
    age = gate.age_s(answer)
    return f"(asked {age:.0f} s ago, again in {max(gate.ttl_s - age, 0):.0f} s)"
