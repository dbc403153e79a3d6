"""Agents for the faces: a model, the house's tools, and a person who may be asked."""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..agent.asking import InTurn, heeded
from ..agent.compaction import Context
from ..agent.delegate import WHAT_IT_IS
from ..agent.delegation import Delegation
from ..agent.lending import LentModel
from ..agent.loop import Agent
from ..agent.retracing import retrace
from ..agent.session import Unkept
from ..agent.spending import Budget, Tally
from ..agent.todos import Todos
from ..backends.models.prices import PriceList
from ..backends.models.table import Place, open_model
from ..catalog.desk import Desk
from ..catalog.dialects.definitions import Definer, kept_back
from ..core.delegation import DELEGATION_LIMITS
from ..core.errors import UsageError
from ..core.events import Watcher, unwatched
from ..core.finding import TOOL_SEARCH, names_found
from ..core.loading import Late
from ..core.types import Approver, Handler, Model
from ..core.wire import name_of_definition
from ..sources.mcp.lending import LENT_MODEL
from .bindings import unbound
from .bound import Bound, bind_memory, bind_session_search, bind_skills
from .delegates import Beside, Employer, Post, check_depth
from .house import House

if TYPE_CHECKING:
    from ..core.types import Schema
    from ..guard.flow import Ledger


reviewing = Late("handiwork.agent.reviewer")


@dataclass(frozen=True, slots=True)
class Face:
    """Who is on the other side of an agent: its name, its tools, whoever says yes, asks and watches."""

    platform: str
    enabled: tuple[str, ...]
    disabled: tuple[str, ...] = ()
    approver: Approver | None = None
    clarify: Handler | None = None
    watch: Watcher = unwatched


def build_agent(
    house: House, model: Model, face: Face, *, cwd: str | None, budget: Budget, session: Unkept | None = None
) -> Agent:
    """An agent in *cwd* with the tools that the face shows. Raises `UnknownNameError` for a wrong toolset.

    *session* is the conversation that it goes on with, and where that is stored. Raises `LimitError` where
    this process is one of an agent that stands below too many others, `UsageError` where a limit on the cost
    can't be kept.
    """
    depth = check_depth()
    _check_price(house, model, budget)
    house.servers.begin()
    made: list[Agent] = []
    face = replace(face, approver=_approver_of(house, face.approver, lambda: made[0].task))
    own = f"{face.platform}-{os.urandom(6).hex()}"  # a stored session puts its id in this place
    scope = house.scope(session_id=own, cwd=cwd, approver=face.approver, platform=face.platform)
    scope = replace(scope, origins=_account(house, session))
    made.append(_Maker(house, model, face)(Post(scope, depth), Tally(budget), session or Unkept(), face.watch))
    return made[0]


def _account(house: House, session: Unkept | None) -> Ledger:
    """What is known of where the texts of a conversation come from, those of its past included."""
    ledger = house.scopes.open_ledger()
    if session and session.id:
        retrace(ledger, session.past(), house.registry.get, of_person=session.of_person)
    return ledger


def _check_price(house: House, model: Model, budget: Budget) -> None:
    """Raise `UsageError` where money is limited and nobody knows what the model costs."""
    if budget.max_cost is not None and PriceList(house.config.prices).rate(model) is None:
        raise UsageError(
            f"a limit of ${budget.max_cost:g} can't be kept: no price is known for the model {model.name}",
            f"set `prices: {{{model.name!r}: {{input: ..., output: ...}}}}` in the configuration (US dollars for a "
            "million tokens), or limit tokens",
        )


def _approver_of(house: House, person: Approver | None, task: Callable[[], str]) -> Approver | None:
    """Who is asked: the person, one thing at a time; in mode `auto` first a model that reviews, where there is one."""
    asked = InTurn(person) if person else None
    config = house.config
    if config.mode != "auto" or not config.reviewer:
        return asked
    reviewer: Approver = reviewing.Reviewer(lambda: open_model(config.reviewer, Place(Path(house.home))), task, asked)
    return reviewer


