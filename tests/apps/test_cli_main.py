"""Bad input gets one line of cause, one next step, and the right exit code; scripts get one JSON document."""

from __future__ import annotations

import json
import subprocess
import sys
import time

import pytest

from handiwork.apps.cli.main import COMMANDS

WRONG_USE = [
    (["tols"], "did you mean tools?"),
    (["run"], "--help"),
    (["tools"], "--help"),
    (["tools", "lst"], "did you mean list?"),
    (["tools", "list", "--jsn"], "did you mean --json?"),
    (["tools", "list", "fil"], "did you mean file?"),
    (["tools", "list", "--toolsets", "fil"], "did you mean file?"),
    (["tools", "list", "--disable", "trminal"], "did you mean terminal?"),
    (["tools", "show", "read_fil"], "did you mean read_file?"),
    (["tools", "call", "calculat"], "did you mean calculate?"),
    (["tools", "call", "calculate", '{"expression": "1+'], "JSON"),
    (["tools", "call", "calculate", "[1]"], "JSON object"),
    (["tools", "call", "calculate", "null", "x"], "k=v"),
    (["tools", "call", "calculate", "expression=1", "expression=2"], "given twice"),
    (["tools", "call", "calculate", "{}"], "expression"),
    (["tools", "call", "calculate", '{"expresion": "1"}'], "expression"),
    (["tools", "call", "calculate", "expression=1", "--cwd", "/nowhere/at/all"], "no such folder"),
    (["tools", "enable", "trminal"], "did you mean terminal?"),
    (["tools", "disable", "trminal"], "did you mean terminal?"),
    (["toolsets", "show", "debuging"], "did you mean debugging?"),
    (["toolsets", "create", "x"], "--tools"),
    (["toolsets", "create", "x", "--includes", "fil"], "did you mean file?"),
    (["toolsets", "create", "safe", "--tools", "a"], "another name"),
    (["toolsets", "create", "file", "--tools", "a"], "another name"),
    (["why"], "--call"),
    (["why", "x", "--call", "{}"], "--call"),
    (["why", "--call", "{"], "JSON"),
    (["why", "--call", "[]"], "name"),
    (["config", "get", "max_step"], "did you mean max_steps"),
    (["config", "set", "max_step", "3"], "did you mean max_steps"),
    (["config", "set", "max_steps", "many"], "whole number"),
    (["config", "set", "max_steps", "0"], "more than 0"),
    (["config", "set", "max_seconds", ".nan"], "more than 0"),
    (["config", "set", "mode", "yol"], "yolo"),
    (["config", "set", "model", "["], "quotes"),
    (["config", "set", "model", "a: b"], "expected text"),
    (["config", "set", "toolsets", "file"], "list of names"),
    (["config", "set", "custom_toolsets", "{x: {tools: abc}}"], "list of names"),
    (["plugins", "disable", "dice"], "plugins list"),
    (["plugins", "enable", "dice"], "plugins list"),
    (["guard", "command"], "--lines"),
    (["model", "pull", "no-such-model"], "known models"),
    (["run", "   "], "handiwork run"),
    (["run", "-"], "standard input"),
    (["run", "x", "--yes", "--deny"], "--help"),
    (["run", "two", "words"], "in quotes"),
    (["run", "x", "--max-steps", "0"], "--max-steps"),
    (["run", "x", "--max-seconds", "nan"], "--max-seconds"),
    (["run", "x", "--max-seconds", "inf"], "--max-seconds"),
    (["run", "x", "--max-steps", "many"], "--max-steps"),
    (["run", "x", "--cwd", "/nowhere/at/all"], "no such folder"),
    (["run", "x", "--toolsets", "fil"], "did you mean file?"),
    (["run", "x", "--model", "lokal/x"], "local"),
    (["run", "x", "--model", "http://[::1"], "base URL"),
    (["run", "x", "--model", "http://"], "base URL"),
    (["run", "x", "--model", "http://127.0.0.1:99999/v1#m"], "base URL"),
]


@pytest.mark.parametrize(("words", "step"), WRONG_USE, ids=lambda v: " ".join(v) if isinstance(v, list) else "")
def test_wrong_use_is_exit_2_with_a_next_step(cli, script, words, step):
    if words[0] == "run" and "--model" not in words:
        words = [*words, "--model", script("hello")]
    ran = cli(*words)
    assert (ran.code, ran.out) == (2, "") and ran.err.startswith("error: ")
    assert step in ran.err and len(ran.err.splitlines()) <= 4
    as_json = cli(*words, "--json")
    assert as_json.code == 2 and {"error", "hint", "exit_code"} <= set(as_json.document)
    assert as_json.document["exit_code"] == 2 and as_json.err == ran.err


