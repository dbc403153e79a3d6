from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

pytest.importorskip("mcp")
pytestmark = pytest.mark.integration
PEER = Path(__file__).parents[1] / "integration" / "mcp" / "asking_peer.py"


def test_a_prompt_of_a_server_is_said_in_a_chat(home, command, script):
    entry = {"command": sys.executable, "args": [str(PEER), "legacy"]}
    (home / "config.yaml").write_text(json.dumps({"mcp_servers": {"p": entry}}))
    said = b"/mcp__p__greet who='Ada L.'\n/mcp__p__none\n/other\n"
    ran = command("chat", "--json", "--model", script("one", "two"), stdin=said)
    assert ran.code == 0 and len(ran.document["turns"]) == 2, ran
    assert "no prompt 'none' of p" in ran.err
    shown = command("sessions", "export", ran.document["session"]).out
    assert "Say hello to Ada L.." in shown and "/mcp__p__greet" not in shown and "/other" in shown