@dataclass(frozen=True, slots=True)
class _Maker:
    """Puts agents of one face together: the one that talks to the person, and those that work for it."""

    house: House
    model: Model
    face: Face

    def __call__(self, post: Post, tally: Tally, session: Unkept, watch: Watcher) -> Agent:
        house, model = self.house, self.model
        desk = self._desk()
        desk.open(post.shown)
        desk.remember(name for names in names_found(session.history).values() for name in names)
        todos = Todos()
        bound = Bound({"todo": todos, **desk.handlers()})
        self._bind(post, tally, session, bound)
        if post.scope.origins:
            for text, where in bound.strange:
                post.scope.origins.distrust(text, where)
        supply = _supply(house, desk, bound.handlers, model, post.only)
        supply()  # a wrong name is told before the model is asked
        tokens = house.config.context_tokens or getattr(model, "context_tokens", None)
        return Agent(
            model,
            house.pipeline.with_limits(replace(house.pipeline.limits, context_tokens=tokens)),
            post.scope,
            supply=supply,
            deferred=lambda: desk.deferred() if post.only is None else desk.deferred() & post.only,
            found=desk.found,
            bindings=bound.handlers,
            tally=tally,
            price=PriceList(house.config.prices).priced,
            context=Context(tokens, pinned=todos.open_ones),
            watch=watch,
            session=session,
            background=lambda name: Beside(house.background(name), *bound.beside, *house.servers.news()),
            known="\n\n".join(bound.known),
            fail_fast=house.config.fail_fast,
        )

    def _desk(self) -> Desk:
        house, face = self.house, self.face
        return Desk(
            house.supply,
            face.enabled,
            face.disabled,
            keeps=True,
            loads=lambda: bool(getattr(self.model, "loads_found", False)),
            finder=house.finder,
        )

    def _bind(self, post: Post, tally: Tally, session: Unkept, bound: Bound) -> None:
        """What needs an agent: all of it for the one that talks to the person, less for those that work for it."""
        selected = self.house.supply.view(self.face.enabled, self.face.disabled).names
        if post.only is None:
            bind_memory(self.house, selected, bound)
            bind_session_search(self.house, selected, bound)
            bound.handlers.update({"clarify": heeded(self.face.clarify)} if self.face.clarify else {})
        else:
            bound.known.append(WHAT_IT_IS)
        if post.only is None or "skill_view" in post.only:
            bind_skills(self.house, selected, bound, workspace=post.scope.workspace)
        if self.house.servers.host is not None:
            bound.handlers[LENT_MODEL] = LentModel(self.model)
        if post.may_delegate and "delegate_task" in selected:
            hire = Employer(self.house, self, post.depth, session, self.model.name, self.face.approver, tally)
            most = getattr(self.model, "at_once", DELEGATION_LIMITS.at_once)
            limits = replace(DELEGATION_LIMITS, at_once=min(most, DELEGATION_LIMITS.at_once))
            delegation = Delegation(hire, limits, tally=tally)
            bound.handlers["delegate_task"] = delegation
            bound.beside.append(delegation)


def _supply(
    house: House, desk: Desk, bindings: Iterable[str], model: Model, only: Container[str] | None
) -> Callable[[], list[Schema]]:
    """The definitions of the moment in the model's dialect, without tools that need a part which isn't there."""
    bound = frozenset(bindings)
    definer = Definer(house.is_legal)

    def usable(definition: Schema) -> bool:
        name = name_of_definition(definition)
        entry = house.registry.get(name)
        return (only is None or name in only) and entry is not None and unbound(entry, bound) is None

    def supply() -> list[Schema]:
        house.servers.settle()
        dialect, entries = getattr(model, "dialect", "openai"), house.registry.entries()
        shown = list(filter(usable, definer.of(desk.definitions(), dialect, entries).definitions))
        if TOOL_SEARCH not in map(name_of_definition, shown):
            return shown  # what waits could not be found
        return shown + [kept_back(d) for d in definer.of(desk.waiting(), dialect).definitions if usable(d)]

    return supply
