"""Keeping an answer as a rule: for this project, or for always."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal, TypeAlias

from ..core.errors import UsageError
from ..guard.rules.rule import RuleAction
from .audit import put_decision
from .config_file import LOCAL, load_config, parse, text_of
from .rule_edits import Stored, add_rule, remove_rule, text_of_entry
from .rule_trust import RuleTrust

RuleScope: TypeAlias = Literal["project", "always"]


def store_rule(home: str, workspace: str, rule: str, scope: RuleScope, *, action: RuleAction = "allow") -> Stored:
    """Keep *rule* in the person's file of this project, or in their own; the file, and the line from 1.

    It holds a moment later, in running processes too. Raises `UsageError` where there is no project, or its file
    allows things that nobody has trusted; `ConfigError` for a file that can't be changed safely.
    """
    path = rule_file(home, workspace, scope)
    if scope == "always":
        return _recorded(home, "rule added", action, rule, add_rule(path, action, rule))
    if os.path.realpath(path) != os.path.join(os.path.realpath(workspace), ".handiwork", LOCAL):
        raise UsageError(f"{path} is a link to elsewhere", "remove the link; a project could have it lead anywhere")
    allowed = allowed_in(path)
    if not RuleTrust(home).trusts(path, allowed):
        hint = "look at it, then: handiwork policy trust"
        raise UsageError(f"{path} allows what nobody has trusted yet: {', '.join(allowed[:3])}", hint)
    stored = add_rule(path, action, rule)
    RuleTrust(home).trust(path, allowed_in(path))
    _keep_out_of_git(workspace)
    return _recorded(home, "rule added", action, rule, stored)


def drop_rule(home: str, path: str, action: RuleAction, rule: str) -> Stored:
    """Take a rule out of a file; what else it allows stays trusted, if it was."""
    trust = RuleTrust(home)
    was_trusted = trust.trusts(path, allowed_in(path))
    stored = remove_rule(path, action, rule)
    if was_trusted and os.path.dirname(path) != home:
        trust.trust(path, allowed_in(path))
    return _recorded(home, "rule removed", action, rule, stored)


def trust_rules(home: str, path: str) -> None:
    """Let a project's file allow what it says now."""
    allowed = allowed_in(path)
    RuleTrust(home).trust(path, allowed)
    put_decision(home, load_config(home), "rules trusted", {"rules": allowed, "file": path})


def _recorded(home: str, what: str, action: RuleAction, rule: str, stored: Stored) -> Stored:
    put_decision(home, load_config(home), what, {"rule": f"{action} {rule}", "file": stored.file, "line": stored.line})
    return stored


def rule_file(home: str, workspace: str, scope: RuleScope) -> str:
    """The file that holds the rules of a scope."""
    if scope == "always":
        return os.path.join(home, "config.yaml")
    if not workspace:
        raise UsageError("there is no project here", "keep it for always, or work in a folder of its own")
    return os.path.join(workspace, ".handiwork", LOCAL)


def allowed_in(path: str) -> list[str]:
    """What a file allows, as it is written there."""
    if not os.path.exists(path):
        return []
    policy = parse(path, text_of(path)).get("policy") or {}
    return [text_of_entry(entry) for entry in policy.get("allow") or []]


def _keep_out_of_git(workspace: str) -> None:
    """Name the file in the repository's own list of what is left alone, which isn't shared."""
    folder = _git_folder(Path(workspace))
    if folder is None:
        return
    exclude = folder / "info" / "exclude"
    if exclude.is_symlink() or exclude.parent.is_symlink():  # whoever made it may have it lead anywhere
        return
    line = f".handiwork/{LOCAL}"
    text = exclude.read_text(encoding="utf-8", errors="surrogateescape") if exclude.exists() else ""
    if not any(line in known for known in text.splitlines()):
        exclude.parent.mkdir(exist_ok=True)
        start = text if not text or text.endswith("\n") else text + "\n"
        exclude.write_text(f"{start}**/{line}\n", encoding="utf-8", errors="surrogateescape")


def _git_folder(folder: Path) -> Path | None:
    """Where the repository of *folder* keeps what all its worktrees share."""
    found = next((above / ".git" for above in (folder, *folder.parents) if (above / ".git").exists()), None)
    if found is None or found.is_dir():
        return found
    pointer = found.read_text(encoding="utf-8", errors="surrogateescape").removeprefix("gitdir:").strip()
    own = (found.parent / pointer).resolve()
    shared = own / "commondir"
    return (own / shared.read_text(encoding="utf-8").strip()).resolve() if shared.exists() else own
