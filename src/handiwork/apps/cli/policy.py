"""`handiwork policy`: rules of what is allowed, asked about and denied."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Callable, Iterator
from typing import Any

from ...core.errors import ConfigError, UsageError
from ...core.types import Allow, Ask, Forbid, Ready, Refusal, ToolCall, ToolEntry, Verdict
from ...guard.rules.rule import ACTIONS, Rule, read_rule
from ...guard.workspace import find_workspace
from ...pipeline.dry import rehearse
from ..config_file import load_config, set_value
from ..house import House, default
from ..rule_files import RuleFiles
from ..rule_imports import Imported, import_rules
from ..rule_store import drop_rule, store_rule, trust_rules
from .calling import arguments_of
from .output import Output, columns, printable
from .parsing import Parser, add_verbs

EXAMPLES = """\
  handiwork policy test "git push -f"
  handiwork policy add deny 'terminal(rm:*)'
  handiwork policy add allow 'write_file(~/notes/*.md)'
  handiwork policy list
  handiwork policy import ~/.claude/settings.json --dry-run
"""
_DENIED = 5


def configure(parser: Parser) -> None:
    """The verbs of `handiwork policy`."""
    add_verbs(
        parser,
        {
            "list": ("the rules that hold here, with their files and lines", lambda _: None),
            "add": ("add a rule to your own file", _configure_add),
            "remove": ("take a rule out of its file", _configure_remove),
            "test": ("what would become of a command, path, URL or call, and why", _configure_test),
            "trust": ("let this project's files allow what they say", lambda _: None),
            "import": ("take in another agent's permissions", _configure_import),
        },
        EXAMPLES,
    )


def _configure_add(parser: Parser) -> None:
    parser.add_argument("action", choices=ACTIONS)
    parser.add_argument("rule", help="such as 'terminal(git status:*)' or 'Read(./.env)'")
    parser.add_argument("--project", action="store_true", help="for this project only, in its config.local.yaml")


def _configure_remove(parser: Parser) -> None:
    parser.add_argument("rule", help="as it is written in its file")
    parser.add_argument("--action", choices=ACTIONS, help="only from this list")


def _configure_test(parser: Parser) -> None:
    parser.add_argument("words", nargs="+", metavar="WORD", help="a command; with --tool the call's arguments")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--tool", metavar="NAME", help="a call of this tool: one JSON object, or k=v")
    kind.add_argument("--path", action="store_true", help="reading a path")
    kind.add_argument("--write", action="store_true", help="writing a path")
    kind.add_argument("--url", action="store_true", help="fetching a URL")


def _configure_import(parser: Parser) -> None:
    parser.add_argument("file", help="settings.json, opencode.json, a Gemini policy (.toml) or Codex rules (.rules)")
    parser.add_argument("--dry-run", action="store_true", help="only say what it becomes")


def run(said: Namespace, out: Output) -> int:
    """Run one verb."""
    verbs: dict[str, Callable[[House, Namespace, Output], int]] = {
        "list": _list,
        "add": _add,
        "remove": _remove,
        "test": _test,
        "trust": _trust,
        "import": _import,
    }
    return verbs[said.verb](default(), said, out)


def _files(house: House) -> RuleFiles:
    assert house.rules is not None
    return house.rules.files(find_workspace(os.getcwd())) or RuleFiles()


# ---------------------------------------------------------------------------------------------- list


def _list(house: House, _said: Namespace, out: Output) -> int:
    rows = [_row(rule, file.path, holds=rule in file.rules)
            for file in _files(house).files for rule in (*file.rules, *file.ignored)]  # fmt: skip
    table = [[r["action"], r["rule"], f"{r['file']}:{r['line']}", "" if r["holds"] else "ignored: not trusted"]
             for r in rows]  # fmt: skip
    out.show({"rules": rows, "mode": house.config.mode}, map(printable, columns(table)) if table else ["no rules"])
    return 0


def _row(rule: Rule, file: str, *, holds: bool) -> dict[str, Any]:
    line = int(rule.place.rpartition(":")[2] or 0)
    about = {"action": rule.action, "rule": rule.text, "file": file, "line": line}
    return {**about, "note": rule.note or None, "holds": holds}


# ------------------------------------------------------------------------------------ add and remove


def _add(house: House, said: Namespace, out: Output) -> int:
    workspace = find_workspace(os.getcwd())
    assert house.rules is not None
    read_rule(said.rule, said.action, house.rules.vocabulary(), base=workspace)
    scope: Any = "project" if said.project else "always"
    stored = store_rule(house.home, workspace, said.rule, scope, action=said.action)
    try:
        house.rules.files(workspace)
    except ConfigError as error:
        drop_rule(house.home, stored.file, said.action, said.rule)
        raise UsageError(f"{said.action} {said.rule} was not added: {error}", error.hint) from error
    document = {"action": said.action, "rule": said.rule, "file": stored.file, "line": stored.line}
    out.show(document, [printable(f"{said.action} {said.rule} ({stored.file}:{stored.line})")])
    return 0


def _remove(house: House, said: Namespace, out: Output) -> int:
    found = [(file.path, rule) for file in _files(house).files for rule in (*file.rules, *file.ignored)
             if rule.text == said.rule and said.action in (None, rule.action)]  # fmt: skip
    if not found:
        raise UsageError(f"there is no rule {said.rule!r} here", "see `handiwork policy list`")
    removed = [(rule.action, drop_rule(house.home, path, rule.action, rule.text)) for path, rule in found]
    rows = [{"action": action, "rule": said.rule, "file": s.file, "line": s.line} for action, s in removed]
    out.show({"removed": rows}, [f"removed {r['action']} {r['rule']} ({r['file']}:{r['line']})" for r in rows])
    return 0


def _trust(house: House, _said: Namespace, out: Output) -> int:
    files = [file for file in _files(house).files if file.ignored]
    for file in files:
        trust_rules(house.home, file.path)
    rows = [{"file": file.path, "rules": [rule.text for rule in file.ignored]} for file in files]
    lines = [f"trusted: allow {text} ({row['file']})" for row in rows for text in row["rules"]]
    out.show({"trusted": rows}, map(printable, lines) if lines else ["nothing here waits to be trusted"])
    return 0


# ---------------------------------------------------------------------------------------------- test


def _test(house: House, said: Namespace, out: Output) -> int:
    """Say what the judge of real calls says; 5 where it isn't allowed."""
    ready = _ready(house, said)
    verdict, alone = house.pipeline.judge(ready), house.guard_alone(ready)
    document = {**_document(verdict), "guard": _document(alone), "tool": ready.entry.name, "arguments": ready.args}
    out.show(document, map(printable, _told(document)))
    return 0 if isinstance(verdict, Allow) else _DENIED


