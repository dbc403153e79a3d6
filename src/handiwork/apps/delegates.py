"""Agents that work for an agent of this house: made on order, with less than their principal has."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from ..agent.delegate import Hired, Order
from ..agent.file_marks import files_of_call
from ..agent.loop import Agent
from ..agent.session import Session, Unkept
from ..agent.spending import Tally
from ..core.delegation import DELEGATION_LIMITS, DEPTH_VARIABLE, depth_here
from ..core.errors import LimitError, UsageError
from ..core.events import Watcher
from ..core.types import DELEGATE, Approver, Background, Origins, Ready, Scope, SessionInfo, ShellState, ToolResult
from ..pipeline.footprint import only_files
from .house import House

# What only the agent has that talks to the person: its notes, its past, the person.
KEPT_BACK = frozenset({"memory", "session_search", "clarify", "skill_manage"})


@dataclass(frozen=True, slots=True)
class Post:
    """Where an agent stands: its scope, and how many agents are above it.

    `only` are the tools that it may have (None: any), `shown` those that are never deferred.
    """

    scope: Scope
    depth: int
    only: frozenset[str] | None = None
    shown: frozenset[str] = frozenset()

    @property
    def may_delegate(self) -> bool:
        return self.depth < DELEGATION_LIMITS.depth


MakeAgent = Callable[[Post, Tally, Unkept, Watcher], Agent]


def check_depth() -> int:
    """How many agents stand above one that begins here. Raises `LimitError` where they are too many."""
    depth = depth_here()
    if depth > DELEGATION_LIMITS.depth:
        raise LimitError(
            f"this agent was started by an agent, {depth} deep; the limit is {DELEGATION_LIMITS.depth}",
            f"do the work where you are (a person may unset {DEPTH_VARIABLE})",
        )
    return depth


@dataclass(frozen=True, slots=True)
class Employer:
    """Hires agents for the one of *session* at *depth*; *make* puts one together, *tally* counts what they take."""

    house: House
    make: MakeAgent
    depth: int
    session: Unkept
    model: str
    approver: Approver | None = None
    tally: Tally | None = None

    def __call__(self, order: Order, watch: Watcher) -> Hired:
        """See `Hire`. Raises `UsageError` for tools that the principal doesn't have."""
        only = self._tools(order)
        # Not the approver of its scope: that notes answers in the principal's session, under the ids of its calls.
        scope = replace(_scope_of(order.scope, self.depth + 1), approver=self.approver)
        post = Post(scope, self.depth + 1, only, only if order.tools else frozenset())
        session = self._session(order, only)
        agent = self.make(post, Tally(order.budget, self.tally), session, watch)
        return Hired(agent, self._files_of, partial(_dismiss, self.house, post, agent))

    def _tools(self, order: Order) -> frozenset[str]:
        """The names it may have: of those that the principal has, the ones that the order names."""
        last = self.depth + 1 >= DELEGATION_LIMITS.depth
        mine = _names_of(order.scope, self.house) - KEPT_BACK - ({"delegate_task"} if last else set())
        if not order.tools:
            return mine
        return frozenset().union(*(self._named(name, mine) for name in order.tools))

    def _named(self, name: str, mine: frozenset[str]) -> frozenset[str]:
        toolsets = self.house.toolsets
        is_tool = self.house.registry.get(name) is not None and name not in toolsets.names()
        meant = frozenset((name,)) if is_tool else toolsets.expand((name,)).tools
        if not meant & mine:
            known = ", ".join(sorted(mine)) or "none"
            raise UsageError(f"{name} isn't among the tools that you can hand on", f"they are: {known}")
        return meant & mine

    def _session(self, order: Order, only: frozenset[str]) -> Unkept:
        """A session below ours, where ours is stored."""
        store = self.house.store
        if store is None or not isinstance(self.session, Session) or self.session.problem:
            return Unkept()
        about = SessionInfo(
            id="",
            model=self.model,
            cwd=order.scope.here,
            platform=DELEGATE,
            parent=self.session.id,
            toolsets=",".join(sorted({e.toolset for n in only if (e := self.house.registry.get(n))})),
            started=time.time_ns() // 1_000_000,
        )
        return Session(store, about)

    def _files_of(self, result: ToolResult) -> Sequence[str]:
        """The files that a call has written, by what its tool says of itself."""
        entry = self.house.registry.get(result.call.name)
        if entry is None or result.status != "ok" or entry.traits.resolved_effect() == "read":
            return ()
        args = self.house.pipeline.plans.of(entry).apply(result.call.arguments).args
        return files_of_call(Ready(result.call, entry, args)) if args and only_files(entry.traits) else ()


def _scope_of(principal: Scope, depth: int) -> Scope:
    """The principal's place and person, with nothing else of it: a shell of its own, no tools of the principal's."""
    exported = dict(principal.shell.exported) if principal.shell else {}
    own = f"{DELEGATE}-{os.urandom(6).hex()}"
    return replace(
        principal,
        session_id=own,
        task_id=own,
        platform=DELEGATE,
        cwd=principal.here,
        bindings={},
        supplied=None,
        cancel=None,
        checks=(),
        on_progress=None,
        journal=None,
        waits=False,
        origins=Overheard(principal.origins) if principal.origins else None,
        shell=ShellState(principal.here, {**exported, DEPTH_VARIABLE: str(depth + 1)}),
    )


def _names_of(scope: Scope, house: House) -> frozenset[str]:
    return frozenset(house.registry.names()) if scope.supplied is None else scope.supplied


def _dismiss(house: House, post: Post, agent: Agent) -> None:
    """End what it left running in the background, and let go of its session."""
    house.end_session(agent.conversation.session.id or post.scope.session_id)
    agent.close()


class Overheard:
    """The account of a principal (core.types `Origins`) for those that work for it: what they are told to do is an
    agent's words, whatever they hear is heard by all.
    """

    def __init__(self, origins: Origins) -> None:
        self.distrust, self.hear, self.note, self.keep = origins.distrust, origins.hear, origins.note, origins.keep
        self.trace, self.labels, self.source_of = origins.trace, origins.labels, origins.source_of

    def trust(self, text: str, /) -> None:
        """No person says anything here."""


class Beside:
    """Several things that go on beside a session's turns, as one `Background`."""

    def __init__(self, *parts: Background) -> None:
        self._parts = parts

    def notices(self) -> list[str]:
        """The news of all."""
        return [line for part in self._parts for line in part.notices()]

    def end_turn(self) -> None:
        """The end of the turn, for all."""
        for part in self._parts:
            part.end_turn()
