"""Rules held against examples, and against one another: a rule that doesn't do what it says is a mistake to tell."""

from __future__ import annotations

import os
import re

from handiwork.core.loading import Late
from handiwork.core.types import ALLOW, Ready, Scope, ToolCall, ToolEntry, Touch, Traits

from ..effects import Invocation
from ..raters import Rated
from ..urls import judge_url
from .facts import Facts
from .rule import Rule
from .rulebook import is_host, meets, names

commands = Late("handiwork.guard.commands")


def fits(rule: Rule, example: str, folder: str) -> bool:
    """Whether *rule* is for *example*: a command, path, URL or tool's name, as its kind is, seen from *folder*."""
    if rule.command is not None:
        return _fits_command(rule, example, folder)
    if rule.path is not None:
        path = os.path.normpath(os.path.join(folder, os.path.expanduser(example)))
        return rule.path.covers(path) if rule.action == "allow" else rule.path.reaches(path)
    if rule.kind == "host":
        return is_host(judge_url(example).host if "://" in example else example, rule.pattern)
    made = _made_up(rule, "path", folder, example)
    return names(rule, Facts(made, []))


def _fits_command(rule: Rule, example: str, folder: str) -> bool:
    """For a rule that allows: every program of it is covered. For another: one of them is met."""
    assert rule.command is not None
    found = commands.judge_command(example, folder, workspace=folder)
    rated = Rated(ALLOW, "command", example, folder, command=found)
    if rule.action != "allow":
        return meets(rule, Facts(_made_up(rule, "command", folder), [rated])) == "yes"
    plain = all(one.depth == 1 and one.is_bare and rule.command.covers(one) for one in found.started)
    return rule.command.is_text(example) or (bool(found.started) and plain)


def _made_up(rule: Rule, touch: Touch, folder: str, name: str = "") -> Ready:
    """A call that didn't happen, of the rule's tool or of the one (or origin) that an example names."""
    entry = ToolEntry(
        name or rule.tool,
        "",
        {"parameters": {}},
        lambda _args, /, **_: "",
        traits=Traits(touches={"example": touch}),
        origin=name if rule.kind == "origin" else "builtin",
    )
    return Ready(ToolCall(entry.name, scope=Scope(cwd=folder, workspace=folder)), entry, {})


def shadow_of(rule: Rule, denied: tuple[Rule, ...]) -> Rule | None:
    """The rule that denies everything that *rule* would allow; None where nothing does."""
    return next((other for other in denied if _is_over(other, rule)), None)


def _is_over(denying: Rule, rule: Rule) -> bool:
    if denying.kind == "tool" and rule.kind != "origin":
        return denying.tool in (rule.tool, "*")
    if denying.kind != rule.kind:
        return False
    if denying.pattern == rule.pattern:
        return True
    if denying.command is not None and rule.command is not None:
        return bool(rule.command.words) and not denying.command.is_exact and _is_met(denying, rule)
    if denying.path is not None and rule.path is not None:
        is_literal = not re.search(r"[*?\[]", rule.pattern)
        return denying.path.reaches(rule.path.anchor if not is_literal else rule.path.written)
    return denying.kind == "host" and is_host(rule.pattern, denying.pattern)


def _is_met(denying: Rule, rule: Rule) -> bool:
    assert denying.command is not None
    assert rule.command is not None
    return denying.command.meets(Invocation(rule.command.words)) == "yes"
