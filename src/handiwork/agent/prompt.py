"""The system prompt: built from the schemas and the project's AGENTS.md, the same bytes for the same input."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from ..core.wire import name_of_definition
from ..guard.fencing import neutralise

GUIDE_NAME = "AGENTS.md"
_MOST_GUIDE_CHARS = 32_000

_OPENING = """\
You are Handiwork, an agent that gets things done on this computer by calling tools.

How to work:
- Look before you act: read a file before you change it; find out rather than guess.
- Let tools do what they are exact at: count, calculate and compare with a command or a calculation, not in your head.
- Do one thing at a time, check the result, then go on. If a call fails, read its error; it says what to do next.
- Do what was asked, all of it and nothing else. When everything is done, say in a few words what you did or found."""


def build_prompt(
    definitions: Iterable[Mapping[str, Any]], *, cwd: str, workspace: str, guides: str = "", known: str = ""
) -> str:
    """The system prompt for a session in *cwd* with the tools of *definitions*; what is *known* stands last."""
    parts = [_OPENING, f"Working directory: {cwd}" + (f"\nProject: {workspace}" if workspace not in ("", cwd) else "")]
    names = [name_of_definition(d) for d in definitions]
    if names:  # what each does and takes goes to the model beside the prompt; here it would be paid for twice
        parts.append("Your tools: " + ", ".join(names))
    if guides:
        parts.append("The project's own instructions:\n\n" + guides)
    if known:
        parts.append(known)
    return "\n\n".join(parts) + "\n"


def read_guides(cwd: str, workspace: str) -> str:
    """The AGENTS.md files from the workspace down to *cwd*, the nearest last; at most 32,000 characters.

    Whoever wrote them, no token in them passes for a message: such are broken as in text from outside.
    """
    texts = [text for folder in _folders(cwd, workspace) if (text := _read(os.path.join(folder, GUIDE_NAME)))]
    return neutralise("\n\n".join(texts)[:_MOST_GUIDE_CHARS])


def _folders(cwd: str, workspace: str) -> list[str]:
    if not workspace or not os.path.realpath(cwd).startswith(os.path.realpath(workspace)):
        return [cwd]
    below = os.path.relpath(os.path.realpath(cwd), os.path.realpath(workspace))
    steps = [] if below == "." else below.split(os.sep)
    return [os.path.join(workspace, *steps[:i]) for i in range(len(steps) + 1)]


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(_MOST_GUIDE_CHARS).strip()
    except (FileNotFoundError, IsADirectoryError, PermissionError):
        return ""
