"""Servers as other agents' files name them: each form, word by word."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from handiwork.apps.mcp_files import Found, read_data, read_file, usual_files
from handiwork.core.errors import UsageError

PROGRAM = {"command": "npx", "args": ["-y", "pkg"], "env": {"A": "1"}}


def read(tmp_path: Path, name: str, text: str | dict[str, Any], folder: str = "/project") -> Found:
    path = tmp_path / name
    path.write_text(text if isinstance(text, str) else json.dumps(text))
    return read_file(str(path), folder)


def test_claude(tmp_path: Path):
    found = read(
        tmp_path,
        ".mcp.json",
        {
            "mcpServers": {
                "fs": {"type": "stdio", **PROGRAM},
                "gh": {"type": "http", "url": "https://x/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}},
                "old": {"type": "sse", "url": "https://x/sse"},
            }
        },
    )
    assert found.servers["fs"] == PROGRAM
    assert found.servers["gh"] == {"url": "https://x/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}}
    assert found.servers["old"] == {"url": "https://x/sse", "transport": "sse"}


def test_claudes_own_file_names_servers_for_a_project_too(tmp_path: Path):
    projects = {"/project": {"mcpServers": {"b": PROGRAM}}, "/other": {"mcpServers": {"c": PROGRAM}}}
    found = read(tmp_path, ".claude.json", {"mcpServers": {"a": PROGRAM}, "projects": projects, "numStartups": 3})
    assert sorted(found.servers) == ["a", "b"]


def test_vs_code_with_comments_inputs_and_its_own_variables(tmp_path: Path):
    text = """{
      // servers of this folder
      "inputs": [{"id": "key", "type": "promptString"}],
      "servers": {
        "fs": {"type": "stdio", "command": "npx",
               "args": ["${workspaceFolder}/x", "http://a//b"], "env": {"K": "${env:KEY}"}},
        "asks": {"command": "x", "env": {"K": "${input:key}"}},
      },
    }"""
    found = read(tmp_path, "mcp.json", text)
    assert found.servers == {"fs": {"command": "npx", "args": ["/project/x", "http://a//b"], "env": {"K": "${KEY}"}}}
    assert "${input:key}" in found.left["asks"]


def test_gemini(tmp_path: Path):
    entry = {"command": "x", "env": {"K": "$KEY"}, "timeout": 30_000, "trust": True, "includeTools": ["a"]}
    found = read(tmp_path, "settings.json", {"mcpServers": {"a": entry, "b": {"httpUrl": "https://x"}}})
    tools = {"include": ["a"]}
    assert found.servers["a"] == {
        "command": "x",
        "env": {"K": "${KEY}"},
        "timeout": 30.0,
        "trust": True,
        "tools": tools,
    }
    assert found.servers["b"] == {"url": "https://x"}


def test_codex(tmp_path: Path):
    found = read(
        tmp_path,
        "config.toml",
        """
        model = "x"
        [mcp_servers.docs]
        command = "npx"
        args = ["-y", "pkg"]
        env_vars = ["TOKEN"]
        startup_timeout_sec = 20
        tool_timeout_sec = 90
        disabled_tools = ["rm"]
        [mcp_servers.web]
        url = "https://x/mcp"
        bearer_token_env_var = "TOKEN"
        enabled = false
        """,
    )
    assert found.servers["docs"] == {
        "command": "npx", "args": ["-y", "pkg"], "env": {"TOKEN": "${TOKEN}"}, "timeout": 90, "connect_timeout": 20,
        "tools": {"exclude": ["rm"]},
    }  # fmt: skip
    headers = {"Authorization": "Bearer ${TOKEN}"}
    assert found.servers["web"] == {"url": "https://x/mcp", "headers": headers, "enabled": False}


def test_goose(tmp_path: Path):
    text = """
    extensions:
      developer: {type: builtin, name: developer, enabled: true}
      fs: {type: stdio, cmd: npx, args: [-y, pkg], envs: {A: "1"}, env_keys: [KEY], timeout: 300, enabled: true}
      web: {type: streamable_http, uri: "https://x/mcp", enabled: false}
    """
    found = read(tmp_path, "config.yaml", text)
    assert sorted(found.servers) == ["fs", "web"] and not found.left
    env = {"KEY": "${KEY}", "A": "1"}
    assert found.servers["fs"] == {"command": "npx", "args": ["-y", "pkg"], "env": env, "timeout": 300}
    assert found.servers["web"] == {"url": "https://x/mcp", "enabled": False}


def test_opencode(tmp_path: Path):
    local = {"type": "local", "command": ["npx", "-y", "pkg"], "environment": {"K": "{env:KEY}"}, "enabled": True}
    found = read(tmp_path, "opencode.json", {"mcp": {"a": local, "b": {"type": "remote", "url": "https://x"}}})
    assert found.servers["a"] == {"command": "npx", "args": ["-y", "pkg"], "env": {"K": "${KEY}"}}
    assert found.servers["b"] == {"url": "https://x"}


def test_hermes(tmp_path: Path):
    text = """
    mcp_servers:
      a: {command: npx, args: [-y, pkg], timeout: 120, connect_timeout: 60, tools: {include: [x], prompts: false}}
      b: {url: "https://x/mcp", auth: oauth}
    """
    found = read(tmp_path, "config.yaml", text)
    assert found.servers["a"]["tools"] == {"include": ["x"]} and found.servers["a"]["connect_timeout"] == 60
    assert found.servers["b"] == {"url": "https://x/mcp", "auth": "oauth"}


@pytest.mark.parametrize(
    "entry", [3, {}, {"command": []}, {"command": "x", "env": ["A"]}, {"command": "x", "url": "y"}]
)
def test_what_cannot_be_taken_over_stays_behind_with_a_reason(tmp_path: Path, entry: Any):
    found = read(tmp_path, "mcp.json", {"mcpServers": {"bad": entry, "good": PROGRAM}})
    assert list(found.servers) == ["good"] and found.left["bad"]


@pytest.mark.parametrize(("name", "text"), [("a.json", "{"), ("a.toml", "= 3"), ("a.yaml", "a: ["), ("a.json", "[]")])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, name: str, text: str):
    with pytest.raises(UsageError, match=name):
        read(tmp_path, name, text)


def test_files_are_found_in_their_usual_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in (".cursor/mcp.json", ".codex/config.toml", "p/.vscode/mcp.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    found = [str(Path(p).relative_to(tmp_path)) for p in usual_files(str(tmp_path / "p"))]
    assert found == [".cursor/mcp.json", ".codex/config.toml", "p/.vscode/mcp.json"]


def test_what_was_read_is_what_is_told_of(tmp_path):
    path = tmp_path / ".mcp.json"
    path.write_text('{"mcpServers": {"later": {"command": "b"}}}')
    found = read_data(str(path), b'\xef\xbb\xbf{"mcpServers": {"now": {"command": "a"}}}')
    assert list(found.servers) == ["now"]
