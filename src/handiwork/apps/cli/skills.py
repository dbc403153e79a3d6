"""`handiwork skills`: instructions for kinds of tasks, where they come from, and whether they are trusted."""

from __future__ import annotations

import os
from argparse import Namespace
from pathlib import Path
from typing import Any

from ...backends.skills.shelf import FILE, Shelf, Skill, look_at, usable_of
from ...core.errors import UnknownNameError, UsageError
from ...guard.workspace import find_workspace
from ..bound import shelf_of
from ..house import House, default
from .output import Output, columns, printable
from .parsing import Parser, add_verbs

EXAMPLES = """\
  handiwork skills list
  handiwork skills show release-notes
  handiwork skills trust release-notes
  handiwork skills validate .agents/skills/release-notes
"""


def configure(parser: Parser) -> None:
    """The verbs of `handiwork skills`."""
    name: Any = lambda p: p.add_argument("name")  # noqa: E731
    what: Any = lambda p: p.add_argument("name", nargs="?", help="a name or a folder (default: all)")  # noqa: E731
    add_verbs(
        parser,
        {
            "list": ("the skills that are found from here", lambda _: None),
            "show": ("one skill: its text and its files", name),
            "trust": ("let agents follow a skill, as it is now", name),
            "validate": ("hold skills to the rules that agents share", what),
        },
        EXAMPLES,
    )


def run(said: Namespace, out: Output) -> int:
    """Run one verb."""
    house = default()
    verb = {"list": _list, "show": _show, "trust": _trust, "validate": _validate}[said.verb]
    return verb(_shelf(house), said, out)


def _shelf(house: House) -> Shelf:
    return shelf_of(house, find_workspace(os.getcwd()))


def _list(shelf: Shelf, _: Namespace, out: Output) -> int:
    skills = shelf.all()
    usable = usable_of(skills)
    rows = [_document(skill, is_shown=usable.get(skill.name) is skill) for skill in skills]
    about = [printable(_short(" ".join(r["problems"] or [r["description"]]))) for r in rows]
    table = [[r["name"], r["state"], said, r["path"]] for r, said in zip(rows, about, strict=True)]
    nothing = "no skills; they are looked for in " + ", ".join(str(well.path) for well in shelf.wells)
    out.show({"skills": rows}, columns(table) or [nothing])
    if any(skill.state == "untrusted" for skill in skills):
        out.note("agents don't see the untrusted ones: read them (skills show NAME), then: handiwork skills trust NAME")
    return 0


def _document(skill: Skill, *, is_shown: bool) -> dict[str, Any]:
    return {
        "name": skill.name,
        "state": skill.state if is_shown or not skill.is_usable else "hidden by another of its name",
        "owner": skill.owner,
        "description": skill.text.description,
        "path": skill.where,
        "sha256": skill.contents.digest if skill.contents else None,
        "problems": list(skill.text.errors),
    }


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:79]}…"


def _show(shelf: Shelf, said: Namespace, out: Output) -> int:
    skill = _named(shelf, said.name)
    files = sorted(skill.contents.files) if skill.contents else []
    text = skill.contents.read(FILE).decode("utf-8", "replace") if skill.contents else ""
    document = {**_document(skill, is_shown=True), "files": files, "text": text}
    head = [f"{skill.name}  {skill.state}  {skill.where}", *(f"  {error}" for error in skill.text.errors)]
    out.show(document, [*head, *(f"  {name}" for name in files), "", *map(printable, text.splitlines())])
    return 0


def _named(shelf: Shelf, name: str, *, wants_trust: bool = False) -> Skill:
    """The skill of that name; of several the one that agents see, or where it *wants_trust* one that they don't."""
    found = [skill for skill in shelf.all() if skill.name == name]
    if not found:
        known = {skill.name for skill in shelf.all()}
        raise UnknownNameError("skill", name, known, "see `handiwork skills list`")
    first = [s for s in found if (s.state in ("untrusted", "by agent") if wants_trust else s.is_usable)]
    return (first or found)[0]


def _trust(shelf: Shelf, said: Namespace, out: Output) -> int:
    skill = _named(shelf, said.name, wants_trust=True)
    if skill.state == "broken" or skill.contents is None:
        raise UsageError(f"{skill.name} can't be used: {'; '.join(skill.text.errors)}", f"mend {skill.where}")
    shelf.ledger.add("trusted", skill.contents.digest, skill.name)
    facts = {"name": skill.name, "sha256": skill.contents.digest, "path": skill.where}
    if audit := default().audit:
        audit.decided("skill trusted", facts)
    document = {"name": skill.name, "sha256": skill.contents.digest, "path": skill.where}
    changes = "a change of any of its files has to be trusted anew"
    out.show(document, [f"{skill.name} is trusted as it is now (files: {len(skill.contents.files)}); {changes}"])
    return 0


def _validate(shelf: Shelf, said: Namespace, out: Output) -> int:
    skills = shelf.all() if said.name is None else [_meant(shelf, said.name)]
    rows = [{"name": s.name, "path": s.where, "problems": [*s.text.errors, *s.text.remarks]} for s in skills]
    lines = [f"{r['path']}: {problem}" for r in rows for problem in r["problems"]]
    fine = f"no faults: {', '.join(s.name for s in skills)}" if skills else "no skills found"
    out.show({"skills": rows, "valid": not lines}, [printable(line) for line in lines] or [fine])
    return int(bool(lines))


def _meant(shelf: Shelf, name: str) -> Skill:
    """The skill in that folder, or of that name."""
    path = Path(name).parent if Path(name).name == FILE else Path(name)
    if os.path.lexists(path / FILE):
        return look_at(path.absolute(), "project")
    return _named(shelf, name)
