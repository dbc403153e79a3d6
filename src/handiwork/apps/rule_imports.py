"""Other agents' permission files taken into rules of ours, and what of them can't be said here."""

from __future__ import annotations

import ast
import itertools
import json
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from ..core.errors import UsageError
from ..core.loading import Late
from ..guard.rules.command_patterns import escaped
from ..guard.rules.examples import shadow_of
from ..guard.rules.rule import RuleAction, Vocabulary, read_rule

tomllib = Late("tomllib")

_ACTIONS: Mapping[str, RuleAction] = {
    "allow": "allow",
    "ask": "ask",
    "deny": "deny",
    "ask_user": "ask",
    "prompt": "ask",
    "forbidden": "deny",
}
_MODES = {"default": "ask", "acceptEdits": "accept-edits", "plan": "read-only"}
_GEMINI = {
    "run_shell_command": "terminal",
    "replace": "patch",
    "write_file": "write_file",
    "read_file": "read_file",
    "read_many_files": "read_file",
    "glob": "search_files",
    "search_file_content": "search_files",
    "grep_search": "search_files",
    "web_fetch": "web_extract",
    "google_web_search": "web_search",
}
_OPENCODE = {
    "bash": "terminal",
    "edit": "patch",
    "write": "write_file",
    "read": "read_file",
    "grep": "search_files",
    "glob": "search_files",
    "webfetch": "web_extract",
    "websearch": "web_search",
    "task": "delegate_task",
}


class Line(NamedTuple):
    """One rule as it would be here, and what it was there."""

    action: RuleAction
    rule: str
    was: str
    examples: Mapping[str, Any] = {}


class Left(NamedTuple):
    """What stays behind, and why."""

    was: str
    why: str


class Imported(NamedTuple):
    """What a file becomes: rules, a mode (or ""), and what can't be said."""

    lines: tuple[Line, ...]
    mode: str
    left: tuple[Left, ...]


def import_rules(path: str, words: Vocabulary, *, base: str = "") -> Imported:
    """The rules of a Claude settings.json, an opencode.json, a Gemini policy (.toml) or Codex rules.

    Raises `UsageError` for a file that is none of them. What would come out weaker than it was there stays behind.
    """
    found, mode, left = _reader_of(path)(path)
    lines: list[Line] = []
    for line in found:
        try:
            rule = read_rule(line.rule, line.action, words, base=base)
        except UsageError as error:
            left.append(Left(line.was, str(error)))
            continue
        stricter = [read_rule(o.rule, "deny", words, base=base) for o in lines if _is_over(o, line)]
        if other := shadow_of(rule, tuple(stricter)):
            left.append(Left(line.was, f"{other.text} is stricter, and comes first here"))
        else:
            lines.append(line)
    return Imported(tuple(lines), mode, tuple(left))


def _is_over(one: Line, other: Line) -> bool:
    order = ("allow", "ask", "deny")
    return order.index(one.action) > order.index(other.action)


_Read = tuple[list[Line], str, list[Left]]


def _reader_of(path: str) -> Callable[[str], _Read]:
    if path.endswith(".toml"):
        return _gemini
    if path.endswith((".rules", ".star", ".codexpolicy")):
        return _codex
    return _json_file


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8-sig") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: can't be read: {error}", "give a settings.json, a .toml or a .rules file") from error


def _json_file(path: str) -> _Read:
    try:
        data = json.loads(re.sub(r"(?m)^\s*//.*$", "", _text(path)))
    except ValueError as error:
        raise UsageError(f"{path}: not JSON: {error}", "give a settings.json or an opencode.json") from error
    data = data if isinstance(data, dict) else {}
    if isinstance(data.get("permissions"), dict):
        return _claude(data["permissions"])
    if isinstance(data.get("permission"), (dict, str)):
        return _opencode(data["permission"])
    raise UsageError(f"{path}: holds no permissions", 'a file with "permissions" or "permission" is expected')


def _claude(said: Mapping[str, Any]) -> _Read:
    left = [Left(f"additionalDirectories: {d}", "write it under `sandbox.writable`")
            for d in _listed(said.get("additionalDirectories", []))]  # fmt: skip
    mode = str(said.get("defaultMode") or "")
    if mode and mode not in _MODES:
        left.append(Left(f"defaultMode: {mode}", "a mode that asks nobody is only for yourself to set"))
    lines = [Line(action, _claude_path(str(text)), str(text))
             for action in ("deny", "ask", "allow") for text in _listed(said.get(action, []))]  # fmt: skip
    return [Line(_ACTIONS[line.action], line.rule, line.was) for line in lines], _MODES.get(mode, ""), left


def _claude_path(text: str) -> str:
    """`//x` is a whole path there, and `/x` one of the project."""
    found = re.fullmatch(r"(Read|Edit|Write|MultiEdit|Grep|Glob)\((/.*)\)", text, re.DOTALL)
    if not found:
        return text
    name, path = found.groups()
    return f"{name}({path[1:] if path.startswith('//') else '.' + path})"


