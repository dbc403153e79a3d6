"""The names that other agents' hooks and rules have for our tools and their arguments: one table, read both ways.

They are translated where such files are taken in, or where their programs are told of a call, and nowhere
else. A tool that the table doesn't name keeps its name (`mcp__server__tool`).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from ..catalog.gate import Closed
from ..core.patches import paths_of

_PATHS = ("file_path", "path", "notebook_path")


class Foreign(NamedTuple):
    """What a tool of ours is called elsewhere, the usual name first, and its arguments (ours -> theirs)."""

    names: tuple[str, ...]
    arguments: Mapping[str, str] = {}


TOOLS: Mapping[str, Foreign] = {
    "terminal": Foreign(("Bash",), {"background": "run_in_background"}),
    "process": Foreign(("BashOutput", "KillShell")),
    "patch": Foreign(("Edit", "MultiEdit"), {"path": "file_path"}),
    "write_file": Foreign(("Write",), {"path": "file_path"}),
    "read_file": Foreign(("Read",), {"path": "file_path"}),
    "search_files": Foreign(("Grep", "Glob"), {"ignore_case": "-i", "context": "-C", "limit": "head_limit"}),
    "todo": Foreign(("TodoWrite",)),
    "clarify": Foreign(("AskUserQuestion",)),
    "web_search": Foreign(("WebSearch",)),
    "web_extract": Foreign(("WebFetch",)),
    "delegate_task": Foreign(("Task", "Agent")),
}
OURS: Mapping[str, str] = {theirs: ours for ours, foreign in TOOLS.items() for theirs in foreign.names}
# What they count in another unit (theirs is so many times ours).
_SCALES = {("terminal", "timeout"): 1000}


def meaning_of(name: str) -> Closed | None:
    """What other agents' *name* is called here; None where it is none of theirs."""
    ours = OURS.get(name)
    said = f"other agents call it {name}; here it is {ours}"
    return Closed(said, f"handiwork why {ours}", "found", ours) if ours else None


def names_of(tool: str) -> tuple[str, ...]:
    """Every name that a tool of ours goes by, its own first."""
    return (tool, *TOOLS[tool].names) if tool in TOOLS else (tool,)


def to_foreign(tool: str, args: Mapping[str, Any], cwd: str) -> list[tuple[str, dict[str, Any]]]:
    """A call of ours as others write it, with whole paths. A patch over several files is a call for each."""
    foreign = TOOLS.get(tool)
    if foreign is None:
        return [(tool, dict(args))]
    if tool == "process" and args.get("text"):  # what is typed into a shell that runs is a command, too
        return [("Bash", {**args, "command": args["text"]})]
    name = "Glob" if tool == "search_files" and args.get("target") == "files" else foreign.names[0]
    told = {foreign.arguments.get(key, key): _scaled(tool, key, value) for key, value in args.items()}
    told = {key: _whole(value, cwd) if key in _PATHS else value for key, value in told.items()}
    if tool != "patch" or not args.get("patch"):
        return [(name, told)]
    return [(name, {**told, "file_path": _whole(path, cwd)}) for path in paths_of(str(args["patch"]))]


def to_ours(tool: str, told: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments in their names, for *tool* of ours, in our names."""
    foreign = TOOLS.get(tool, Foreign(()))
    ours = {theirs: own for own, theirs in foreign.arguments.items()}
    args = {ours.get(key, key): value for key, value in told.items()}
    return {key: _scaled(tool, key, value, back=True) for key, value in args.items()}


def _scaled(tool: str, key: str, value: Any, *, back: bool = False) -> Any:
    scale = _SCALES.get((tool, key))
    if scale is None or isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    return value / scale if back else value * scale


def _whole(path: Any, cwd: str) -> Any:
    return os.path.normpath(os.path.join(cwd, os.path.expanduser(path))) if isinstance(path, str) else path
