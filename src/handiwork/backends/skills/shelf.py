"""The skills that can be found from here: whose they are, and whether their words may guide an agent."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from handiwork.core.errors import UnknownNameError, UsageError

from ..trust.contents import Contents, contents_of
from ..trust.ledger import Ledger
from .text import SkillText, read_skill_text

FILE = "SKILL.md"
Owner = Literal["own", "project", "user"]
# own: in the person's Handiwork home, by their hand. trusted: from elsewhere, as the person trusted it.
# by agent: in that home, by an agent's hand. untrusted: from elsewhere, or changed since. broken: can't be used.
State = Literal["own", "trusted", "by agent", "untrusted", "broken"]
USABLE: tuple[State, ...] = ("own", "trusted", "by agent")


@dataclass(frozen=True, slots=True)
class Well:
    """A folder whose folders may be skills."""

    path: Path
    owner: Owner


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill as it was found. `contents` is None where they can't be read."""

    name: str
    folder: Path
    owner: Owner
    state: State
    text: SkillText
    contents: Contents | None = None

    @property
    def is_usable(self) -> bool:
        return self.state in USABLE

    @property
    def where(self) -> str:
        return str(self.folder / FILE)


def wells_for(home: str, workspace: str) -> list[Well]:
    """Where skills are looked for, the first winning: the Handiwork home, the project, the person's home."""
    wells = [Well(Path(home, "skills"), "own")]
    person = os.path.expanduser("~")
    for root, owner in ((workspace, "project"), (person, "user")):
        if root and (owner == "user" or os.path.realpath(root) != os.path.realpath(person)):
            wells += [Well(Path(root, name, "skills"), owner) for name in (".agents", ".claude")]  # type: ignore[arg-type]
    return wells


class Shelf:
    """The skills of *wells*, looked up anew whenever somebody asks; the *ledger* says what is trusted."""

    def __init__(self, wells: Sequence[Well], ledger: Ledger) -> None:
        self.wells, self.ledger = wells, ledger

    @property
    def own(self) -> Path:
        """Where the person's own skills are."""
        return next(well.path for well in self.wells if well.owner == "own")

    def all(self) -> list[Skill]:
        """Every skill, also those that another of the same name hides."""
        trusted, by_agent = self.ledger.holds()
        found = (skill for well in self.wells for skill in _found_in(well))
        return [_with_state(skill, trusted, by_agent) for skill in found]

    def usable(self) -> dict[str, Skill]:
        """Those that may be shown to a model, by name; of several, the first one."""
        return usable_of(self.all())

    def find(self, name: str) -> Skill:
        """A usable skill. Raises `UnknownNameError`, which says of one that isn't why."""
        skills = self.all()
        usable = usable_of(skills)
        if name in usable:
            return usable[name]
        other = next((s for s in skills if s.name == name), None)
        if other and other.state == "untrusted":
            raise UsageError(f"the skill {name} is not trusted", f"the person can: handiwork skills trust {name}")
        if other:
            raise UsageError(f"the skill {name} can't be used: {'; '.join(other.text.errors)}", f"mend {other.where}")
        raise UnknownNameError("skill", name, usable, "see skills_list")


def usable_of(skills: Iterable[Skill]) -> dict[str, Skill]:
    """Of *skills* those that may be shown to a model, by name; of several, the first one."""
    shown: dict[str, Skill] = {}
    for skill in skills:
        if skill.is_usable:
            shown.setdefault(skill.name, skill)
    return shown


def _found_in(well: Well) -> Iterator[Skill]:
    """The folders of a well with a SKILL.md in them, in order."""
    try:
        names = sorted(os.listdir(well.path))
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return
    for name in names:
        folder = well.path / name
        if not name.startswith(".") and os.path.lexists(folder / FILE):
            yield look_at(folder, well.owner)


def look_at(folder: Path, owner: Owner) -> Skill:
    """The skill in a folder, as if it were trusted; broken where it can't be used."""
    try:
        contents = contents_of(folder)
        text = read_skill_text(contents.read(FILE), folder.name)
    except (UsageError, OSError) as error:
        return Skill(folder.name, folder, owner, "broken", SkillText(errors=(str(error),)))
    return Skill(folder.name, folder, owner, "broken" if text.errors else "trusted", text, contents)


def _with_state(skill: Skill, trusted: frozenset[str], by_agent: frozenset[str]) -> Skill:
    if skill.state == "broken" or skill.contents is None:
        return skill
    digest = skill.contents.digest
    state: State = "trusted" if digest in trusted else "untrusted"
    if skill.owner == "own" and digest not in trusted:
        state = "by agent" if digest in by_agent else "own"
    return Skill(skill.name, skill.folder, skill.owner, state, skill.text, skill.contents)
