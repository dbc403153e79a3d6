"""Servers that other people wrote, all at once: connected, listed, and one call of each."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")

from handiwork.core.types import Scope, ToolCall, ToolResult

from ..mcp_servers import SERVERS, command_of
from ..packages import UnreachableError, skip
from .hosts import Ground, grounded

pytestmark = pytest.mark.integration
MODERN = {"time", "git", "fetch"}
LEAST = {
    "everything": 13, "filesystem": 14, "memory": 9, "sequential-thinking": 1, "time": 2, "git": 12, "fetch": 1,
    "sqlite": 6,
}  # fmt: skip

# What only runs in a way that the protocol has dropped.
AS_TASKS = {"everything": {"simulate-research-query"}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("served")
    (folder / "a.txt").write_text("inside\n")
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    return folder


@pytest.fixture(scope="module")
def ground(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    servers: dict[str, Any] = {}
    for server in SERVERS:
        try:
            program, *args = command_of(server, folder)
        except UnreachableError as unreachable:
            skip(unreachable)
        env = {"MEMORY_FILE_PATH": str(folder / "memory.jsonl")}
        servers[server.name] = {"command": program, "args": args, "env": env, "connect_timeout": 60}
    with grounded(servers, tmp_path_factory.mktemp("home")) as made:
        made.host.check(servers, 60)
        yield made


def calls(folder: Path) -> dict[str, tuple[str, dict[str, Any], Callable[[ToolResult], bool]]]:
    thought = {"thought": "t", "nextThoughtNeeded": False, "thoughtNumber": 1, "totalThoughts": 1}
    entity = {"name": "Ada", "entityType": "person", "observations": ["counts"]}
    return {
        "everything": ("echo", {"message": "hi"}, lambda r: "hi" in r.content),
        "filesystem": ("read_text_file", {"path": str(folder / "a.txt")}, lambda r: "inside" in r.content),
        "memory": ("create_entities", {"entities": [entity]}, lambda r: "Ada" in r.content),
        "sequential-thinking": ("sequentialthinking", thought, lambda r: "thoughtNumber" in r.content),
        "time": ("get_current_time", {"timezone": "UTC"}, lambda r: "UTC" in r.content),
        "git": ("git_status", {"repo_path": str(folder)}, lambda r: "a.txt" in r.content),
        "fetch": ("fetch", {"url": "http://169.254.169.254/"}, lambda r: r.status == "refused"),  # by our own guard
        "sqlite": ("list_tables", {}, lambda r: r.content == "[]"),
    }


@pytest.mark.parametrize("name", LEAST)
def test_it_is_connected_in_its_era_and_its_tools_are_there(ground: Ground, name: str):
    shelf, state = ground.host.offering.shelf(name), ground.host.state(name)
    assert {refused.tool for refused in shelf.refused} == AS_TASKS.get(name, set())
    assert state.name == ("degraded" if shelf.refused else "connected"), state
    assert len(shelf.offered) >= LEAST[name]
    connection = ground.host.supervisor(name).connection
    assert connection is not None and connection.is_modern == (name in MODERN)


@pytest.mark.parametrize("name", LEAST)
def test_a_call_goes_through_the_whole_line(ground: Ground, folder: Path, name: str):
    tool, args, is_right = calls(folder)[name]
    result = ground.pipeline.run(_call(f"mcp__{name}__{tool}", args, folder))
    assert is_right(result), result.content
    if result.status == "ok":
        assert result.labels[0].integrity == "outside"


def _call(name: str, args: dict[str, Any], folder: Path) -> ToolCall:
    return ToolCall(name, args, scope=Scope(cwd=str(folder), workspace=str(folder)))


def test_a_path_outside_the_workspace_is_refused_before_the_server_hears_of_it(ground: Ground, folder: Path):
    result = ground.pipeline.run(_call("mcp__filesystem__write_file", {"path": "/etc/x", "content": ""}, folder))
    assert result.status == "refused" and result.by in ("approval", "guard")


def test_content_of_every_kind_comes_through(ground: Ground):
    picture = ground.call("mcp__everything__get-tiny-image")
    assert any(a.mime == "image/png" and a.data for a in picture.artifacts)
    weather = ground.call("mcp__everything__get-structured-content", location="New York")
    assert json.loads(weather.content)["temperature"] and "output_invalid" not in weather.content
    links = ground.call("mcp__everything__get-resource-links", count=2)
    assert links.content.count("[resource link: ") == 2


def test_the_next_start_knows_the_tools_without_asking(ground: Ground):
    servers = {n: {"command": s.command, "args": list(s.args)} for n, s in ground.host.servers.items()}
    began = time.monotonic()
    with grounded(servers, Path(ground.host.home)) as again:
        assert time.monotonic() - began < 0.5
        assert again.host.state("everything").name == "idle"
        assert set(again.registry.names()) == set(ground.registry.names())
        assert again.call("mcp__time__get_current_time", timezone="UTC").status == "ok"  # is started by the call