def _opencode(said: Mapping[str, Any] | str) -> _Read:
    """The last entry that matches wins there: stricter ones are put first, weaker ones before them stay behind."""
    if isinstance(said, str):
        return _opencode({"*": said})
    lines: list[Line] = []
    left: list[Left] = []
    for name, value in said.items():
        entries = value if isinstance(value, dict) else {"*": value}
        for place, (pattern, decision) in enumerate(entries.items()):
            was = f"{name}: {pattern}: {decision}"
            if str(decision) not in _ACTIONS:
                left.append(Left(was, "there is no such thing here"))
            elif any(_reaches(p, pattern) for p in list(entries)[place + 1 :]):
                left.append(Left(was, "a later entry goes before it"))
            else:
                tool = _OPENCODE.get(name, name)
                lines.append(Line(_ACTIONS[decision], tool if pattern == "*" else f"{tool}({pattern})", was))
    return sorted(lines, key=lambda line: ("deny", "ask", "allow").index(line.action)), "", left


def _reaches(later: str, pattern: str) -> bool:
    """Whether a later pattern covers all of *pattern*."""
    return re.fullmatch(re.escape(later).replace(r"\*", ".*"), pattern, re.DOTALL) is not None


def _gemini(path: str) -> _Read:
    """The highest priority wins there."""
    try:
        rules = tomllib.loads(_text(path)).get("rule")
    except ValueError as error:
        raise UsageError(f"{path}: not TOML: {error}", "correct it there") from error
    if not isinstance(rules, list) or not all(isinstance(rule, dict) for rule in rules):
        raise UsageError(f"{path}: holds no rules", "a file with [[rule]] is expected")
    lines: list[Line] = []
    left: list[Left] = []
    for rule in sorted(rules, key=_priority):
        was = ", ".join(f"{key}={value!r}" for key, value in rule.items())
        action = _ACTIONS.get(str(rule.get("decision", "")))
        odd = next((key for key in ("argsPattern", "commandRegex", "modes") if key in rule), "")
        if action is None or odd:
            left.append(Left(was, f"{odd} can't be said here" if odd else "no decision"))
            continue
        if action != "allow" and any(line.action == "allow" for line in lines):
            left.append(Left(was, "kept, though an entry of a higher priority may allow more there"))
        lines += [Line(action, text, was) for text in _gemini_rules(rule)]
    return sorted(lines, key=lambda line: ("deny", "ask", "allow").index(line.action)), "", left


def _priority(rule: Mapping[str, Any]) -> float:
    said = rule.get("priority", 0)
    return -float(said) if isinstance(said, (int, float)) else 0.0


def _gemini_rules(rule: Mapping[str, Any]) -> Iterator[str]:
    for name in _listed(rule.get("toolName", "*")):
        server = rule.get("mcpName")
        tool = f"mcp__{server}__{name}" if server else _GEMINI.get(str(name), str(name))
        prefixes = map(str, _listed(rule["commandPrefix"])) if "commandPrefix" in rule else []
        yield from (f"{tool}({escaped(prefix)}:*)" for prefix in prefixes)
        if "commandPrefix" not in rule:
            yield tool


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _codex(path: str) -> _Read:
    """`prefix_rule(pattern=[...], decision=..., match=[...], not_match=[...])`, one after another."""
    try:
        body = ast.parse(_text(path)).body
    except SyntaxError as error:
        raise UsageError(f"{path}:{error.lineno}: {error.msg}", "only calls of prefix_rule are read") from error
    lines: list[Line] = []
    left: list[Left] = []
    for node in body:
        said = _keywords(node)
        if said is None:
            left.append(Left(ast.unparse(node), "only prefix_rule with plain values is read"))
            continue
        examples = {
            key: [_as_command(e) for e in _listed(said[key])] for key in ("match", "not_match") if said.get(key)
        }
        words = [part if isinstance(part, list) else [part] for part in said["pattern"]]
        combined = [shlex.join(combination) for combination in itertools.product(*words)]
        action = _ACTIONS[said.get("decision", "allow")]
        only = examples if len(combined) == 1 else {}
        lines += [Line(action, f"terminal({escaped(text)}:*)", ast.unparse(node), only) for text in combined]
    return sorted(lines, key=lambda line: ("deny", "ask", "allow").index(line.action)), "", left


def _keywords(node: ast.stmt) -> dict[str, Any] | None:
    """The keywords of a call of `prefix_rule` whose values stand in the text; None for anything else."""
    call = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id != "prefix_rule":
        return None
    try:
        said = {word.arg: ast.literal_eval(word.value) for word in call.keywords if word.arg}
    except ValueError:
        return None
    pattern, examples = said.get("pattern"), [*_listed(said.get("match", [])), *_listed(said.get("not_match", []))]
    words = [word for part in _listed(pattern) for word in (part if isinstance(part, list) else [part])]
    fine = isinstance(pattern, list) and bool(words) and all(isinstance(word, str) for word in words)
    return said if fine and str(said.get("decision", "allow")) in _ACTIONS and all(map(_is_example, examples)) else None


def _is_example(example: Any) -> bool:
    return isinstance(example, str) or (isinstance(example, list) and all(isinstance(word, str) for word in example))


def _as_command(example: Any) -> str:
    return shlex.join(example) if isinstance(example, list) else str(example)
