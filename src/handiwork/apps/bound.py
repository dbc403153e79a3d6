"""What an agent of this house has beside the registered tools: the handlers it binds, and what it knows from before."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from ..agent.memory import Memory
from ..agent.session_search import SessionSearch
from ..agent.skills import Skills
from ..backends.skills.shelf import Shelf, wells_for
from ..backends.trust.ledger import Ledger
from ..core.loading import Late
from ..core.types import Background, Handler
from .house import House
from .sessions import searching_sessions

embedders = Late("handiwork.backends.embeddings.late")
logging = Late("logging")


@dataclass(slots=True)
class Bound:
    """Handlers by the names of their tools, texts for the end of the prompt, and what goes on beside the turns.

    `strange` are texts among them that came from outside once, each with where it stands.
    """

    handlers: dict[str, Handler] = field(default_factory=dict)
    known: list[str] = field(default_factory=list)
    strange: list[tuple[str, str]] = field(default_factory=list)
    beside: list[Background] = field(default_factory=list)


def bind_memory(house: House, selected: Collection[str], bound: Bound) -> None:
    """The notes of the person's home, where the tool is among those *selected*."""
    if "memory" in selected and house.home:
        memory = Memory(Path(house.home, "memory"))
        bound.handlers["memory"] = memory
        bound.known += filter(None, [memory.prompt()])
        bound.strange += ((note, "memory") for note in memory.from_outside())


def bind_session_search(house: House, selected: Collection[str], bound: Bound) -> None:
    """What is stored of earlier sessions; by meaning, too, where the house has an embedder."""
    if "session_search" not in selected or not house.home:
        return

    # Of what was said nothing is kept in another place: it must be gone when its session is deleted.
    embedder = embedders.LateEmbedder() if house.embedder else None
    searching = partial(searching_sessions, house, logging.getLogger(__name__).warning)
    bound.handlers["session_search"] = SessionSearch(searching, embedder)


def shelf_of(house: House, workspace: str) -> Shelf:
    """The skills of the person and of the project in *workspace*."""
    return Shelf(wells_for(house.home, workspace), Ledger(Path(house.home, "skills-trust.json")))


def bind_skills(house: House, selected: Collection[str], bound: Bound, *, workspace: str) -> None:
    """The skills that can be found from the project in *workspace*."""
    if house.home and "skill_view" in selected:
        skills = Skills(shelf_of(house, workspace))
        bound.handlers.update(skills.handlers())
        bound.known += filter(None, [skills.prompt()])
