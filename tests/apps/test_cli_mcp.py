"""`handiwork mcp` without a server that works: those are in the integration part."""

from __future__ import annotations

import json
import sys

import pytest
import yaml


@pytest.fixture
def servers(home):
    def write(**entries):
        (home / "config.yaml").write_text(yaml.safe_dump({"mcp_servers": entries}))

    return write


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project whose .mcp.json would leave a mark if its server were started."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / ".git").mkdir()
    monkeypatch.chdir(folder)
    mark = tmp_path / "started"
    (folder / ".mcp.json").write_text(json.dumps({"mcpServers": {"p": {"command": "touch", "args": [str(mark)]}}}))
    return mark


def test_none_says_how_to_add_one(cli):
    ran = cli("mcp", "list")
    assert ran.code == 0 and "handiwork mcp add" in ran.out
    assert cli("mcp", "list", "--json").document == {"servers": []}


def test_list_shows_state_and_starts_nothing(cli, servers, tmp_path):
    mark = tmp_path / "started"
    servers(a={"command": "touch", "args": [str(mark)]}, b={"url": "http://127.0.0.1:9/mcp", "enabled": False})
    rows = {row["name"]: row for row in cli("mcp", "list", "--json").document["servers"]}
    assert rows["a"]["state"] == "idle" and rows["b"]["state"] == "disabled" and rows["a"]["tools"] == 0
    cli("tools", "list")
    cli("doctor")
    assert not mark.exists()


def test_words_of_other_agents_add_a_server(cli, home):
    added = cli("mcp", "add", "--no-test", "fs", "-e", "K=a=b", "--", "npx", "-y", "pkg", "--flag", "-e", "x")
    assert added.code == 0, added.err
    cli("mcp", "add", "--no-test", "--transport", "http", "gh", "https://x/mcp", "-H", "Authorization: Bearer ${T}")
    cli("mcp", "add", "docs", "https://y/mcp", "--no-test")
    stored = yaml.safe_load((home / "config.yaml").read_text())["mcp_servers"]
    assert stored["fs"] == {"command": "npx", "args": ["-y", "pkg", "--flag", "-e", "x"], "env": {"K": "a=b"}}
    assert stored["gh"] == {"url": "https://x/mcp", "headers": {"Authorization": "Bearer ${T}"}}
    assert stored["docs"] == {"url": "https://y/mcp"}
    assert "is removed" in cli("mcp", "remove", "gh").out
    assert sorted(yaml.safe_load((home / "config.yaml").read_text())["mcp_servers"]) == ["docs", "fs"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("fs",), "needs a command or a URL"),
        (("fs", "-e", "K", "--", "x"), "not a pair"),
        (("--transport", "http", "fs", "https://x", "y"), "one URL"),
        (("a", "--", "x"), "already"),
    ],
)
def test_add_says_what_is_wrong(cli, servers, words, said):
    servers(a={"command": "x"})
    ran = cli("mcp", "add", "--no-test", *words)
    assert ran.code == 2 and said in ran.err


def test_a_server_that_does_not_work_is_not_added(cli, home):
    pytest.importorskip("mcp")
    ran = cli("mcp", "add", "bad", "--", sys.executable, "-c", "import sys; sys.exit('no key')")
    assert ran.code == 1 and "exit code 1" in ran.err and "no key" in ran.err
    assert not (home / "config.yaml").exists()


def test_test_fails_with_the_reason(cli, servers):
    pytest.importorskip("mcp")
    servers(files={"command": "/no/such/program"})
    ran = cli("mcp", "test", "files")
    assert ran.code == 1 and "there is no program" in ran.out
    assert cli("mcp", "test", "files", "--json").document["state"] == "failed"
    ran = cli("mcp", "test", "file")
    assert ran.code == 2 and "did you mean files?" in ran.err


def test_a_wrong_entry_is_told_with_its_place(cli, servers):
    servers(a={"comand": "x"})
    ran = cli("mcp", "list")
    assert ran.code == 6 and "config.yaml:1:1" in ran.err and "did you mean command?" in ran.err


def test_a_projects_servers_wait_for_the_person(cli, project):
    (row,) = cli("mcp", "list", "--json").document["servers"]
    assert row["state"] == "held" and row["fix"] == "handiwork mcp trust"
    assert cli("mcp", "test", "p").code == 1
    assert "haven't agreed" in cli("tools", "call", "mcp__p__x").err
    assert cli("mcp", "trust").code == 2  # nobody is there to be asked
    assert not project.exists()
    trusted = cli("mcp", "trust", "--yes")
    assert trusted.code == 0 and "touch" in trusted.err
    assert cli("mcp", "list", "--json").document["servers"][0]["state"] == "idle"


def test_a_project_that_changes_is_asked_about_again(cli, project, tmp_path):
    cli("mcp", "trust", "--yes")
    file = tmp_path / "project" / ".mcp.json"
    file.write_text(file.read_text() + " ")
    (row,) = cli("mcp", "list", "--json").document["servers"]
    assert row["state"] == "held" and "has changed" in row["reason"]


def test_a_projects_broken_file_does_not_keep_ones_own_tools_away(cli, project, tmp_path):
    (tmp_path / "project" / ".mcp.json").write_text("{")
    assert cli("tools", "call", "calculate", "expression=1+1").code == 0


def test_a_project_cannot_name_servers_in_its_configuration(cli, project, tmp_path):
    (tmp_path / "project" / ".handiwork").mkdir()
    (tmp_path / "project" / ".handiwork" / "config.yaml").write_text("mcp_servers: {a: {command: x}}\n")
    ran = cli("mcp", "list")
    assert ran.code == 6 and "not for a project to say" in ran.err


def test_import_shows_first_and_writes_then(cli, home, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    file = tmp_path / "theirs.json"
    file.write_text(json.dumps({"mcpServers": {"a": {"command": "x"}, "bad": {}}}))
    shown = cli("mcp", "import", str(file), "--dry-run", "--json").document
    assert {r["name"]: r["outcome"] for r in shown["servers"]} == {"a": "added", "bad": "left"}
    assert shown["file"] is None and not (home / "config.yaml").exists()
    cli("mcp", "import", str(file))
    assert yaml.safe_load((home / "config.yaml").read_text()) == {"mcp_servers": {"a": {"command": "x"}}}
    again = cli("mcp", "import", str(file), "--json").document
    assert {r["name"]: r["outcome"] for r in again["servers"]} == {"a": "known", "bad": "left"}


def test_why_names_the_server_and_its_state(cli, servers):
    servers(a={"command": "x"})
    ran = cli("why", "mcp__a__nope")
    assert ran.code == 1 and "the MCP server 'a' is idle" in ran.out and "handiwork mcp test a" in ran.out
