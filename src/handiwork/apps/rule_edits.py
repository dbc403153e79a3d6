"""Adding a rule to a configuration file and taking one out, with everything else in it kept as it was written."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from ..core.errors import ConfigError, UsageError
from ..core.loading import Late
from ..guard.rules.rule import RuleAction
from .config_file import parse, says, text_of, write_text

yaml = Late("yaml")
fcntl = Late("fcntl")


class Stored(NamedTuple):
    """Where a rule stands: its file, and the line, from 1."""

    file: str
    line: int


def add_rule(path: str, action: RuleAction, rule: str) -> Stored:
    """Write *rule* into the list of *action*, and say where; one that is there stays where it is.

    Raises `ConfigError` for a file that is damaged or can't be changed without harm.
    """
    with _Held(path):
        text = text_of(path) if os.path.lexists(path) else ""
        data = parse(path, text)
        policy = dict(data.get("policy") or {})
        listed = policy.get(action) or []
        if rule not in map(text_of_entry, listed):
            wanted = {**data, "policy": {**policy, action: [*listed, rule]}}
            text = _changed(path, text, _with(text, action, rule), wanted)
        return Stored(path, line_of(text, action, rule))


def remove_rule(path: str, action: RuleAction, rule: str) -> Stored:
    """Take *rule* out of the list of *action*; where it stood. Raises `UsageError` where it isn't there."""
    with _Held(path):
        text = text_of(path) if os.path.lexists(path) else ""
        data = parse(path, text)
        listed = (data.get("policy") or {}).get(action) or []
        at = next((place for place, entry in enumerate(listed) if text_of_entry(entry) == rule), None)
        if at is None:
            raise UsageError(f"{path} has no rule `{action} {rule}`", "see `handiwork policy list`")
        line = line_of(text, action, rule)
        wanted = {**data, "policy": {**data["policy"], action: [*listed[:at], *listed[at + 1 :]]}}
        _changed(path, text, _without(text, action, at), wanted)
        return Stored(path, line)


def text_of_entry(entry: Any) -> str:
    """The rule of an entry, which is text or a mapping."""
    return str(entry.get("rule", "")) if isinstance(entry, dict) else str(entry)


class _Held:
    """Holds a file's folder so that two processes don't write over each other's rules."""

    def __init__(self, path: str) -> None:
        self._folder = os.path.dirname(path)

    def __enter__(self) -> None:
        os.makedirs(self._folder, exist_ok=True)
        self._handle = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        fcntl.flock(self._handle, fcntl.LOCK_EX)

    def __exit__(self, *_: object) -> None:
        os.close(self._handle)


def _changed(path: str, before: str, after: str, wanted: dict[str, Any]) -> str:
    if not says(after, wanted):
        raise ConfigError(f"{path}: its rules can't be changed without harm to the rest", "change it with an editor")
    if after != before:
        write_text(os.path.realpath(path), after)
    return after


# --------------------------------------------------------------------------------------- in the text


def _lists(text: str) -> tuple[Any, Any, dict[str, Any]]:
    """The nodes of the whole, of `policy`, and of each list in that."""
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    policy = _under(root, "policy")
    return root, policy, {key.value: value for key, value in _pairs(policy)}


def _pairs(node: Any) -> list[Any]:
    return node.value if isinstance(node, yaml.MappingNode) else []


def _under(node: Any, key: str) -> Any:
    return next((value for name, value in _pairs(node) if name.value == key), None)


def _rule_of(node: Any) -> str:
    found = _under(node, "rule") if isinstance(node, yaml.MappingNode) else node
    return str(found.value) if found is not None else ""


def line_of(text: str, action: str, rule: str) -> int:
    """The line on which a rule stands; 0 where it doesn't."""
    entries = _items(_lists(text)[2].get(action))
    return next((node.start_mark.line + 1 for node in entries if _rule_of(node) == rule), 0)


def _items(node: Any) -> list[Any]:
    return node.value if isinstance(node, yaml.SequenceNode) else []


def _quoted(rule: str) -> str:
    """A rule as one YAML scalar, in double quotes where it needs any."""
    plain = yaml.safe_dump([rule], width=10**6, allow_unicode=True).strip()
    if "\n" in plain:
        plain = yaml.safe_dump([rule], width=10**6, allow_unicode=True, default_style='"').strip()
    return str(plain.removeprefix("- "))


def _with(text: str, action: str, rule: str) -> str:
    root, policy, lists = _lists(text)
    text = text if not text or text.endswith("\n") else text + "\n"
    found = lists.get(action)
    if policy is None and not (root is not None and root.flow_style):
        return f"{text}policy:\n  {action}:\n    - {_quoted(rule)}\n"
    if policy is None or policy.flow_style or not _pairs(policy) or (found is not None and not _items(found)):
        return _dumped(text, action, rule)
    if found is None:
        indent = " " * policy.value[0][0].start_mark.column
        return _inserted(text, policy, f"{indent}{action}:\n{indent}  - {_quoted(rule)}\n")
    if found.flow_style:
        end = _end(found.value[-1])
        return f"{text[:end]}, {_in_flow(rule)}{text[end:]}"
    return _inserted(text, found, f"{' ' * found.start_mark.column}- {_quoted(rule)}\n")


def _in_flow(rule: str) -> str:
    return str(yaml.safe_dump([rule], default_flow_style=True, width=10**6, default_style='"').strip()[1:-1])


def _inserted(text: str, after: Any, lines: str) -> str:
    """*text* with *lines* below the last line of a node."""
    end = text.find("\n", _end(after))
    return text[: end + 1] + lines + text[end + 1 :]


def _end(node: Any) -> int:
    """Where a node ends in the text: a block ends with its last part."""
    if isinstance(node.value, list) and node.value and not node.flow_style:
        last = node.value[-1]
        return _end(last[1] if isinstance(last, tuple) else last)
    end: int = node.end_mark.index
    return end


def _without(text: str, action: str, at: int) -> str:
    """*text* without the entry at a place of a list."""
    found = _lists(text)[2][action]
    node, others = found.value[at], [*found.value[:at], *found.value[at + 1 :]]
    if found.flow_style or not others:
        kept = ", ".join(text[other.start_mark.index : _end(other)] for other in others)
        before = text[: found.start_mark.index].rstrip()
        return f"{before} [{kept}]{text[found.end_mark.index if found.flow_style else _end(found) :]}"
    start = text.rfind("\n", 0, node.start_mark.index) + 1
    end = text.find("\n", _end(node))
    return text[:start] + (text[end + 1 :] if end >= 0 else "")


def _dumped(text: str, action: str, rule: str) -> str:
    """The rule put in with the whole of `policy` written anew, for the forms that leave no line to put it on."""
    data = yaml.safe_load(text) or {}
    policy = dict(data.get("policy") or {})
    policy[action] = [*(policy.get(action) or []), rule]
    root, node, _ = _lists(text)
    if root.flow_style:
        return _written({**data, "policy": policy})
    key = next(key for key, value in root.value if value is node)
    end = max(_end(node), key.end_mark.index + 1)
    return text[: key.start_mark.index] + _written({"policy": policy}).rstrip("\n") + text[end:]


def _written(data: dict[str, Any]) -> str:
    return str(yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=10**6))
