"""Keeps the rules that a person's answers make: where they would stand, and that they stand there."""

from __future__ import annotations

import os

from ..core.loading import Late
from ..core.types import Keep, Ready
from .house import House

rule_store = Late("handiwork.apps.rule_store")
_SCOPES: tuple[Keep, ...] = ("project", "always")


class RuleKeeper:
    """Keeps rules in the configuration files of *house* and of the project that a call works in."""

    def __init__(self, house: House) -> None:
        self._home, self._rules = house.home, house.rules

    def files(self, ready: Ready) -> dict[Keep, str]:
        """Where a rule would be kept, for the project and for always; what can't be is left out."""
        workspace = ready.call.scope.workspace
        scopes = [scope for scope in _SCOPES if self._home and (scope == "always" or workspace)]
        return {scope: _short(rule_store.rule_file(self._home, workspace, scope), workspace) for scope in scopes}

    def store(self, workspace: str, rule: str, keep: Keep) -> str:
        """Keep *rule*; where it stands then: file and line. Raises `UsageError` and `ConfigError`."""
        stored = rule_store.store_rule(self._home, workspace, rule, keep)
        if self._rules:
            self._rules.look_again()
        return f"{_short(stored.file, workspace)}:{stored.line}"


def _short(path: str, workspace: str) -> str:
    """A path as people write it: from the project, or from the home."""
    home = os.path.expanduser("~")
    if workspace and path.startswith(workspace + "/"):
        return path[len(workspace) + 1 :]
    return "~" + path[len(home) :] if path.startswith(home + "/") else path
