"""Every mode on every kind of call: a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from handiwork.core.types import Allow, Ask, Forbid, Ready, Scope, Standing, ToolCall, ToolEntry, Traits
from handiwork.guard import policy

TERMINAL = Traits(effect="write", touches={"command": "command", "cwd": "path"})
WRITE = Traits(effect="idempotent", touches={"path": "path"})
PATCH = Traits(effect="write", touches={"path": "path", "patch": "patch"})
READ = Traits(effect="read", touches={"path": "path"})
FETCH = Traits(effect="read", touches={"url": "url"})
SEND = Traits(effect="write", touches={"to": "recipient"})
CODE = Traits(effect="write", touches={"code": "code"})
NESTED = Traits(touches={"name": "tool"})
DELEGATE = Traits()
TWO = "*** Begin Patch\n*** Add File: a\n+x\n*** Delete File: {}\n*** End Patch\n"

# What is called, and the verdict in the modes ask, accept-edits, auto, read-only, yolo: (a)llow, as(k), (f)orbid.
TABLE: list[tuple[str, Traits, str, dict[str, Any], str]] = [
    ("a command that reads", TERMINAL, "builtin", {"command": "ls -l"}, "aaaaa"),
    ("a command that builds", TERMINAL, "builtin", {"command": "make"}, "aaafa"),
    ("a command that edits", TERMINAL, "builtin", {"command": "echo x > a.txt"}, "kaafa"),
    ("a command that asks", TERMINAL, "builtin", {"command": "git push --force origin main"}, "kkkfa"),
    ("a command that nobody wants", TERMINAL, "builtin", {"command": "rm -rf /"}, "fffff"),
    ("a command that reads a secret", TERMINAL, "builtin", {"command": "cat .env"}, "kkkfa"),
    ("a command elsewhere", TERMINAL, "builtin", {"command": "make", "cwd": "/opt"}, "kkkfa"),
    ("a file written", WRITE, "builtin", {"path": "a.txt"}, "kaafa"),
    ("a file written outside", WRITE, "builtin", {"path": "/opt/x"}, "kkkfa"),
    ("a protected file written", WRITE, "builtin", {"path": ".git/config"}, "kkkfa"),
    ("a device written", WRITE, "builtin", {"path": "/dev/sda"}, "fffff"),
    ("a patch", PATCH, "builtin", {"patch": TWO.format("b")}, "kaafa"),
    ("a patch with one path outside", PATCH, "builtin", {"patch": TWO.format("/opt/b")}, "kkkfa"),
    ("a patch with one protected path", PATCH, "builtin", {"patch": TWO.format(".env")}, "kkkfa"),
    ("a patch that can't be read", PATCH, "builtin", {"patch": "*** Begin Patch\n*** Update File: x\n"}, "kkkfa"),
    ("a file read", READ, "builtin", {"path": "a.txt"}, "aaaaa"),
    ("a file read outside", READ, "builtin", {"path": "/opt/x"}, "kkkka"),
    ("a secret read", READ, "builtin", {"path": ".env"}, "kkkka"),
    ("a page fetched", FETCH, "builtin", {"url": "https://example.org"}, "aaaaa"),
    ("an inner address fetched", FETCH, "builtin", {"url": "http://169.254.169.254/"}, "fffff"),
    ("a message sent", SEND, "builtin", {"to": "a@example.org"}, "kkkfa"),
    ("code run", CODE, "builtin", {"code": "1"}, "kkkfa"),
    ("a server's tool", Traits(), "mcp:s", {}, "kkkfa"),
    ("a server's tool that says it reads", Traits(read_only=True), "mcp:s", {}, "kkkka"),
    ("a project's plugin that says nothing", Traits(), "plugin:project/x", {}, "kkkfa"),
    ("a tool of the person's own", Traits(), "plugin:user/x", {}, "aaafa"),
    ("a nested call, which is judged by itself", NESTED, "builtin", {"name": "terminal"}, "aaafa"),
    ("a delegate, whose calls are judged", DELEGATE, "builtin", {}, "aaafa"),
]
LETTERS = {Allow: "a", Ask: "k", Forbid: "f"}


@pytest.mark.parametrize(("what", "traits", "origin", "args", "verdicts"), TABLE, ids=[row[0] for row in TABLE])
def test_each_mode_on_each_kind_of_call(
    tmp_path: Path, what: str, traits: Traits, origin: str, args: dict[str, Any], verdicts: str
) -> None:
    entry = ToolEntry("t", "s", {"parameters": {}}, lambda args, /, **kw: "", traits=traits, origin=origin)
    scope = Scope(cwd=str(tmp_path), workspace=str(tmp_path), standing=Standing())
    ready = Ready(ToolCall("t", scope=scope), entry, args)
    modes: tuple[Any, ...] = ("ask", "accept-edits", "auto", "read-only", "yolo")
    assert "".join(LETTERS[type(policy(mode)(ready))] for mode in modes) == verdicts, what
