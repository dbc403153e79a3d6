"""One rule about a server's tools holds on every way to them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

pytest.importorskip("mcp")
pytestmark = pytest.mark.integration
PEER = Path(__file__).parents[1] / "integration" / "mcp" / "peer.py"


@pytest.fixture
def ruled(home, tmp_path, command):
    """A home with a server, and its notes; *deny* is a rule."""
    notes = tmp_path / "notes"
    entry = {"command": sys.executable, "args": [str(PEER), "stdio"], "env": {"PEER_NOTES": str(notes)}}

    def write(deny):
        said = {
            "mcp_servers": {"p": entry},
            "tools_budget_tokens": 200,
            "policy": {"deny": [deny], "defaultMode": "yolo"},
        }
        (home / "config.yaml").write_text(json.dumps(said))
        assert command("mcp", "test", "p").code == 0
        return notes

    return write


@pytest.mark.parametrize("deny", ["mcp__p__commit", "mcp__p", "origin:mcp:p"])
def test_a_denied_tool_is_denied_by_hand_by_a_model_and_behind_the_search(ruled, command, script, deny):
    notes = ruled(deny)
    by_hand = command("tools", "call", "mcp__p__commit", "--yes")
    assert by_hand.code == 5, by_hand
    bridged = {"name": "tool_call", "arguments": {"name": "mcp__p__commit", "arguments": {}}}
    for call in ({"name": "mcp__p__commit", "arguments": {}}, bridged):
        ran = command("run", "x", "--yes", "--json", "--model", script({"calls": [call]}, "done"))
        assert "deny" in ran.out or "denied" in ran.out, ran.out
    assert not notes.exists()


def test_what_stands_for_a_servers_resources_is_denied_with_the_rest(ruled, command):
    ruled("mcp__p")
    assert command("tools", "call", "mcp__p__list_prompts", "--yes").code == 5
    ruled("mcp__p__commit")
    assert command("tools", "call", "mcp__p__list_prompts", "--yes").code == 0
