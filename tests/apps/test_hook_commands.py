"""Command hooks in a pipeline: real shell scripts before and after real calls."""

from __future__ import annotations

import asyncio
import json
import time

import pytest

from handiwork.apps.hook_commands import HookCommands
from handiwork.apps.hook_config import read_hooks
from handiwork.core.types import Forbid, Scope, ToolCall
from handiwork.pipeline.line import Pipeline

TEXT = {"type": "string"}
PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** Update File: secret/key\n@@\n-x\n+y\n*** End Patch"


@pytest.fixture
def house(add, pipeline: Pipeline, tmp_path):
    """A pipeline with tools under our names, and hooks as a configuration says them."""
    add("terminal", lambda args: f"ran {args['command']}", properties={"command": TEXT})
    add("write_file", properties={"path": TEXT, "content": TEXT})
    add("patch", properties={"path": TEXT, "patch": TEXT})
    add("mcp__s__t", lambda args: "called", properties={"path": TEXT})
    opened = []

    class House:
        def hooks(self, written):
            commands = HookCommands("ask", pipeline.hooks.note)
            commands.register(read_hooks(written), pipeline.hooks)
            opened.append(commands)
            return self

        def script(self, name, text):
            path = tmp_path / name
            path.write_text(f"#!/bin/sh\n{text}\n")
            path.chmod(0o755)
            return f"./{name}"

        def call(self, name, driver="sync", **args):
            scope = Scope(cwd=str(tmp_path), session_id="s1", approver=lambda ready, ask: asked.append(ask) or True)
            call = ToolCall(name, args, "c1", scope)
            return pipeline.run(call) if driver == "sync" else asyncio.run(pipeline.arun(call))

        pipe, asked, folder = pipeline, [], tmp_path

    asked = House.asked
    yield House()
    for commands in opened:
        commands.close()


def guard(command, matcher="", **options):
    return {"PreToolUse": [{"matcher": matcher, "hooks": [{"type": "command", "command": command, **options}]}]}


@pytest.mark.parametrize("driver", ["sync", "async"])
def test_a_guard_as_people_have_it(house, driver):
    script = house.script("guard.sh", """
input=$(cat)
case "$input" in
  *'"tool_name":"Bash"'*'"command":"rm '*) echo "no deleting" >&2; exit 2;;
esac
exit 0""")  # fmt: skip
    house.hooks(guard(script, "Bash|Edit", timeout=10))
    refused = house.call("terminal", driver, command="rm x")
    assert refused.by == "pre_tool_call" and "no deleting" in refused.content
    assert house.call("terminal", driver, command="ls").content == "ran ls"


def test_it_is_told_everything(house):
    house.hooks(guard(f"cat > {house.folder}/told; env > {house.folder}/env; pwd > {house.folder}/pwd"))
    house.call("write_file", path="sub/a.txt", content="x")
    told = json.loads((house.folder / "told").read_text())
    assert told == {
        "session_id": "s1",
        "transcript_path": "",
        "cwd": str(house.folder),
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": "Write",
        "tool_input": {"file_path": f"{house.folder}/sub/a.txt", "content": "x"},
        "tool_use_id": "c1",
    }
    env = (house.folder / "env").read_text().splitlines()
    assert "HW_TOOL_NAME=Write" in env and f"HW_TOOL_INPUT_FILE_PATH={house.folder}/sub/a.txt" in env
    assert f"CLAUDE_PROJECT_DIR={house.folder}" in env and "HW_TOOL_INPUT_CONTENT=x" in env
    assert (house.folder / "pwd").read_text().strip() == str(house.folder)


def test_under_our_own_event_names_it_is_told_our_names(house):
    house.hooks({"pre_tool_call": [{"matcher": "Write", "command": f"cat > {house.folder}/told"}]})
    house.call("write_file", path="a", content="x")
    told = json.loads((house.folder / "told").read_text())
    assert (told["tool_name"], told["tool_input"]["path"]) == ("write_file", "a")


def test_keys_of_ours_are_not_handed_on_unless_named(house, monkeypatch):
    monkeypatch.setenv("SOME_SERVICE_KEY", "v" * 4)
    monkeypatch.setenv("OTHER_KEY", "v" * 4)
    house.hooks(guard(f"env > {house.folder}/env", env=["OTHER_KEY"]))
    house.call("terminal", command="ls")
    env = (house.folder / "env").read_text()
    assert "OTHER_KEY=" in env and "SOME_SERVICE_KEY" not in env


@pytest.mark.parametrize("command", ["exit 1", "./not-there.sh", "kill -9 $$", "echo '{'"])
def test_a_broken_guard_blocks_unless_it_may_fail(house, command):
    house.hooks(guard(command))
    result = house.call("terminal", command="ls")
    assert result.by == "pre_tool_call" and house.pipe.hooks.failures
    assert any("PreToolUse" in who for who in house.pipe.hooks.failures)


@pytest.mark.parametrize("command", ["exit 1", "./not-there.sh", "echo '{'"])
def test_on_error_allow(house, command):
    house.hooks(guard(command, on_error="allow"))
    assert house.call("terminal", command="ls").status == "ok" and house.pipe.hooks.failures


def test_where_the_folder_is_not_here_a_relative_guard_blocks(house):
    scope = Scope(cwd=str(house.folder / "gone"))
    house.hooks(guard("echo from $(pwd) >&2; exit 2"))
    assert "from /" in house.pipe.run(ToolCall("terminal", {"command": "ls"}, "c1", scope)).content
    house.hooks(guard(house.script("guard.sh", "exit 0")))
    assert house.pipe.run(ToolCall("terminal", {"command": "ls"}, "c1", scope)).by == "pre_tool_call"


