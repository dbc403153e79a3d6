from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from handiwork import ToolRegistry
from handiwork.core.types import ToolCall
from handiwork.pipeline.line import Pipeline
from handiwork.sources.mcp.host import Host
from handiwork.sources.mcp.logbook import TAIL_BYTES, Logbook
from handiwork.sources.mcp.news import News
from handiwork.sources.mcp.settings import read_servers


def host(registry: ToolRegistry, **servers: Any) -> Host:
    made = Host(registry, read_servers(servers))
    registry.whereabouts.append(made.missed)
    return made


def test_nothing_is_loaded_for_servers_that_nobody_asks(registry: ToolRegistry):
    made = host(registry, a={"command": "/no/such"}, off={"command": "x", "enabled": False})
    assert made.state("a").name == "idle" and made.state("off").name == "disabled"
    made.close()


def test_without_the_sdk_the_state_says_what_to_install(registry: ToolRegistry, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "mcp", None)
    made = host(registry, a={"command": "x"})
    made.begin()
    made.check(["a"])
    state = made.state("a")
    assert state.name == "failed" and state.fix == "pip install 'handiwork[mcp]'"
    result = Pipeline(registry).run(ToolCall("mcp__a__go", {}))
    assert result.status == "refused" and "handiwork[mcp]" in result.content
    assert News(made).notices() == [
        "the tools of the MCP server 'a' are unavailable because it is failed: the MCP client isn't installed"
    ]


def test_a_program_that_is_not_there_is_told_and_hurts_nobody(registry: ToolRegistry, tmp_path: Path):
    pytest.importorskip("mcp")
    made = host(registry, a={"command": "/no/such/program"}, b={"command": "x", "args": ["${NOT_SET_HERE}"]})
    news = News(made)
    try:
        made.check(["a", "b"], 5)
        assert "there is no program '/no/such/program'" in made.state("a").reason
        assert "NOT_SET_HERE" in made.state("b").reason
        assert len(news.notices()) == 2 and news.notices() == []
        missed = registry.missed("mcp__a__x")
        assert missed is not None and "/no/such/program" in missed.reason
        assert registry.missed("mcp__unknown__x") is None and registry.missed("read_file") is None
    finally:
        made.close()


def test_a_server_that_the_person_has_not_agreed_to_is_not_started(registry: ToolRegistry):
    settings = replace(read_servers({"a": {"command": "/no/such"}})[0], held="it comes with the project")
    made = Host(registry, [settings])
    made.begin()
    made.check(["a"], 1)
    assert made.state("a").name == "held" and made.state("a").fix == "handiwork mcp trust"


def test_a_logbook_keeps_the_end_at_hand_and_its_files_small(tmp_path: Path):
    log = Logbook(str(tmp_path / "logs" / "a.log"))
    for count in range(3000):
        log.write(b"%06d " % count + b"x" * 500 + b"\n")
    assert len(log.tail) == TAIL_BYTES and log.tail.splitlines()[-1].startswith("002999 ")
    log.close()
    sizes = [p.stat().st_size for p in (tmp_path / "logs").iterdir()]
    assert len(sizes) == 2 and max(sizes) <= 512 * 1024
    assert (tmp_path / "logs" / "a.log").stat().st_mode & 0o777 == 0o600
    log.begin()
    assert log.tail == ""


def test_a_logbook_without_a_place_keeps_the_tail():
    log = Logbook("/proc/nowhere/a.log")
    log.write(b"said\n")
    log.write(b"more\n")
    assert log.tail == "said\nmore\n"
