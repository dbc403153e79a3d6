"""The rules that hold, and what they make of a call: deny before ask, ask before allow, allow before the guard."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from handiwork.core.config import Mode
from handiwork.core.types import Allow, Ask, Forbid, Ready, Verdict

from ..effects import Effect
from ..raters import Rated, together
from ..shell.marks import is_known
from ..verdict import EDITING, CommandVerdict
from ..workspace import is_inside
from .command_patterns import Meeting
from .facts import Facts
from .rule import Rule

# What a rule with a `*` in it never says yes to: it hides what runs, or reaches where nobody looked.
_NEVER_BY_STAR: Final = frozenset(
    (
        *("hidden", "unparsed", "unfollowed", "unknown_program", "run_other", "privilege", "env_tamper", "log_wipe"),
        *("self", "read_secret", "socket", "listen", "persistence", "access", "run_fetched_code", "send_file"),
    )
)


@dataclass(frozen=True, slots=True)
class Rulebook:
    """The rules of one policy, in the order of their files."""

    allow: tuple[Rule, ...] = ()
    ask: tuple[Rule, ...] = ()
    deny: tuple[Rule, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.allow or self.ask or self.deny)

    def rule_on(self, facts: Facts) -> Ask | Forbid | None:
        """What a rule says that denies or asks; None where none does."""
        asked: Ask | None = None
        for rule in self.deny:
            met = meets(rule, facts)
            if met == "yes":
                return Forbid(f"a rule denies it: {rule}", "don't try it another way; a person may change the rule",
                              str(rule))  # fmt: skip
            if met == "maybe" and asked is None:
                asked = Ask(f"it isn't known whether a rule denies it: {rule}", _keys(facts), str(rule))
        asking = next((rule for rule in self.ask if meets(rule, facts) != "no"), None) if asked is None else None
        return Ask(f"a rule asks about it: {asking}", _keys(facts), str(asking)) if asking else asked

    def lifted(self, facts: Facts, unknown: list[Verdict], mode: Mode) -> Verdict:
        """The guard's verdict without what a rule says yes to. *unknown* is what it says of the tool itself."""
        used: list[Rule] = []
        left = [_unasked(verdict, _naming(self.allow, facts), used) for verdict in unknown]
        left += [self._left_of(rated, facts, mode, used) for rated in facts.rated]
        verdict = together(left)
        return Allow(str(used[0])) if used and isinstance(verdict, Allow) else verdict

    def _left_of(self, rated: Rated, facts: Facts, mode: Mode, used: list[Rule]) -> Verdict:
        if not isinstance(rated.verdict, Ask) or (mode == "read-only" and rated.command):
            return rated.verdict
        if rated.command is not None:
            return self._left_of_command(rated, rated.command, facts, used, mode)
        fitting = [rule for rule in self.allow if names(rule, facts) or _allows(rule, rated, facts)]
        return _unasked(rated.verdict, fitting, used)

    def _left_of_command(
        self, rated: Rated, found: CommandVerdict, facts: Facts, used: list[Rule], mode: Mode
    ) -> Verdict:
        assert isinstance(rated.verdict, Ask)
        whole = [r for r in self.allow if names(r, facts) or _is_whole(r, rated, facts)]
        if whole:
            return _unasked(rated.verdict, whole, used)
        edits = [(e, f"it changes {e.target}") for e in found.effects if e.kind in EDITING and mode == "ask"]
        reasons: list[str] = []
        for effect, reason in (*found.asked, *edits):
            rule = next((r for r in self.allow if _lifts(r, effect, rated, found, facts)), None)
            if rule is None:
                reasons.append(reason)
            else:
                used.append(rule)
        if not reasons and (found.asked or edits):
            return Allow(str(used[-1]))
        return replace(rated.verdict, reason="; ".join(dict.fromkeys(reasons)) or rated.verdict.reason)


def _unasked(verdict: Verdict, fitting: list[Rule], used: list[Rule]) -> Verdict:
    if not isinstance(verdict, Ask) or not fitting:
        return verdict
    used.append(fitting[0])
    return Allow(str(fitting[0]))


def _keys(facts: Facts) -> tuple[str, ...]:
    """What a stored answer would cover: what the guard would have asked, or this call as it is."""
    asked = together([rated.verdict for rated in facts.rated])
    own = tuple(f"{rated.touch}:{rated.text}@{rated.real}" for rated in facts.rated)
    return asked.keys if isinstance(asked, Ask) and asked.keys else own or (f"tool:{facts.name}",)


