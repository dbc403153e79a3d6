"""Agents for the faces: a model, the house's tools, and a person who may be asked."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..agent.compaction import Context
from ..agent.loop import Agent, Budget
from ..agent.session import Unkept
from ..agent.todos import Todos
from ..backends.models.table import Place, open_model
from ..catalog.desk import Desk
from ..catalog.dialects.definitions import Definer
from ..core.events import Watcher, unwatched
from ..core.types import Approver, Handler, Model, Scope
from ..core.wire import name_of_definition
from .bindings import unbound
from .bound import Bound, bind_memory, bind_session_search
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
    """The model of the flag, the environment or the configuration. Raises `ModelUnavailableError`."""
    return open_model(
        flag or "", Place(Path(house.home), base_url=house.config.base_url), configured=house.config.model
    )


def build_agent(
    house: House, model: Model, face: Face, *, cwd: str | None, budget: Budget, session: Unkept | None = None
) -> Agent:
    """An agent in *cwd* with the tools that the face shows. Raises `UnknownNameError` for a wrong toolset.

    *session* is the conversation that it goes on with, and where that is stored.
    """
    desk = Desk(house.supply, face.enabled, face.disabled, keeps=True, embedder=house.embedder)
    todos = Todos()
    bound = Bound({"todo": todos, **desk.handlers()})
    selected = house.supply.view(face.enabled, face.disabled).names
    bind_memory(house, selected, bound)
    bind_session_search(house, selected, bound)
    bindings = bound.handlers
    if face.clarify:
        bindings["clarify"] = face.clarify
    own = f"{face.platform}-{os.urandom(6).hex()}"  # a stored session puts its id in this place
    scope: Scope = house.scope(session_id=own, cwd=cwd, approver=face.approver, platform=face.platform)
    supply = _supply(house, desk, bindings, getattr(model, "dialect", "openai"))
    supply()  # a wrong name is told before the model is asked
    tokens = house.config.context_tokens or getattr(model, "context_tokens", None)
    return Agent(
        model,
        house.pipeline.with_limits(replace(house.pipeline.limits, context_tokens=tokens)),
        scope,
        supply=supply,
        deferred=desk.deferred,
        bindings=bindings,
        budget=budget,
        context=Context(tokens, pinned=todos.open_ones),
        watch=face.watch,
        session=session,
        background=house.background,
        known="\n\n".join(bound.known),
    )


def _supply(house: House, desk: Desk, bindings: Iterable[str], dialect: str) -> Callable[[], list[Schema]]:
    """The definitions of the moment in the model's dialect, without tools that need a part which isn't there."""
    bound = frozenset(bindings)
    definer = Definer()

    def supply() -> list[Schema]:
        shown = definer.of(desk.definitions(), dialect).definitions
        entries = ((d, house.registry.get(name_of_definition(d))) for d in shown)
        return [d for d, entry in entries if entry and unbound(entry, bound) is None]

    return supply