def test_a_tool_of_a_server_passes_the_same_gate(house):
    out = json.dumps({"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "not that"}})
    house.hooks(guard(f"echo '{out}'", "mcp__s__.*"))
    assert "not that" in house.call("mcp__s__t", path="x").content


def test_allow_never_overrides_the_guard(house):
    house.pipe.judge = lambda ready: Forbid("our guard")
    house.hooks(guard("""echo '{"hookSpecificOutput": {"permissionDecision": "allow"}}'"""))
    assert "our guard" in house.call("terminal", command="ls").content


def test_asking(house):
    house.hooks(
        guard("""echo '{"hookSpecificOutput": {"permissionDecision": "ask",
        "permissionDecisionReason": "sure?"}}'""")
    )
    assert house.call("terminal", command="ls").status == "ok"
    assert [ask.reason for ask in house.asked] == ["sure?"]
    house.asked.clear()


def test_arguments_are_changed_in_their_names(house):
    house.hooks(
        guard("""echo '{"hookSpecificOutput": {"updatedInput":
        {"file_path": "/elsewhere", "content": "clean"}, "additionalContext": "cleaned"}}'""")
    )
    result = house.call("write_file", path="a", content="dirty").content
    assert result == '{"path": "/elsewhere", "content": "clean"}\n\ncleaned'


def test_every_file_of_a_patch_is_asked_about(house):
    house.hooks(guard(f"""echo "$HW_TOOL_INPUT_FILE_PATH" >> {house.folder}/seen
        case "$HW_TOOL_INPUT_FILE_PATH" in */secret/*) echo "not that file" >&2; exit 2;; esac""", "Edit"))  # fmt: skip
    assert "not that file" in house.call("patch", patch=PATCH).content
    seen = sorted((house.folder / "seen").read_text().split())
    assert seen == [f"{house.folder}/a.py", f"{house.folder}/secret/key"]


def test_a_patch_that_cannot_be_read_does_not_pass(house):
    house.hooks(guard("exit 0", "Edit"))
    assert house.call("patch", patch="nonsense").by == "pre_tool_call"


def test_what_is_typed_into_a_shell_is_a_command_too(house, add):
    add("process", lambda args: "typed", properties={"action": TEXT, "id": TEXT, "text": TEXT})
    house.hooks(guard("""grep -q '"command":"rm ' && { echo 'no deleting' >&2; exit 2; }; exit 0""", "Bash"))
    assert "no deleting" in house.call("process", action="write", id="bg1", text="rm -rf x\n").content
    assert house.call("process", action="write", id="bg1", text="ls\n").content == "typed"
    assert house.call("process", action="poll", id="bg1").content == "typed"


def test_after_a_call_words_reach_the_model(house):
    house.hooks({"PostToolUse": [{"matcher": "Write", "command": "echo 'line too long' >&2; exit 2"}]})
    assert house.call("write_file", path="a", content="x").content.endswith('"content": "x"}\n\nline too long')
    assert house.call("terminal", command="ls").content == "ran ls"


def test_several_run_side_by_side_and_the_strictest_wins(house):
    slow = "sleep 0.3; exit 0"
    house.hooks({"PreToolUse": [{"command": slow}, {"command": f"{slow} #"}, {"command": "echo no >&2; exit 2"}]})
    started = time.monotonic()
    assert "no" in house.call("terminal", command="ls").content
    assert time.monotonic() - started < 0.58


def test_prompts_are_blocked_and_added_to(house):
    house.hooks({"UserPromptSubmit": [{"command": "grep -q secret && { echo 'no secrets' >&2; exit 2; }; date +%Y"}]})
    keywords = {"session_id": "s", "cwd": str(house.folder), "platform": "", "model": "", "messages": []}
    assert house.pipe.fire("user_prompt_submit", prompt="a secret", **keywords).block == "no secrets"
    assert house.pipe.fire("user_prompt_submit", prompt="hello", **keywords).context[0].startswith("20")


def test_what_is_for_the_person_is_told(house, caplog):
    house.hooks(guard("""echo '{"systemMessage": "watch out"}'"""))
    assert house.call("terminal", command="ls").content == "ran ls" and "watch out" in caplog.text


@pytest.mark.integration
def test_one_that_hangs_is_ended_with_its_tree_and_blocks(house, living):
    house.hooks(guard("setsid sleep 60 & sleep 60", timeout=0.3))
    result = house.call("terminal", command="ls")
    assert "was ended after 0.3 s" in result.content and not living(within=2)


@pytest.mark.integration
def test_one_with_a_longer_time_than_usual_gets_it(house, monkeypatch):
    monkeypatch.setattr("handiwork.pipeline.consulting.HOOK_TIMEOUT_S", 0.2)
    house.hooks(guard("sleep 0.6; echo waited >&2; exit 2", timeout=10))
    assert "waited" in house.call("terminal", command="ls").content


@pytest.mark.parametrize(
    ("updated", "block", "prompt"),
    [
        ('{"prompt": "walk the dog"}', "", "walk the dog"),
        ("{}", "isn't understood", None),
        ('{"prompt": " "}', "isn't", None),
    ],
)
def test_a_prompt_may_be_rewritten(house, updated, block, prompt):
    said = f"""echo '{{"hookSpecificOutput": {{"updatedInput": {updated}}}}}'"""
    house.hooks({"UserPromptSubmit": [{"command": said}]})
    heard = house.pipe.fire(
        "user_prompt_submit", session_id="", cwd="/", platform="", model="", prompt="x", messages=[]
    )
    assert block in heard.block and bool(block) == bool(heard.block) and heard.prompt == prompt
