"""A rule, and how it is written: `Tool`, `Tool(pattern)`, `mcp__server__tool`, `origin:plugin:x`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from handiwork.core.errors import UnknownNameError, UsageError
from handiwork.core.types import Traits

from .command_patterns import CommandPattern
from .globs import PathGlob

RuleAction: TypeAlias = Literal["allow", "ask", "deny"]
# What a pattern is held against: the whole tool, its origin, a command, a path that is read or written, a host.
RuleKind: TypeAlias = Literal["tool", "origin", "command", "read", "write", "host"]
ACTIONS: Final[tuple[RuleAction, ...]] = ("allow", "ask", "deny")
_SHAPE: Final = re.compile(r"([\w.:*/-]+)(?:\((.*)\))?", re.DOTALL)
_HOST: Final = "domain:"


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. `text` is as it was written, `tool` our name (or a pattern of names), `place` is file and line."""

    text: str
    action: RuleAction
    kind: RuleKind
    tool: str
    pattern: str = ""
    place: str = ""
    note: str = ""
    command: CommandPattern | None = None
    path: PathGlob | None = None

    def __str__(self) -> str:
        return f"{self.action} {self.text}" + (f" ({self.place})" if self.place else "")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What rules may name: tools with their traits, and what others call them (theirs -> ours)."""

    tools: Mapping[str, Traits]
    names: Mapping[str, str]

    def ours(self, name: str) -> str:
        """Our name of a tool. Raises `UnknownNameError`."""
        ours = self.names.get(name, name)
        if ours in self.tools or ours == "*" or name.startswith("mcp__"):
            return ours
        raise UnknownNameError("tool", name, (*self.tools, *self.names), "see `handiwork tools list`")


def read_rule(
    text: str, action: RuleAction, words: Vocabulary, *, base: str = "", place: str = "", note: str = ""
) -> Rule:
    """The rule that *text* says; `./` in it is *base*. Raises `UsageError` for one that could never match."""
    shape = _SHAPE.fullmatch(text.strip())
    if shape is None:
        raise UsageError(f"malformed rule {text!r}", "write `tool`, or `tool(pattern)` such as terminal(git status:*)")
    name, pattern = shape.groups()
    if name.startswith("origin:"):
        return _origin(text, action, name.removeprefix("origin:"), pattern, place, note)
    tool = words.ours(name)
    if pattern is None or pattern in ("", "*", "**"):
        return Rule(text, action, "tool", tool, "", place, note)
    kind = _kind(pattern, words.tools.get(tool))
    if kind is None:
        raise UsageError(f"{text} can never match: {name} has no argument for such a pattern", f"write {name} alone")
    return _patterned(Rule(text, action, kind, tool, pattern, place, note), base)


def _origin(text: str, action: RuleAction, origin: str, pattern: str | None, place: str, note: str) -> Rule:
    if pattern is not None or not origin:
        raise UsageError(f"malformed rule {text!r}", "write origin:plugin:NAME, origin:mcp:NAME or origin:builtin")
    return Rule(text, action, "origin", "", origin, place, note)


def _kind(pattern: str, traits: Traits | None) -> RuleKind | None:
    """What the pattern is held against, by what the tool says that it touches."""
    touched = set(traits.touches.values()) if traits else set()
    if pattern.startswith(_HOST):
        return "host" if touched & {"url", "command"} else None
    if "command" in touched:
        return "command"
    if touched & {"path", "patch"} and traits:
        return "read" if traits.resolved_effect() == "read" else "write"
    return "host" if "url" in touched and "/" not in pattern else None


def _patterned(rule: Rule, base: str) -> Rule:
    """The rule with its pattern made ready."""
    command = CommandPattern(rule.pattern) if rule.kind == "command" else None
    path = PathGlob(rule.pattern, base) if rule.kind in ("read", "write") else None
    pattern = rule.pattern.removeprefix(_HOST).lower() if rule.kind == "host" else rule.pattern
    return Rule(rule.text, rule.action, rule.kind, rule.tool, pattern, rule.place, rule.note, command, path)
