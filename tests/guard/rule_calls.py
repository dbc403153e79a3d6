"""Calls and rules for the tests of rules."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from handiwork.core.config import Mode
from handiwork.core.types import Ready, Scope, ShellState, ToolCall, ToolEntry, Traits, Verdict
from handiwork.guard import policy
from handiwork.guard.rules.rule import ACTIONS, Rule, RuleAction, Vocabulary, read_rule
from handiwork.guard.rules.rulebook import Rulebook

TOOLS = {
    "terminal": Traits(effect="write", touches={"command": "command", "cwd": "path"}),
    "process": Traits(effect="write", touches={"text": "command"}),
    "read_file": Traits(effect="read", touches={"path": "path"}),
    "search_files": Traits(effect="read", touches={"path": "path"}),
    "write_file": Traits(effect="write", touches={"path": "path"}),
    "patch": Traits(effect="write", touches={"path": "path", "patch": "patch"}),
    "execute_code": Traits(effect="write", touches={"code": "code"}),
    "web_extract": Traits(effect="read", touches={"urls": "url"}),
    "calculate": Traits(effect="read"),
}
NAMES = {"Bash": "terminal", "Read": "read_file", "Edit": "patch", "Write": "write_file", "WebFetch": "web_extract"}
WORDS = Vocabulary(TOOLS, NAMES)


def ready(tool: str, args: dict[str, Any], work: Path | str, *, origin: str = "builtin", cwd: str = "") -> Ready:
    scope = Scope(cwd=cwd or str(work), workspace=str(work), shell=ShellState(cwd or str(work)))
    traits = TOOLS.get(tool, Traits())
    entry = ToolEntry(tool, "set", {"parameters": {}}, lambda args, /, **kw: "", traits=traits, origin=origin)
    return Ready(ToolCall(tool, scope=scope), entry, args)


def run(command: str, work: Path | str, **kw: Any) -> Ready:
    return ready("terminal", {"command": command}, work, **kw)


def rule(text: str, action: RuleAction = "allow", base: Path | str = "/work") -> Rule:
    return read_rule(text, action, WORDS, base=str(base))


def book(base: Path | str = "/work", **lists: list[str]) -> Rulebook:
    return Rulebook(**{a: tuple(rule(text, a, base) for text in lists.get(a, ())) for a in ACTIONS})


def judged(call: Ready, mode: Mode = "accept-edits", **lists: list[str]) -> Verdict:
    held = book(call.call.scope.workspace, **lists)
    return policy(mode, rules=lambda _: held)(call)
