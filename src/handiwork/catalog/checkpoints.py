"""The questions that every tool is asked on its way to a model, in their order, as one table.

The supply lets through what no checkpoint stops; `why` shows the answers. Both ask here, so they can't disagree.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from ..core.types import ToolEntry
from .gate import Closed
from .presets import SEARCH

Names: TypeAlias = tuple[str, ...]
_MOST_SETS = 5


@dataclass(frozen=True, slots=True)
class Facts:
    """What the answers are read from: one selection at one moment.

    `chosen` and `taken` are the tools under the enabled and the disabled toolsets. `denied` and `closed` say why
    rules or gates hold a tool back. `waiting` are the tools that the budget (in tokens, None is none) defers,
    `full_price` is what all would cost. `bound` are the tools whose parts an agent has, `unsayable` says why its
    model's provider doesn't take a schema; None where there is no agent.
    """

    enabled: Names | None
    disabled: Names
    chosen: frozenset[str]
    taken: frozenset[str] = frozenset()
    denied: Mapping[str, Closed] = field(default_factory=dict)
    closed: Mapping[str, Closed] = field(default_factory=dict)
    waiting: frozenset[str] = frozenset()
    full_price: int = 0
    budget: int | None = None
    bound: Collection[str] | None = None
    unsayable: Mapping[str, str] | None = None
    culprits: Callable[[ToolEntry], Names] = lambda _: ()


Ask: TypeAlias = Callable[[Facts, ToolEntry], "Closed | None"]


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """One question: how it is answered, and what mends a no. `ask` is None where the tool isn't registered yet."""

    name: str
    question: str
    how: str
    mend: str
    ask: Ask | None = None


class Stop(NamedTuple):
    """The first no that a tool meets."""

    at: Checkpoint
    no: Closed


def first_no(checkpoints: Iterable[Checkpoint], facts: Facts, entry: ToolEntry) -> Stop | None:
    """The first of *checkpoints* that stops a registered tool; None where it passes all."""
    for checkpoint in checkpoints:
        no = checkpoint.ask(facts, entry) if checkpoint.ask else None
        if no is not None:
            return Stop(checkpoint, no)
    return None


def _enabled(facts: Facts, entry: ToolEntry) -> Closed | None:
    if entry.name in facts.chosen:
        return None
    sets = facts.enabled or ()
    more = f" and {len(sets) - _MOST_SETS} more" if len(sets) > _MOST_SETS else ""
    said = f"toolset {entry.toolset} is not enabled; enabled: {', '.join(sets[:_MOST_SETS]) or 'none'}{more}"
    return Closed(said, f"handiwork tools enable {entry.toolset}")


def _not_disabled(facts: Facts, entry: ToolEntry) -> Closed | None:
    if entry.name not in facts.taken:
        return None
    culprits = facts.culprits(entry) or facts.disabled
    fix = f"handiwork tools enable {culprits[0]}"
    return Closed(f"taken away by disabled toolset {', '.join(culprits)}", fix)


def _allowed(facts: Facts, entry: ToolEntry) -> Closed | None:
    return facts.denied.get(entry.name)


def _open(facts: Facts, entry: ToolEntry) -> Closed | None:
    return facts.closed.get(entry.name)


def _bound(facts: Facts, entry: ToolEntry) -> Closed | None:
    return None if facts.bound is None else unbound(entry, facts.bound)


def unbound(entry: ToolEntry, bound: Collection[str]) -> Closed | None:
    """Why an agent that binds *bound* doesn't show the tool; None where nothing is missing."""
    if entry.name in bound or not getattr(entry.handler, "needs_agent", False):
        return None
    return Closed("it needs a part that the agent here doesn't have", "bind a handler of your own: docs/embedding.md")


def _affordable(facts: Facts, entry: ToolEntry) -> Closed | None:
    if entry.name in facts.waiting:
        reason = f"deferred by budget: all tools take {facts.full_price:,} tokens, the budget is {facts.budget:,}"
        how = f"tool_search finds it, and tool_call with the name {entry.name} runs it"
        return Closed(f"{reason}; {how}", f"handiwork config set tools_budget_tokens {facts.full_price}")
    if entry.toolset == SEARCH and not facts.waiting:
        return Closed("shown only while tools are deferred, and none is", "nothing to mend: every other tool is shown")
    return None


def _sayable(facts: Facts, entry: ToolEntry) -> Closed | None:
    reason = (facts.unsayable or {}).get(entry.name)
    return Closed(reason, "correct its schema where it is defined, or use another model") if reason else None


SOURCES = (
    Checkpoint(
        "found",
        "does a file, a package or a server have it?",
        "the names of all tools; the texts of plugin files; what is known of servers",
        "the name it says is near; a file with the tool in ~/.handiwork/plugins/",
    ),
    Checkpoint(
        "trusted",
        "may what has it run here?",
        "plugins_disabled, `enabled` of a server, and what you trusted of a project",
        "handiwork plugins enable NAME, handiwork plugins trust, handiwork mcp trust",
    ),
    Checkpoint(
        "loaded",
        "did the file load, or the server connect?",
        "what came of each file at the start; the last state of each server",
        "correct the line of the file that it names; handiwork mcp test SERVER",
    ),
    Checkpoint(
        "registered",
        "did the registry take it?",
        "the registrations that were refused",
        "correct the registration; another name; plugins_override",
    ),
)
ENABLED = Checkpoint(
    "enabled",
    "is its toolset enabled?",
    "the toolsets of the configuration, else those of the face",
    "handiwork tools enable TOOLSET",
    _enabled,
)
NOT_DISABLED = Checkpoint(
    "not disabled",
    "is it left by the disabled toolsets?",
    "disabled_toolsets, subtracted tool by tool",
    "handiwork tools enable TOOLSET",
    _not_disabled,
)
ALLOWED = Checkpoint(
    "allowed",
    "do rules and profiles leave it?",
    "rules that deny the whole tool; the tools of a profile",
    "take the rule out of the file that it names",
    _allowed,
)
CHECK = Checkpoint(
    "check",
    "is its gate open?",
    "platform, packages, programs and variables, looked up each second; its own check, asked each 30 s",
    "what it names: a variable, a program, a package, an extra",
    _open,
)
BOUND = Checkpoint(
    "bound", "has the agent the part that it needs?", "what the agent here binds", "bind a handler of your own", _bound
)
BUDGET = Checkpoint(
    "budget",
    "is there room for it?",
    "tools_budget_tokens, or a tenth of context_tokens",
    "call it through tool_search; handiwork config set tools_budget_tokens N",
    _affordable,
)
SAYABLE = Checkpoint(
    "sayable", "does the model's provider take its schema?", "the provider's dialect", "correct the schema", _sayable
)
SWITCHES = (ENABLED, NOT_DISABLED)
GATES = (ALLOWED, CHECK)
SUPPLIED = (*SWITCHES, *GATES, BOUND, BUDGET, SAYABLE)
CHECKPOINTS = (*SOURCES, *SUPPLIED)
