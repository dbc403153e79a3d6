"""`handiwork hooks`: listing, trying out, importing; and what doctor says of hooks."""

from __future__ import annotations

import json

import pytest
import yaml

SETTINGS = {
    "permissions": {"allow": []},
    "hooks": {
        "PreToolUse": [
            {
                "matcher": "Bash|Edit",
                "hooks": [{"type": "command", "command": "./guard.sh", "timeout": 5, "statusMessage": "checking"}],
            }
        ],
        "Stop": [{"hooks": [{"type": "command", "command": "true"}, {"type": "prompt", "prompt": "is it done?"}]}],
        "WorktreeCreate": [{"hooks": [{"type": "command", "command": "true"}]}],
    },
}


@pytest.fixture
def settings(tmp_path):
    path = tmp_path / "settings.json"
    path.write_text(json.dumps(SETTINGS))
    return str(path)


def test_without_hooks(cli):
    assert cli("hooks", "list").out == "no hooks\n"
    assert "no hook of the configuration is for this" in cli("hooks", "test", "PreToolUse").out


def test_commands_and_callables_are_listed(cli, configure, plugin):
    configure("hooks: {PreToolUse: [{matcher: Bash, command: ./g.sh}]}")
    plugin("watcher", "def register(ctx):\n    ctx.register_hook('post_tool_call', seen)\ndef seen(**kw): ...\n")
    rows = cli("hooks", "list", "--json").document["hooks"]
    assert [(r["point"], r["source"], r["what"]) for r in rows] == [
        ("pre_tool_call", "config", "./g.sh"),
        ("post_tool_call", "plugin:watcher", "seen"),
    ]


def test_a_test_shows_what_goes_in_and_comes_out(cli, configure):
    configure("""hooks: {PreToolUse: [{matcher: Bash, command: "echo seen; echo no >&2; exit 2", name: g}]}""")
    ran = cli("hooks", "test", "PreToolUse", "--tool", "Bash", '{"command": "rm -rf x"}')
    for words in ("PreToolUse  g", '"tool_name": "Bash"', '"command": "rm -rf x"', "stdout    seen", "stderr    no"):
        assert words in ran.out
    assert "exit code 2" in ran.out and "decision  blocks: no" in ran.out and ran.code == 0
    (row,) = cli("hooks", "test", "pretooluse", "--json").document["ran"]
    assert (row["decision"], row["exit_code"], row["problem"]) == ("deny", 2, None)
    assert not cli("hooks", "test", "PreToolUse", "--tool", "Read", "--json").document["ran"]


def test_a_guard_that_exits_with_1_is_reported(cli, configure):
    configure("hooks: {PreToolUse: [{command: exit 1}]}")
    ran = cli("hooks", "test", "PreToolUse")
    assert ran.code == 1 and "exited with code 1; exit 2 says no" in ran.out and "decision  blocks" in ran.out
    assert cli("tools", "call", "calculate", "expression=1").code == 5
    found = [f for f in cli("doctor", "--json").document["findings"] if f["group"] == "hooks"]
    assert [(f["name"], f["state"]) for f in found] == [("PreToolUse exit 1", "warning")]
    assert "failed 1 times" in found[0]["detail"] and "on_error: allow" in found[0]["fix"]


def test_doctor_names_what_is_never_called(cli, configure, plugin):
    configure("hooks: {PreToolUse: [{matcher: Bsah, command: x}, {matcher: mcp__far__x, command: x}]}")
    plugin("typo", "def register(ctx):\n    ctx.register_hook('pre_tool_cal', print)\n")
    found = {f["name"]: f["detail"] for f in cli("doctor", "--json").document["findings"] if f["group"] == "hooks"}
    assert "'Bsah' fits no tool" in found["PreToolUse x"] and "nothing calls" in found["pre_tool_cal"]
    assert len(found) == 2


def test_import_shows_and_then_writes(cli, home, settings):
    ran = cli("hooks", "import", settings, "--dry-run")
    assert ran.code == 0 and "nothing was written" in ran.out and not (home / "config.yaml").exists()
    document = cli("hooks", "import", settings, "--json").document
    assert [h["command"] for h in document["added"]] == ["./guard.sh", "true"]
    assert len(document["left_out"]) == 2 and "prompt" in document["left_out"][0]
    written = yaml.safe_load((home / "config.yaml").read_text())["hooks"]
    assert written == {
        "PreToolUse": [{"matcher": "Bash|Edit", "command": "./guard.sh", "timeout": 5}],
        "Stop": [{"command": "true"}],
    }


def test_import_keeps_what_is_there_and_adds_nothing_twice(cli, configure, home, settings):
    configure("# mine\nmax_steps: 7\nhooks:\n  PreToolUse:\n  - command: own\n")
    cli("hooks", "import", settings)
    assert cli("hooks", "import", settings, "--json").document["added"] == []
    text = (home / "config.yaml").read_text()
    assert text.startswith("# mine\nmax_steps: 7\n")
    assert [h["command"] for h in yaml.safe_load(text)["hooks"]["PreToolUse"]] == ["own", "./guard.sh"]


@pytest.mark.parametrize("text", ["{", "[]", '{"hooks": []}', '{"a": 1}'])
def test_a_file_without_hooks_is_an_error(cli, tmp_path, text):
    (tmp_path / "x.json").write_text(text)
    ran = cli("hooks", "import", str(tmp_path / "x.json"))
    assert ran.code == 2 and "error:" in ran.err


def test_an_agent_hears_its_prompt_blocked(cli, configure, script):
    configure("hooks: {UserPromptSubmit: [{command: 'grep -q token && { echo no tokens >&2; exit 2; }; exit 0'}]}")
    ran = cli("run", "my token is 5", "--model", script("never"))
    assert ran.code == 5 and "no tokens" in ran.err and ran.out == ""
    assert cli("run", "hello", "--model", script("hi")).out == "hi\n"
    assert cli("sessions", "list", "--json").document["sessions"][0]["title"] == "hello"


def test_a_session_is_told_from_start_to_end(cli, configure, script, tmp_path):
    log = tmp_path / "log"
    events = ("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd")
    line = f"""echo "$HW_EVENT $HW_SESSION_ID" >> {log}"""
    configure(yaml.safe_dump({"hooks": {event: [{"command": line}] for event in events}}))
    assert cli("run", "hello", "--model", script("hi")).out == "hi\n"
    session = cli("sessions", "list", "--json").document["sessions"][0]["id"]
    told = [row.split() for row in log.read_text().splitlines()]
    assert [event for event, _ in told] == ["UserPromptSubmit", "SessionStart", "Stop", "SessionEnd"]
    assert {row[1] for row in told[1:]} == {session}
