"""The guard asked from outside: one input with an exit code, or a line in and a line out."""

from __future__ import annotations

import json
import os

import pytest


@pytest.mark.parametrize(
    ("words", "action", "code"),
    [
        (["command", "ls -la"], "allow", 0),
        (["command", "sudo ls"], "ask", 5),
        (["command", "rm -rf /"], "forbid", 5),
        (["path", "src/a.py", "--write"], "allow", 0),
        (["path", "../a.py"], "ask", 5),
        (["path", ".env"], "ask", 5),
        (["url", "http://169.254.169.254/"], "forbid", 5),
    ],
)
def test_one_input_is_judged(cli, words, action, code):
    ran = cli("guard", *words, "--json")
    assert (ran.document["action"], ran.code) == (action, code)
    assert bool(ran.document["reasons"]) == (action != "allow")
    text = cli("guard", *words)
    assert text.out.splitlines()[0] == action and text.code == code


def test_a_command_tells_its_effects(cli):
    assert cli("guard", "command", "echo x > a.txt", "--json").document["effects"]


def test_the_folder_it_runs_in_counts(cli, tmp_path):
    os.makedirs(tmp_path / "there")
    path = str(tmp_path / "there" / "f")
    assert cli("guard", "path", path, "--write").code == 5
    assert cli("guard", "path", path, "--write", "--workspace", str(tmp_path / "there")).code == 0


def test_secrets_are_masked(cli):
    secret = "ghp_" + "Ab1" * 12
    ran = cli("guard", "redact", f"token {secret} here")
    assert ran.code == 0 and secret not in ran.out and ran.out.startswith("token ")
    assert secret not in cli("guard", "redact", secret, "--json").out


@pytest.mark.parametrize("verb", ["command", "path", "url", "redact"])
def test_a_line_in_is_a_line_out(cli, verb):
    lines = ["ls", "", "rm -rf /", "http://127.0.0.1/", "'unclosed", "\u202e\x00\x1b[31m"]
    for words in ([], ["--json"]):
        ran = cli("guard", verb, "--lines", *words, stdin="\n".join(lines) + "\n")
        documents = [json.loads(line) for line in ran.out.splitlines()]
        assert ran.code == 0 and len(documents) == len(lines)
        assert all("text" in d if verb == "redact" else d["action"] in ("allow", "ask", "forbid") for d in documents)


def test_lines_that_are_no_text_are_judged_too(command):
    ran = command("guard", "command", "--lines", stdin=b"ls\n\xff\xfe\nrm -rf /\n")
    assert ran.code == 0 and [json.loads(line)["action"] for line in ran.out.splitlines()][::2] == ["allow", "forbid"]
