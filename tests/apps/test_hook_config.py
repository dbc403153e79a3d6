"""Command hooks as a configuration says them."""

from __future__ import annotations

import re

import pytest

from handiwork.apps.config_file import load_config
from handiwork.apps.foreign_names import names_of
from handiwork.apps.hook_config import CommandHook, event_of, read_hooks
from handiwork.core.errors import ConfigError, UsageError

NESTED = {
    "PreToolUse": [
        {"matcher": "Bash|Edit", "hooks": [{"type": "command", "command": "./guard.sh", "timeout": 10}]},
        {"hooks": [{"command": "a"}, {"command": "b", "on_error": "allow"}]},
    ]
}


def test_the_nested_form():
    assert read_hooks(NESTED) == (
        CommandHook("PreToolUse", "./guard.sh", "Bash|Edit", 10.0),
        CommandHook("PreToolUse", "a"),
        CommandHook("PreToolUse", "b", on_error="allow"),
    )


def test_the_flat_form():
    (hook,) = read_hooks({"post_tool_call": [{"matcher": "terminal", "command": "log", "timeout": 1, "name": "log"}]})
    assert (hook.point, hook.foreign, hook.name, hook.timeout_s) == ("post_tool_call", False, "log", 1.0)


@pytest.mark.parametrize("written", ["PreToolUse", "pretooluse", "PRE_TOOL_USE", "pre-tool-use", "preToolUse"])
def test_events_have_no_case(written):
    assert event_of(written) == "PreToolUse"


def test_our_own_names_are_events():
    assert event_of("pre_tool_call") == "pre_tool_call" and not CommandHook("pre_tool_call", "x").foreign


@pytest.mark.parametrize(
    ("hooks", "words"),
    [
        ({"PreToolUs": []}, "did you mean PreToolUse"),
        ({"PreToolUse": {}}, r"PreToolUse: expected a list"),
        ({"PreToolUse": ["x"]}, r"PreToolUse\[1\]: expected a mapping"),
        ({"PreToolUse": [{"matcher": "Bash"}]}, "`command` must be"),
        ({"PreToolUse": [{"command": " "}]}, "`command` must be"),
        ({"PreToolUse": [{"command": "x", "timeout": 0}]}, "`timeout` must be"),
        ({"PreToolUse": [{"command": "x", "timeout": True}]}, "`timeout` must be"),
        ({"PreToolUse": [{"command": "x", "timeout": None}]}, "`timeout` must be"),
        ({"PreToolUse": [{"command": "x", "on_error": "ask"}]}, "`on_error` must be"),
        ({"PreToolUse": [{"command": "x", "env": "PATH"}]}, "`env` must be"),
        ({"PreToolUse": [{"command": "x", "matcher": "("}]}, "is no pattern"),
        ({"PreToolUse": [{"command": "x", "name": 3}]}, "`name` must be"),
        ({"PreToolUse": [{"command": "x", "async": True}]}, "unknown key 'async'"),
        ({"PreToolUse": [{"type": "prompt", "prompt": "x"}]}, "type 'prompt' isn't there"),
        ({"PreToolUse": [{"matcher": "x", "hooks": [], "odd": 1}]}, "unknown key 'odd'"),
        ({"PreToolUse": [{"hooks": [{"command": "x"}, {"command": 3}]}]}, r"PreToolUse\[1\].hooks\[2\]"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(hooks, words):
    with pytest.raises(UsageError) as raised:
        read_hooks(hooks)
    assert re.search(words, f"{raised.value} {raised.value.hint}")


@pytest.mark.parametrize(
    ("matcher", "tool", "fits"),
    [
        ("Bash|Edit", "terminal", True),
        ("Bash|Edit", "patch", True),
        ("MultiEdit", "patch", True),
        ("Bash", "process", False),
        ("Bash", "patch", False),
        ("Ed", "patch", False),
        ("terminal", "terminal", True),
        ("mcp__.*", "mcp__gh__create", True),
        ("mcp__gh__.*", "mcp__other__x", False),
        ("Grep", "search_files", True),
        ("Glob", "search_files", True),
        ("*", "anything", True),
        ("", "anything", True),
    ],
)
def test_matchers_know_both_names_and_the_whole_of_them(matcher, tool, fits):
    assert CommandHook("PreToolUse", "x", matcher).matches(*names_of(tool)) is fits


def test_a_project_may_not_say_hooks(home, tmp_path, configure_project):
    path = configure_project("hooks: {PreToolUse: [{command: ./evil.sh}]}")
    with pytest.raises(ConfigError, match="hooks: not for a project to say") as raised:
        load_config(str(home), str(path))
    assert "hooks import" in raised.value.hint


def test_a_wrong_hook_is_an_error_of_the_file(home, configure):
    configure("max_steps: 5\nhooks: {PreToolUse: [{command: x, timeout: never}]}")
    with pytest.raises(ConfigError, match=r"config.yaml:2:1: hooks: PreToolUse\[1\]: `timeout`"):
        load_config(str(home))


@pytest.fixture
def configure_project(tmp_path):
    def write(text):
        (tmp_path / ".handiwork").mkdir()
        (tmp_path / ".handiwork" / "config.yaml").write_text(text)
        return tmp_path

    return write