def test_no_model_is_exit_3_told_at_once_with_the_command_that_mends_it(cli, monkeypatch):
    for name in ("HANDIWORK_API_KEY", "HANDIWORK_BASE_URL", "OPENAI_API_KEY", "OPENROUTER_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    start = time.monotonic()
    ran = cli("run", "hi")
    assert time.monotonic() - start < 2
    assert ran.code == 3 and len(ran.err.splitlines()) <= 4 and "handiwork model pull" in ran.err
    assert cli("run", "hi", "--json").document["exit_code"] == 3
    ran = cli("run", "hi", "--model", "openai/gpt-x")
    assert ran.code == 3 and "OPENAI_API_KEY" in ran.err and len(ran.err.splitlines()) <= 4
    assert cli("run", "hi", "--model", "local/qwen2.5-coder-0.5b").code == 3
    assert cli("chat", stdin="hi\n").code == 3


@pytest.mark.integration
def test_no_model_is_told_in_two_seconds_also_while_standard_input_stays_open(surroundings, tmp_path):
    start = time.monotonic()
    child = subprocess.Popen(
        [sys.executable, "-m", "handiwork", "run", "hi"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=surroundings, cwd=tmp_path,
    )  # fmt: skip
    try:
        assert child.wait(10) == 3 and time.monotonic() - start < 4
    finally:
        child.kill()
        child.communicate()


def test_help_lists_at_most_14_commands_and_help_all_the_rest(cli):
    short, everything = cli("--help"), cli("help", "--all")
    assert short.code == everything.code == 0
    listed = [name for name in COMMANDS if f"\n  {name} " in short.out]
    assert 0 < len(listed) <= 14 and len(short.out.splitlines()) <= 40
    assert all(f"\n  {name} " in everything.out for name in COMMANDS)
    assert cli().out == cli("help").out == short.out
    assert {c["name"] for c in cli("help", "--all", "--json").document["commands"]} == set(COMMANDS)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_has_help(cli, name):
    ran = cli(name, "--help")
    assert ran.code == 0 and ran.err == "" and f"usage: handiwork {name}" in ran.out
    assert "examples:" in ran.out or name == "doctor"
    assert cli("help", name).out == ran.out


EVERY_VIEW = [
    ["tools", "list"], ["tools", "list", "file"], ["tools", "show", "read_file"], ["tools", "definitions"],
    ["tools", "call", "calculate", "expression=1+1"], ["tools", "enable", "file"], ["tools", "disable", "terminal"],
    ["toolsets", "list"], ["toolsets", "show", "debugging"], ["toolsets", "create", "mine", "--tools", "patch"],
    ["why", "read_file"], ["why", "nothing_like_it"], ["why", "--call", '{"name": "calculate", "arguments": {}}'],
    ["doctor"], ["guard", "command", "ls"], ["guard", "path", "a"], ["guard", "url", "http://127.0.0.1/"],
    ["guard", "redact", "x"], ["plugins", "list"], ["model", "list"], ["model", "use", "ollama/x"],
    ["config", "show"], ["config", "get", "mode"], ["config", "set", "max_steps", "7"], ["config", "path"],
    ["help"], ["chat", "--model", "scripted:/dev/null"],
]  # fmt: skip


@pytest.mark.parametrize("words", EVERY_VIEW, ids=" ".join)
def test_json_is_one_document_and_nothing_else(cli, words):
    ran = cli(*words, "--json")
    assert isinstance(ran.document, (dict, list)) and ran.code in (0, 1, 2, 5)
    again = cli(*words, "--output-format", "json")
    assert type(again.document) is type(ran.document) and again.code == ran.code


def test_the_flags_of_every_command_may_stand_before_it(cli):
    assert cli("--json", "tools", "list").document == cli("tools", "list", "--json").document
    assert cli("--output-format", "json", "config", "path").document == {"files": []}
    assert cli("--output-format=json", "config", "path").document == {"files": []}


def test_the_version(cli):
    text = cli("--version").out
    assert text.startswith("handiwork ") and text == cli("version").out == cli("-V").out
    assert cli("--version", "--json").document == cli("--json", "--version").document
    assert cli("--version", "--json").document["version"] in text


@pytest.mark.integration
def test_streams_that_are_closed(surroundings, tmp_path):
    def shell(line):
        return subprocess.run(
            ["bash", "-c", f'"$@" {line}', "bash", sys.executable, "-m", "handiwork", "tools", "lst"],
            capture_output=True, text=True, cwd=tmp_path, env=surroundings, timeout=60, check=False,
        )  # fmt: skip

    assert (shell("2>&-").returncode, shell("2>&-").stdout) == (2, "")
    assert (shell(">&-").returncode, shell(">&-").stdout) == (2, "")


@pytest.mark.integration
@pytest.mark.parametrize(
    ("words", "code"),
    [(["tools", "list"], 0), (["tools", "call", "calculate", "expression=1"], 0), (["run", "x"], 3), (["doctor"], 0),
     (["chat", "--model", "scripted:/dev/null"], 0)],
    ids=lambda v: " ".join(v) if isinstance(v, list) else "",
)  # fmt: skip
def test_without_any_stream_commands_do_their_work_and_say_nothing_elsewhere(surroundings, tmp_path, words, code):
    line = '{ "$@"; echo $? > code; } <&- >&- 2>&-'
    subprocess.run(
        ["bash", "-c", line, "bash", sys.executable, "-m", "handiwork", *words],
        capture_output=True, cwd=tmp_path, env=surroundings, timeout=60, check=True,
    )  # fmt: skip
    assert int((tmp_path / "code").read_text()) == code


def test_a_home_may_be_written_short(cli, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("HANDIWORK_HOME", "~/mine")
    cli("config", "set", "max_steps", "3")
    assert (tmp_path / "mine" / "config.yaml").exists()
    monkeypatch.setenv("HANDIWORK_HOME", "near")
    assert str(tmp_path / "work" / "near") in cli("config", "set", "max_steps", "3").out


def test_text_output_is_no_json(cli):
    with pytest.raises(ValueError):
        json.loads(cli("tools", "list").out)


def test_a_fault_of_ours_is_told_in_two_lines_and_shown_with_debug(cli, monkeypatch):
    monkeypatch.setattr("handiwork.apps.cli.config.run", lambda said, out: {}["gone"])
    ran = cli("config", "show")
    assert ran.code == 1 and "internal error: KeyError: 'gone'" in ran.err and "--debug" in ran.err
    assert cli("config", "show", "--json").document["exit_code"] == 1
    with pytest.raises(KeyError):
        cli("config", "show", "--debug")


def test_what_the_system_refuses_is_no_fault_of_ours(cli, monkeypatch, tmp_path):
    (tmp_path / "plain").write_text("")
    monkeypatch.setenv("HANDIWORK_HOME", str(tmp_path / "plain" / "home"))
    ran = cli("config", "set", "max_steps", "3")
    assert ran.code == 1 and "internal" not in ran.err and str(tmp_path / "plain") in ran.err
    assert cli("tools", "list").code == 0  # nothing is kept, everything works


def test_the_current_folder_may_be_gone(cli, monkeypatch, tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    ran = cli("tools", "list")
    assert (ran.code, ran.out) == (1, "") and "current folder is gone" in ran.err


@pytest.mark.integration
def test_narrow_encodings_and_names_that_are_no_text(command):
    ran = command("doctor", PYTHONIOENCODING="ascii")
    assert ran.code == 0 and "\\u2713" in ran.out
    assert command("tools", "definitions", "--json", PYTHONIOENCODING="latin-1").document
    ran = command("tools", "call", "read_file", b"path=\xff\xfe", "--json")
    assert ran.code == 1 and ran.document["is_error"]
    assert command("tools", "show", b"\xff").code == 2


@pytest.mark.integration
def test_a_reader_that_leaves_and_a_disk_that_is_full(surroundings, tmp_path):
    words = [sys.executable, "-m", "handiwork", "tools", "definitions"]
    for target in ("| head -c 1 >/dev/null; echo ${PIPESTATUS[0]} >&2", ">/dev/full; echo $? >&2"):
        shell = subprocess.run(
            ["bash", "-c", f'"$@" {target}', "bash", *words],
            capture_output=True, text=True, cwd=tmp_path, env=surroundings, timeout=60, check=False,
        )  # fmt: skip
        lines = shell.stderr.splitlines()
        assert "Traceback" not in shell.stderr and "Exception ignored" not in shell.stderr
        assert (
            (lines[-1] == "0" and len(lines) == 1) if "head" in target else (lines[-1] == "1" and "space" in lines[0])
        )
