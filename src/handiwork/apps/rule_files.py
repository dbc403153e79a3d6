"""The rules in configuration files: read, checked, with file and line of each."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..core.config import MODES
from ..core.errors import ConfigError, UsageError
from ..core.loading import Late
from ..guard.rules.examples import fits, shadow_of
from ..guard.rules.rule import ACTIONS, Rule, RuleAction, Vocabulary, read_rule
from ..guard.rules.rulebook import Rulebook
from .config_file import config_paths, text_of
from .rule_trust import RuleTrust

yaml = Late("yaml")
_ENTRY_KEYS = frozenset(("rule", "match", "not_match", "note"))


@dataclass(frozen=True, slots=True)
class RuleFile:
    """The rules of one file; `ignored` are those that nobody has trusted."""

    path: str
    rules: tuple[Rule, ...] = ()
    ignored: tuple[Rule, ...] = ()


@dataclass(frozen=True, slots=True)
class RuleFiles:
    """The rules that hold in one workspace, by their files."""

    files: tuple[RuleFile, ...] = ()
    book: Rulebook = field(default_factory=Rulebook)


def read_rule_files(home: str, workspace: str, words: Vocabulary) -> RuleFiles:
    """The rules of the person and of the project at *workspace*. Raises `ConfigError` with file and line.

    What a project's files allow holds once a person has trusted it.
    """
    files = tuple(_read(path, home, workspace, words) for path in config_paths(home, workspace))
    lists = {action: tuple(r for f in files for r in f.rules if r.action == action) for action in ACTIONS}
    return RuleFiles(files, Rulebook(**lists))


def _read(path: str, home: str, workspace: str, words: Vocabulary) -> RuleFile:
    try:
        document = yaml.compose(text_of(path), Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: {error}", "correct the YAML there") from error
    entries = [(action, node) for action, node in _entries(document)]
    rules = tuple(_rule(path, action, node, words, workspace) for action, node in entries)
    _check_shadows(rules)
    if os.path.dirname(path) == home or RuleTrust(home).trusts(path, [r.text for r in _allowed(rules)]):
        return RuleFile(path, rules)
    held = tuple(rule for rule in rules if rule.action != "allow")
    return RuleFile(path, held, _allowed(rules))


def _allowed(rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
    return tuple(rule for rule in rules if rule.action == "allow")


def _entries(document: Any) -> list[tuple[RuleAction, Any]]:
    lists = dict(_mapping(_mapping(document).get("policy")))
    return [(action, node) for action in ACTIONS for node in getattr(lists.get(action), "value", ())]


def _mapping(node: Any) -> dict[str, Any]:
    return {key.value: value for key, value in node.value} if isinstance(node, yaml.MappingNode) else {}


def _rule(path: str, action: RuleAction, node: Any, words: Vocabulary, workspace: str) -> Rule:
    line = node.start_mark.line + 1
    entry = yaml.SafeLoader("").construct_document(node)
    said = entry if isinstance(entry, dict) else {"rule": entry}
    place = f"{os.path.basename(path)}:{line}"
    try:
        rule = read_rule(said["rule"], action, words, base=workspace, place=place, note=str(said.get("note", "")))
        _check_examples(rule, said, workspace or "/")
    except UsageError as error:
        raise ConfigError(f"{path}:{line}: {error}", error.hint) from error
    return rule


def _check_examples(rule: Rule, said: Mapping[str, Any], folder: str) -> None:
    for example in said.get("match", ()):
        if not fits(rule, example, folder):
            raise UsageError(f"{rule.text} doesn't match its example {example!r}", "correct the rule or the example")
    for example in said.get("not_match", ()):
        if fits(rule, example, folder):
            raise UsageError(f"{rule.text} matches {example!r}, which it shouldn't", "correct the rule or the example")


def _check_shadows(rules: tuple[Rule, ...]) -> None:
    denied = tuple(rule for rule in rules if rule.action == "deny")
    for rule in _allowed(rules):
        if other := shadow_of(rule, denied):
            raise ConfigError(
                f"{rule.place}: {rule.text} can never allow anything: {other} comes first", "take out one of them"
            )


def problem_with_policy(policy: Mapping[Any, Any]) -> str | None:
    """What is wrong with the form of `policy`, in words, or None. Whether its rules can match is seen later."""
    for key, value in policy.items():
        if key == "defaultMode":
            if value not in MODES:
                return f"policy.defaultMode: expected one of {', '.join(MODES)}, got {value!r}"
        elif key not in ACTIONS:
            return f"policy: unknown key {key!r}; there are {', '.join(ACTIONS)} and defaultMode"
        elif not isinstance(value, list):
            return f"policy.{key}: expected a list of rules, got {value!r}"
        elif problem := next(filter(None, map(_entry_problem, value)), None):
            return f"policy.{key}: {problem}"
    return None


def _entry_problem(entry: Any) -> str | None:
    if isinstance(entry, str):
        return None
    if not isinstance(entry, dict) or not isinstance(entry.get("rule"), str):
        return f"expected a rule, or a mapping with `rule`, got {entry!r}"
    if strange := sorted(map(str, set(entry) - _ENTRY_KEYS)):
        return f"unknown key {strange[0]!r} beside a rule; there are {', '.join(sorted(_ENTRY_KEYS))}"
    for key in ("match", "not_match"):
        examples = entry.get(key, [])
        if not isinstance(examples, list) or not all(isinstance(e, str) for e in examples):
            return f"{key}: expected a list of examples, got {examples!r}"
    return None
