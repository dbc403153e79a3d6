"""Servers on the SDK of before 2026, in an environment of their own."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")

from handiwork.core.types import Answer, Scope, ToolCall

from ..mcp_servers import SERVERS, command_of
from ..packages import UnreachableError, skip
from .hosts import HERE, Ground, free_port, grounded, wait_for_port

pytestmark = pytest.mark.integration
PEER = str(HERE / "old_peer.py")


@pytest.fixture(scope="module")
def old_python(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The Python of a server that brings mcp 1.x along."""
    old = next(server for server in SERVERS if "mcp<2" in server.packages)
    try:
        return str(Path(command_of(old, tmp_path_factory.mktemp("old"))[0]).with_name("python"))
    except UnreachableError as unreachable:
        skip(unreachable)
        raise


@pytest.fixture(scope="module", params=["stdio", "sse"])
def ground(
    request: pytest.FixtureRequest, old_python: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Ground]:
    home = tmp_path_factory.mktemp(request.param)
    if request.param == "stdio":
        with grounded({"old": {"command": old_python, "args": [PEER, "stdio"]}}, home) as made:
            made.host.check(["old"])
            yield made
        return
    port = free_port()
    with subprocess.Popen([old_python, PEER, "sse", str(port)], stderr=subprocess.DEVNULL) as process:
        try:
            wait_for_port(port)
            with grounded({"old": {"url": f"http://127.0.0.1:{port}/sse"}}, home) as made:
                made.host.check(["old"])
                yield made
        finally:
            process.kill()


def said(ground: Ground, tool: str, scope: Scope | None = None, **args: Any) -> str:
    return ground.pipeline.run(ToolCall(f"mcp__old__{tool}", args, scope=scope or Scope())).content


def test_an_old_server_is_used_like_any_other(ground: Ground):
    assert ground.host.state("old").name == "connected", ground.host.state("old")
    assert said(ground, "add", a=2, b=3) == "5"
    assert "note://{name}" in said(ground, "list_resources")
    assert "about tea" in said(ground, "read_resource", uri="note://tea")
    assert said(ground, "get_prompt", name="greet", arguments={"who": "Ada"}) == "user: Hello Ada"


def test_an_old_server_may_ask_back(ground: Ground):
    agreed = Scope(approver=lambda ready, ask: Answer(True))
    assert said(ground, "order", agreed) == "accept 3"
    assert said(ground, "order") == "decline None"
