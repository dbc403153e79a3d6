"""Skills for the agent: named in its prompt, read when a task needs them, written for later ones.

What the person wrote or trusts is shown as it stands; what an agent wrote is shown as data until the
person trusts it; what nobody trusts isn't shown.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from ..backends.files.local import LocalFiles
from ..backends.skills.shelf import FILE, Shelf, Skill, look_at
from ..backends.skills.text import MOST_DESCRIPTION, is_name, write_skill_text
from ..core.errors import UsageError
from ..core.types import Args, Done, Handler, Label

_MOST_PROMPT_CHARS = 6_000
_OPENING = "Skills: how to go about certain tasks. Before such a task, read the skill with skill_view:"


class Skills:
    """The handlers of the three tools over one *shelf*."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf

    def handlers(self) -> dict[str, Handler]:
        """The handlers to bind, by the names of their tools."""
        return {"skills_list": self.list, "skill_view": self.view, "skill_manage": self.manage}

    def prompt(self) -> str:
        """The names and descriptions for the prompt, as many as fit; "" where there are none."""
        usable = self._shelf.usable().values()
        lines = [f"- {s.name}: {s.text.description}" for s in usable if s.state != "by agent"]
        shown, left = [], _MOST_PROMPT_CHARS
        for line in lines:
            left -= len(line)
            if left < 0:
                break
            shown.append(line)
        more = len(usable) - len(shown)
        rest = [f"({more} more: skills_list)"] if more else []
        return "\n".join((_OPENING, *shown, *rest)) if usable else ""

    # ------------------------------------------------------------------------------------- handlers

    def list(self, _: Args, /, **__: Any) -> Done:
        """Every usable skill with its description."""
        usable = self._shelf.usable().values()
        rows = [{"name": s.name, "description": s.text.description, "state": s.state} for s in usable]
        return Done({"skills": rows}, labels=tuple(label for s in usable for label in _labels(s))[:1])

    def view(self, args: Args, /, **_: Any) -> Done:
        """The text of a skill and the names of its files, or one of these. Raises `UsageError`."""
        skill, name = self._shelf.find(args["name"]), args.get("file") or FILE
        if skill.contents is None:
            raise UsageError(f"the skill {skill.name} can't be read", f"look at {skill.where}")
        data = skill.contents.read(name)
        if name == FILE:
            files = sorted(set(skill.contents.files) - {FILE})
            value = {"skill": skill.name, "text": skill.text.body, "folder": str(skill.folder), "files": files}
        else:
            value = {"skill": skill.name, "file": name, **_as_text(data)}
        return Done(value, labels=_labels(skill))

    def manage(self, args: Args, /, **_: Any) -> dict[str, Any]:
        """Create, edit or delete a skill of the person's own. Raises `UsageError`."""
        name, action = args["name"], args["action"]
        if not is_name(name):
            raise UsageError(f"{name!r} is no name for a skill", "a-z, 0-9 and single hyphens, at most 64 characters")
        folder = self._shelf.own / name
        exists = os.path.lexists(folder)
        if folder.is_symlink():
            raise UsageError(f"{folder} is a link to another place", "change it there, or choose another name")
        if action == "create" and exists:
            raise UsageError(f"there is a skill {name} already", "edit it, or choose another name")
        if action != "create" and not exists:
            raise UsageError(f"there is no skill {name} of the person's own", "create it; others can't be changed here")
        if action == "delete" and not args.get("file"):
            return {"deleted": name, "kept_in": _set_aside(folder)}
        with LocalFiles().locked((str(folder / FILE),)):
            _change(folder, args)
            made = look_at(folder, "own")
            if made.contents:
                self._shelf.ledger.add("by_agent", made.contents.digest, name)
        note = "shown as data until the person trusts it: handiwork skills trust " + name
        return {"done": action, "skill": name, "problems": [*made.text.errors, *made.text.remarks], "note": note}


def _labels(skill: Skill) -> tuple[Label, ...]:
    return (Label("outside", f"skill {skill.name}, written by an agent"),) if skill.state == "by agent" else ()


def _as_text(data: bytes) -> dict[str, Any]:
    try:
        return {"text": data.decode()}
    except UnicodeDecodeError:
        return {"bytes": len(data), "note": "this file is no text"}


def _change(folder: Path, args: Args) -> None:
    """Write or remove what the call names in the folder."""
    name, content = args.get("file") or FILE, args.get("content", "")
    path = _inside(folder, name)
    if name != FILE:
        _remove(path) if args["action"] == "delete" else _write(path, content.encode())
        return
    before = look_at(folder, "own").text
    description = " ".join((args.get("description") or before.description).split())
    body = content.strip() or before.body
    if not description or not body or len(description) > MOST_DESCRIPTION:
        raise UsageError(
            f"a skill needs content and a description of at most {MOST_DESCRIPTION:,} characters",
            "description: what it is for and when to use it; content: how to go about it",
        )
    _write(path, write_skill_text({**before.head, "name": folder.name, "description": description}, body))


def _inside(folder: Path, name: str) -> str:
    """Where a file of the skill is. Raises `UsageError` for one that isn't below its folder, links followed."""
    root, path = os.path.realpath(folder), os.path.realpath(folder / name)
    if os.path.isabs(name) or not path.startswith(root + os.sep) or any(p.startswith(".") for p in name.split("/")):
        raise UsageError(f"{name!r} is no file inside the skill", "such as scripts/run.sh or references/api.md")
    return path


def _write(path: str, data: bytes) -> None:
    files = LocalFiles()
    real = files.real(path)
    files.replace(real, data, expected=files.stat(real))


def _remove(path: str) -> None:
    files = LocalFiles()
    known = files.stat(path)
    if known is None:
        raise UsageError(f"there is no file {path}", "look at the skill first")
    files.remove(path, expected=known)


def _set_aside(folder: Path) -> str:
    """Move a skill where nothing finds it but the person."""
    aside = folder.parent / ".deleted" / f"{folder.name}-{time.time_ns()}"
    try:
        aside.parent.mkdir(mode=0o700, exist_ok=True)
        folder.rename(aside)
    except OSError as error:
        raise UsageError(f"can't delete {folder}: {error.strerror}", "check its permissions") from error
    return str(aside)