def names(rule: Rule, facts: Facts) -> bool:
    """Whether the rule names the tool as a whole, or where it comes from."""
    if rule.kind == "origin":
        return any(fnmatch.fnmatchcase(o, rule.pattern) for o in (facts.origin, facts.origin.replace("user/", "")))
    return rule.kind == "tool" and is_tool(rule, facts)


def is_tool(rule: Rule, facts: Facts) -> bool:
    """Whether the rule's tool is the one that is called. `mcp__server` means all tools of a server."""
    if rule.tool == facts.name or fnmatch.fnmatchcase(facts.name, rule.tool):
        return True
    server, _, tool = rule.tool.removeprefix("mcp__").partition("__")
    if not rule.tool.startswith("mcp__") or facts.origin != f"mcp:{server}":
        return False
    return tool in ("", "*") or fnmatch.fnmatchcase(facts.name, f"*__{tool}")


def _naming(rules: Iterable[Rule], facts: Facts) -> list[Rule]:
    return [rule for rule in rules if names(rule, facts)]


# --------------------------------------------------------------------------------------- deny and ask


def meets(rule: Rule, facts: Facts) -> Meeting:
    """Whether the call does, or may do, what a rule denies or asks about, by whichever door."""
    if rule.kind in ("tool", "origin"):
        return "yes" if names(rule, facts) else "no"
    if rule.command is not None:
        return _meets_command(rule, facts)
    if rule.path is not None:
        touched = facts.read if rule.kind == "read" else facts.written
        return "yes" if any(rule.path.reaches(path) for path in touched) else "no"
    return "yes" if any(is_host(host, rule.pattern) for host in facts.hosts) else "no"


def _meets_command(rule: Rule, facts: Facts) -> Meeting:
    assert rule.command is not None
    if any(rule.command.is_text(rated.text) for rated in facts.rated if rated.command):
        return "yes"
    met = {rule.command.meets(invocation) for invocation in facts.started}
    return "yes" if "yes" in met else "maybe" if "maybe" in met else "no"


def is_host(host: str, pattern: str) -> bool:
    """Whether *host* is the one of a rule, or lies below it."""
    bare = pattern.removeprefix("*.")
    return pattern == "*" or host.endswith("." + bare) or (host == bare and bare == pattern)


# ---------------------------------------------------------------------------------------------- allow


def _allows(rule: Rule, rated: Rated, facts: Facts) -> bool:
    """Whether a rule says yes to one path or URL."""
    if rule.path is not None and rated.touch == "path":
        named = os.path.normpath(os.path.join(facts.ready.call.scope.here, os.path.expanduser(rated.text)))
        is_kind = (rule.kind == "write") == rated.writes
        return is_kind and rule.path.covers(named) and rule.path.covers(rated.real)
    return rule.kind == "host" and rated.touch == "url" and is_host(rated.real, rule.pattern)


def _is_whole(rule: Rule, rated: Rated, facts: Facts) -> bool:
    """Whether a rule says yes to a command as it is written, where no folder or variable of the session changes it."""
    if rule.command is None or not is_tool(rule, facts) or not rule.command.is_text(rated.text):
        return False
    scope = facts.ready.call.scope
    if scope.workspace and not is_inside(rated.real, scope.workspace):
        return False
    shell = scope.shell
    return not any(name in rated.text for name in (shell.exported if shell else ()))


def _lifts(rule: Rule, effect: Effect, rated: Rated, found: CommandVerdict, facts: Facts) -> bool:
    """Whether a rule says yes to one thing that a command does."""
    if rule.path is not None:
        kinds = ("write", "append") if rule.kind == "write" else ("read_secret",)
        is_meant = rule.path.covers(effect.target) and rule.path.covers(os.path.realpath(effect.target))
        return effect.kind in kinds and is_known(effect.target) and is_meant
    if rule.command is None or not is_tool(rule, facts):
        return False
    if not rule.command.is_exact and effect.kind in _NEVER_BY_STAR:
        return False
    return is_covered(rule, effect, rated.real, found, facts.ready)


def is_covered(rule: Rule, effect: Effect, folder: str, found: CommandVerdict, ready: Ready) -> bool:
    """Whether what the effect comes from is one program, run plainly and in place, that the rule names."""
    here = [invocation for invocation in found.started if invocation.span == effect.span]
    workspace = ready.call.scope.workspace or folder
    if not here or rule.command is None:
        return False
    for one in here:
        in_place = is_inside(one.cwd, workspace) and (one.cwd == folder or not rule.command.is_exact)
        if one.depth != 1 or not one.is_bare or not in_place or not rule.command.covers(one):
            return False
    return True