def _ready(house: House, said: Namespace) -> Ready:
    name, args = _call_of(house, said)
    scope = house.scope(cwd=os.getcwd(), platform="cli")
    if said.url and house.registry.get(name) is None:
        assert house.rules is not None
        traits = house.rules.vocabulary().tools[name]
        entry = ToolEntry(name, "", {"parameters": {}}, lambda _args, /, **_: "", traits=traits, origin="builtin")
        return Ready(ToolCall(name, args, scope=scope), entry, args)
    steps = dict(rehearse(house.pipeline, ToolCall(name, args, "call_1", scope)))
    refused = next((step for step in steps.values() if isinstance(step, Refusal) and step.by != "guard"), None)
    ready = steps.get("locate")
    if refused is not None or not isinstance(ready, Ready):
        raise UsageError(refused.reason if refused else f"{name} can't be called", refused.hint if refused else "")
    return ready


def _call_of(house: House, said: Namespace) -> tuple[str, dict[str, Any]]:
    if said.tool:
        assert house.rules is not None
        return house.rules.vocabulary().ours(said.tool), arguments_of(said.words)
    text = " ".join(said.words)
    if said.path or said.write:
        return ("write_file", {"path": text, "content": ""}) if said.write else ("read_file", {"path": text})
    return ("web_extract", {"urls": [text]}) if said.url else ("terminal", {"command": text})


def _document(verdict: Verdict) -> dict[str, Any]:
    action = {Allow: "allow", Ask: "ask", Forbid: "deny"}[type(verdict)]
    reason = None if isinstance(verdict, Allow) else verdict.reason
    return {"action": action, "rule": verdict.rule or None, "reason": reason}


def _told(document: dict[str, Any]) -> Iterator[str]:
    yield document["action"]
    if document["rule"]:
        yield f"  rule   {document['rule']}"
    elif document["reason"]:
        yield f"  why    {document['reason']}"
    guard = document["guard"]
    yield f"  guard  {guard['action']}" + (f": {guard['reason']}" if guard["reason"] else "")


# -------------------------------------------------------------------------------------------- import


def _import(house: House, said: Namespace, out: Output) -> int:
    """Write another agent's permissions into the person's own file."""
    assert house.rules is not None
    workspace = find_workspace(os.getcwd())
    found = import_rules(os.path.expanduser(said.file), house.rules.vocabulary(), base=workspace)
    path = None if said.dry_run or not (found.lines or found.mode) else _written(house, found)
    rows = [{"action": line.action, "rule": line.rule, "was": line.was} for line in found.lines]
    left = [{"was": one.was, "why": one.why} for one in found.left]
    lines = columns([["+", r["action"], r["rule"]] for r in rows])
    lines += [f"mode: {found.mode}"] if found.mode else []
    lines += [f"left out  {one.was}: {one.why}" for one in found.left]
    lines.append(f"{len(rows)} rules taken in ({path})" if path else f"{len(rows)} rules; nothing was written")
    out.show({"rules": rows, "mode": found.mode or None, "left_out": left, "file": path}, map(printable, lines))
    return 0


def _written(house: House, found: Imported) -> str:
    """All rules in one go: a file that can't hold them stays as it was."""
    policy = {key: list(value) if isinstance(value, (list, tuple)) else value
              for key, value in _own_policy(house).items()}  # fmt: skip
    for line in found.lines:
        entry = {"rule": line.rule, **line.examples} if line.examples else line.rule
        if entry not in policy.setdefault(line.action, []):
            policy[line.action].append(entry)
    if found.mode:
        policy["defaultMode"] = found.mode
    before = dict(_own_policy(house))
    path = set_value(house.home, "policy", policy)
    try:
        _files(house)
    except ConfigError as error:
        set_value(house.home, "policy", before)
        raise UsageError(f"nothing was taken in: {error}", error.hint) from error
    return path


def _own_policy(house: House) -> dict[str, Any]:
    """What the person's own file says under `policy`."""
    return dict(load_config(house.home).policy)
