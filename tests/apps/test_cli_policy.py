"""`handiwork policy`, and rules in the command line's other commands."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

CLI = Callable[..., Any]


def test_a_rule_added_is_listed_tested_obeyed_and_removed(cli: CLI, home: Path) -> None:
    added = cli("policy", "add", "deny", "Bash(rm:*)")
    assert (added.code, added.out) == (0, f"deny Bash(rm:*) ({home}/config.yaml:3)\n")
    assert cli("policy", "list", "--json").document["rules"] == [
        {"action": "deny", "rule": "Bash(rm:*)", "file": f"{home}/config.yaml", "line": 3, "note": None, "holds": True}
    ]
    tested = cli("policy", "test", "X=rm; $X y")
    assert tested.code == 5
    assert "rule   deny Bash(rm:*) (config.yaml:3)" in tested.out
    assert "guard  allow" in tested.out
    called = cli("tools", "call", "terminal", "command=sudo rm y", "--yes")
    assert called.code == 5
    assert "deny Bash(rm:*) (config.yaml:3)" in called.err
    assert cli("policy", "remove", "Bash(rm:*)").code == 0
    assert cli("policy", "test", "rm y").out.startswith("allow\n")
    assert cli("policy", "remove", "Bash(rm:*)").code == 2


@pytest.mark.parametrize(
    ("words", "code", "action", "rule", "guard"),
    [
        (["git push -f"], 0, "allow", "allow terminal(git push:*) (config.yaml:2)", "ask"),
        (["npm publish"], 5, "ask", None, "ask"),
        (["rm -rf /"], 5, "deny", None, "deny"),
        (["ls"], 0, "allow", None, "allow"),
        (["--path", ".env"], 5, "deny", "deny Read(./.env) (config.yaml:3)", "ask"),
        (["--write", "/var/x/a"], 5, "ask", None, "ask"),
        (["--url", "https://example.com/x"], 5, "deny", "deny WebFetch(domain:example.com) (config.yaml:3)", "allow"),
        (["--tool", "Bash", "command=git push"], 0, "allow", None, "allow"),
        (["--tool", "calculate", "expression=1+1"], 5, "ask", "ask calculate (config.yaml:4)", "allow"),
    ],
)  # fmt: skip
def test_test(cli: CLI, home: Path, words: list[str], code: int, action: str, rule: str | None, guard: str) -> None:
    (home / "config.yaml").write_text(
        "policy:\n  allow: ['terminal(git push:*)']\n"
        "  deny: ['Read(./.env)', 'WebFetch(domain:example.com)']\n  ask: [calculate]\n"
    )
    ran = cli("policy", "test", *words, "--json")
    assert ran.code == code
    assert (ran.document["action"], ran.document["rule"], ran.document["guard"]["action"]) == (action, rule, guard)


def test_mistakes_are_told_and_change_nothing(cli: CLI, home: Path) -> None:
    for rule, said in (("Bashh(ls)", "did you mean Bash"), ("calculate(1)", "never match"), ("Bash(", "malformed")):
        ran = cli("policy", "add", "allow", rule)
        assert ran.code == 2
        assert said in ran.err
    assert not (home / "config.yaml").exists()
    cli("policy", "add", "deny", "Bash(git:*)")
    ran = cli("policy", "add", "allow", "Bash(git push:*)")
    assert ran.code == 2
    assert "can never allow anything" in ran.err
    assert "git push" not in (home / "config.yaml").read_text()
    (home / "config.yaml").write_text("mode: ask\npolicy:\n  deny:\n  - Bashh(ls)\n")
    ran = cli("tools", "list")
    assert ran.code == 6
    assert f"{home}/config.yaml:4:" in ran.err


def test_a_projects_rules(cli: CLI, home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "work" / ".handiwork"
    folder.mkdir()
    (folder / "config.yaml").write_text("policy: {allow: ['Bash(npm publish:*)'], deny: ['Bash(dd:*)']}\n")
    assert "ignored: not trusted" in cli("policy", "list").out
    assert cli("policy", "test", "npm publish").code == 5
    assert cli("policy", "trust").out.startswith("trusted: allow Bash(npm publish:*)")
    assert "rules trusted" in (home / "audit.jsonl").read_text()
    assert cli("policy", "test", "npm publish").code == 0
    assert cli("policy", "add", "allow", "Bash(git push:*)", "--project").code == 0
    assert "git push" in (folder / "config.local.yaml").read_text()
    (folder / "config.yaml").write_text("policy: {defaultMode: yolo}\n")
    assert cli("policy", "list").code == 6


def test_default_mode(cli: CLI, home: Path) -> None:
    (home / "config.yaml").write_text("policy: {defaultMode: read-only}\n")
    assert cli("config", "get", "mode").out == "read-only\n"
    assert cli("policy", "test", "--write", "a").code == 5


CLAUDE = {
    "permissions": {
        "allow": ["Bash(git push:*)", "Read(//var/data/**)", "Edit(/src/**)", "Task(x)", "Bash(rm a)", "mcp__gh__x"],
        "ask": ["Bash(npm run *)"],
        "deny": ["Bash(rm *)", "WebFetch(domain:example.com)"],
        "defaultMode": "acceptEdits",
        "additionalDirectories": ["../x"],
    }
}
OPENCODE = {
    "permission": {
        "bash": {"rm a": "allow", "*": "ask", "git *": "allow", "git push *": "deny", "dd *": "allow", "dd x*": "ask"},
        "edit": "ask",
        "webfetch": {"*": "maybe"},
    }
}
GEMINI = """
[[rule]]
toolName = "run_shell_command"
commandPrefix = ["git push", "git log"]
decision = "allow"
priority = 100
[[rule]]
toolName = ["write_file", "replace"]
decision = "ask_user"
priority = 10
[[rule]]
toolName = "run_shell_command"
commandRegex = "rm.*"
decision = "deny"
[[rule]]
mcpName = "gh"
toolName = "x"
decision = "deny"
"""
CODEX = """
prefix_rule(pattern=["git", ["push", "fetch"]], decision="prompt", match=["git push x"])
prefix_rule(pattern=["dd"], decision="forbidden", match=[["dd", "if=x"]], not_match=["ddd"])
prefix_rule(pattern=["make"])
host_rule(x)
"""


@pytest.mark.parametrize(
    ("name", "text", "policy", "left"),
    [
        (
            "settings.json",
            json.dumps(CLAUDE),
            {
                "allow": ["Bash(git push:*)", "Read(/var/data/**)", "Edit(./src/**)", "mcp__gh__x"],
                "ask": ["Bash(npm run *)"],
                "deny": ["Bash(rm *)", "WebFetch(domain:example.com)"],
                "defaultMode": "accept-edits",
            },
            ["Task(x)", "Bash(rm a)", "additionalDirectories: ../x"],
        ),
        (
            "opencode.json",
            json.dumps(OPENCODE),
            {"ask": ["terminal", "terminal(dd x*)", "patch"], "deny": ["terminal(git push *)"]},
            ["bash: rm a: allow", "bash: git *: allow", "bash: dd *: allow", "webfetch: *: maybe"],
        ),
        (
            "policy.toml",
            GEMINI,
            {
                "allow": ["terminal(git push:*)", "terminal(git log:*)"],
                "ask": ["write_file", "patch"],
                "deny": ["mcp__gh__x"],
            },
            ["run_shell_command", "write_file", "mcpName"],
        ),
        (
            "default.rules",
            CODEX,
            {
                "allow": ["terminal(make:*)"],
                "ask": ["terminal(git push:*)", "terminal(git fetch:*)"],
                "deny": [{"rule": "terminal(dd:*)", "match": ["dd if=x"], "not_match": ["ddd"]}],
            },
            ["host_rule(x)"],
        ),
    ],
)
def test_other_agents_permissions(
    cli: CLI, home: Path, tmp_path: Path, name: str, text: str, policy: dict[str, Any], left: list[str]
) -> None:
    path = tmp_path / name
    path.write_text(text)
    dry = cli("policy", "import", str(path), "--dry-run", "--json").document
    assert dry["file"] is None
    assert not (home / "config.yaml").exists()
    assert len(dry["left_out"]) == len(left)
    for was in left:
        assert any(was in one["was"] for one in dry["left_out"]), was
    ran = cli("policy", "import", str(path))
    assert ran.code == 0
    assert yaml.safe_load((home / "config.yaml").read_text())["policy"] == policy
    assert cli("policy", "list").code == 0
    assert cli("policy", "import", str(path)).code == 0
    assert yaml.safe_load((home / "config.yaml").read_text())["policy"] == policy


def test_files_that_hold_no_permissions(cli: CLI, tmp_path: Path) -> None:
    for name, text in (("a.json", "{}"), ("b.json", "{"), ("c.toml", "x = 1"), ("d.rules", "f(")):
        (tmp_path / name).write_text(text)
        assert cli("policy", "import", str(tmp_path / name)).code == 2
    assert cli("policy", "import", "nowhere.json").code == 2


def test_a_program_of_ones_own(cli: CLI, home: Path, tmp_path: Path) -> None:
    (home / "config.yaml").write_text("programs: {dbtool: {does: {drop: database}, ask: [dbtool drop x]}}\n")
    assert "it destroys or changes data in a database" in cli("policy", "test", "sudo dbtool drop x").out
    (home / "config.yaml").write_text("programs: {dbtool: {does: {drop: databas}}}\n")
    assert cli("tools", "list").code == 6
    (home / "config.yaml").unlink()
    folder = tmp_path / "work" / ".handiwork"
    folder.mkdir()
    (folder / "config.yaml").write_text("programs: {dbtool: {only_reads: true}}\n")
    assert "not for a project to say" in cli("tools", "list").err


def test_a_run_says_which_rules_are_ignored(cli: CLI, script: Callable[..., str], tmp_path: Path) -> None:
    folder = tmp_path / "work" / ".handiwork"
    folder.mkdir()
    (folder / "config.local.yaml").write_text("policy: {allow: ['Bash(npm publish:*)']}\n")
    ran = cli("run", "go", "--model", script("done"))
    assert "not trusted, so ignored: allow Bash(npm publish:*)" in ran.err


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", '{"permissions": {"allow": "Bash(ls)", "deny": [5, null], "defaultMode": {}, "ask": {"x": 1}}}'),
        ("b.json", '{"permission": {"bash": {"*": {"x": 1}, "git *": ["allow"]}, "edit": null}}'),
        ("c.toml", '[[rule]]\npriority = "high"\ncommandPrefix = 5\ndecision = "allow"\n'),
        ("d.rules", "prefix_rule(pattern=[[5]], match=7)\nprefix_rule(pattern=[], decision=[])\nx = 1\n"),
    ],
)
def test_nonsense_in_other_agents_files_is_left_out(cli: CLI, tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    ran = cli("policy", "import", str(tmp_path / name), "--dry-run", "--json")
    assert ran.code == 0
    assert ran.document["left_out"]
