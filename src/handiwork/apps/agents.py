"""Agents for the faces: a model, the house's tools, and a person who may be asked."""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..agent.asking import InTurn
from ..agent.compaction import Context
from ..agent.delegate import WHAT_IT_IS
from ..agent.delegation import Delegation
from ..agent.lending import LentModel
from ..agent.loop import Agent, Budget
from ..agent.session import Unkept
from ..agent.todos import Todos
from ..backends.models.fallback import FallbackModel
from ..backends.models.table import Place, open_model
from ..catalog.desk import Desk
from ..catalog.dialects.definitions import Definer
from ..core.delegation import DELEGATION_LIMITS
from ..core.events import Watcher, unwatched
from ..core.types import Approver, Handler, Model
from ..core.wire import name_of_definition
from ..sources.mcp.lending import LENT_MODEL
from .bindings import unbound
from .bound import Bound, bind_memory, bind_session_search, bind_skills
from .delegates import Beside, Employer, Post, check_depth
from .house import House

if TYPE_CHECKING:
    from ..core.types import Schema


@dataclass(frozen=True, slots=True)
class Face:
    """Who is on the other side of an agent: its name, its tools, whoever says yes, asks and watches."""

    platform: str
    enabled: tuple[str, ...]
    disabled: tuple[str, ...] = ()
    approver: Approver | None = None
    clarify: Handler | None = None
    watch: Watcher = unwatched


def model_string(house: House, flag: str | None) -> str:
    """What names the model that `choose_model` opens, to open it again later."""
    return flag or os.environ.get("HANDIWORK_MODEL") or house.config.model


def choose_model(house: House, flag: str | None) -> Model:
    """The model of the flag, the environment or the configuration. Raises `ModelUnavailableError`.

    Where the configuration names others to fall back on, it stands for all of them.
    """
    place = Place(Path(house.home), base_url=house.config.base_url)

    def first() -> Model:
        return open_model(flag or "", place, configured=house.config.model)

    others = [partial(open_model, name, place) for name in house.config.fallback_models]
    return FallbackModel([first, *others]) if others else first()


def build_agent(
    house: House, model: Model, face: Face, *, cwd: str | None, budget: Budget, session: Unkept | None = None
) -> Agent:
    """An agent in *cwd* with the tools that the face shows. Raises `UnknownNameError` for a wrong toolset.

    *session* is the conversation that it goes on with, and where that is stored. Raises `LimitError` where
    this process is one of an agent that stands below too many others.
    """
    depth = check_depth()
    house.begin()
    face = replace(face, approver=InTurn(face.approver) if face.approver else None)
    own = f"{face.platform}-{os.urandom(6).hex()}"  # a stored session puts its id in this place
    scope = house.scope(session_id=own, cwd=cwd, approver=face.approver, platform=face.platform)
    return _Maker(house, model, face)(Post(scope, depth), budget, session or Unkept(), face.watch)


@dataclass(frozen=True, slots=True)
class _Maker:
    """Puts agents of one face together: the one that talks to the person, and those that work for it."""

    house: House
    model: Model
    face: Face

    def __call__(self, post: Post, budget: Budget, session: Unkept, watch: Watcher) -> Agent:
        house, model = self.house, self.model
        desk = Desk(house.supply, self.face.enabled, self.face.disabled, keeps=True, embedder=house.embedder)
        desk.open(post.shown)
        todos = Todos()
        bound = Bound({"todo": todos, **desk.handlers()})
        self._bind(post, budget, session, bound)
        supply = _supply(house, desk, bound.handlers, model, post.only)
        supply()  # a wrong name is told before the model is asked
        tokens = house.config.context_tokens or getattr(model, "context_tokens", None)
        return Agent(
            model,
            house.pipeline.with_limits(replace(house.pipeline.limits, context_tokens=tokens)),
            post.scope,
            supply=supply,
            deferred=lambda: desk.deferred() if post.only is None else desk.deferred() & post.only,
            bindings=bound.handlers,
            budget=budget,
            context=Context(tokens, pinned=todos.open_ones),
            watch=watch,
            session=session,
            background=lambda name: Beside(house.background(name), *bound.beside, *house.news()),
            known="\n\n".join(bound.known),
        )

    def _bind(self, post: Post, budget: Budget, session: Unkept, bound: Bound) -> None:
        """What needs an agent: all of it for the one that talks to the person, less for those that work for it."""
        selected = self.house.supply.view(self.face.enabled, self.face.disabled).names
        if post.only is None:
            bind_memory(self.house, selected, bound)
            bind_session_search(self.house, selected, bound)
            bound.handlers.update({"clarify": self.face.clarify} if self.face.clarify else {})
        else:
            bound.known.append(WHAT_IT_IS)
        if post.only is None or "skill_view" in post.only:
            bind_skills(self.house, selected, bound, workspace=post.scope.workspace)
        if self.house.mcp is not None:
            bound.handlers[LENT_MODEL] = LentModel(self.model)
        if post.may_delegate and "delegate_task" in selected:
            hire = Employer(self.house, self, post.depth, session, self.model.name, self.face.approver)
            most = getattr(self.model, "at_once", DELEGATION_LIMITS.at_once)
            limits = replace(DELEGATION_LIMITS, at_once=min(most, DELEGATION_LIMITS.at_once))
            delegation = Delegation(hire, limits, tokens=budget.max_tokens)
            bound.handlers["delegate_task"] = delegation
            bound.beside.append(delegation)


def _supply(
    house: House, desk: Desk, bindings: Iterable[str], model: Model, only: Container[str] | None
) -> Callable[[], list[Schema]]:
    """The definitions of the moment in the model's dialect, without tools that need a part which isn't there."""
    bound = frozenset(bindings)
    definer = Definer()

    def supply() -> list[Schema]:
        house.settle()
        shown = definer.of(desk.definitions(), getattr(model, "dialect", "openai")).definitions
        shown = [d for d in shown if only is None or name_of_definition(d) in only]
        entries = ((d, house.registry.get(name_of_definition(d))) for d in shown)
        return [d for d, entry in entries if entry and unbound(entry, bound) is None]

    return supply
