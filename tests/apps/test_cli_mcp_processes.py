"""Tools of MCP servers in the hands of the command line and of agents: real processes, real signals."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

pytest.importorskip("mcp")
pytestmark = pytest.mark.integration
PEER = str(Path(__file__).parents[1] / "integration" / "mcp" / "peer.py")


@pytest.fixture
def peers(configure, tmp_path):
    """Configures a server that works, one that doesn't, and a file of what the first one did."""
    notes = tmp_path / "notes"
    notes.touch()
    good = {"command": sys.executable, "args": [PEER, "stdio"], "env": {"PEER_NOTES": str(notes)}, "timeout": 30}
    bad = {"command": sys.executable, "args": ["-c", "import sys; sys.exit('no licence')"]}
    configure(yaml.safe_dump({"mcp_servers": {"p": good, "bad": bad}}))
    return notes


def test_the_first_call_waits_for_its_server_and_for_no_other(command, peers):
    ran = command("tools", "call", "mcp__p__echo", '{"text": "hi"}')
    assert (ran.code, ran.out) == (0, "hi\n")
    ran = command("tools", "call", "mcp__bad__x", "{}")
    assert ran.code == 2 and "exit code 1" in ran.err and "no licence" in ran.err
    ran = command("tools", "call", "mcp__p__ecko", "{}")
    assert ran.code == 2 and "did you mean mcp__p__echo?" in ran.err


def test_what_is_known_is_listed_without_asking(command, peers):
    assert command("mcp", "list", "--check").code == 0
    began = time.monotonic()
    rows = {row["name"]: row for row in json.loads(command("mcp", "list", "--json").out)["servers"]}
    assert time.monotonic() - began < 2
    assert rows["p"]["last"]["state"] == "connected" and rows["p"]["tools"] > 5 and rows["p"]["tokens"] > 100
    tools = json.loads(command("tools", "list", "mcp-p", "--json").out)["tools"]
    assert {t["name"] for t in tools} >= {"mcp__p__echo", "mcp__p__grow"} and all(t["visible"] for t in tools)
    assert "mcp__p__echo" in command("tools", "definitions").out


def call(tool, **arguments):
    return {"calls": [{"name": tool, "arguments": arguments}]}


def test_an_agent_uses_them_sees_new_ones_and_hears_of_those_that_are_away(command, peers, script):
    command("mcp", "test", "p")
    model = script(call("mcp__p__grow"), call("mcp__p__grown"), call("mcp__bad__x"), "done")
    ran = command("run", "x", "--json", "--model", model)
    assert ran.code == 0, ran.err
    grow, grown, away = json.loads(ran.out)["calls"]
    assert grow["content"] == "grown" and grown["content"] == "new"
    assert "no licence" in json.dumps(away)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)])
def test_a_signal_ends_the_call_and_the_server(command, peers, surroundings, tmp_path, number, code):
    command("mcp", "test", "p")
    words = [sys.executable, "-m", "handiwork", "tools", "call", "mcp__p__slow", "seconds=60"]
    with subprocess.Popen(words, cwd=tmp_path, env=surroundings, stderr=subprocess.PIPE) as child:
        _wait_for(lambda: "begun" in peers.read_text())
        server = _server_of(child.pid)
        began = time.monotonic()
        child.send_signal(number)
        assert child.wait(10) == code
        assert time.monotonic() - began < 2.5
    _wait_for(lambda: not os.path.exists(f"/proc/{server}"), 5)
    if number != signal.SIGKILL:
        assert "cancelled" in peers.read_text()


def _server_of(host: int) -> int:
    """The process that serves, which isn't a child of the host's but of its keeper."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if PEER.encode() in words:
            return int(pid)
    raise AssertionError(f"no server of {host} runs")


def _wait_for(condition, seconds=15):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)
