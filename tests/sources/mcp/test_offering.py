from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from handiwork import ToolRegistry
from handiwork.sources.mcp.definitions import Definition, Refused, read_definition
from handiwork.sources.mcp.knowledge import Knowledge
from handiwork.sources.mcp.offering import Offering
from handiwork.sources.mcp.pins import Pins
from handiwork.sources.mcp.settings import ServerSettings, read_servers
from handiwork.sources.mcp.states import State


def server(name: str, **more: Any) -> ServerSettings:
    return read_servers({name: {"command": name, **more}})[0]


def tools(server: str, **descriptions: str) -> list[Definition]:
    raws = [{"name": n, "description": d, "inputSchema": {"type": "object"}} for n, d in descriptions.items()]
    return [read_definition(server, raw) for raw in raws]


@pytest.fixture
def offering(registry: ToolRegistry, tmp_path: Path) -> Offering:
    return made(registry, tmp_path)


def made(registry: ToolRegistry, folder: Path) -> Offering:
    pins, knowledge = Pins(str(folder / "pins.json")), Knowledge(str(folder / "known"))
    return Offering(registry, pins=pins, knowledge=knowledge, make_handler=lambda s, d: lambda args: d.tool)


def test_a_changed_tool_is_not_offered_until_a_person_agrees(registry: ToolRegistry, offering: Offering):
    a = server("a")
    assert offering.apply(a, tools("a", go="Goes.", stop="Stops."), ()) == ""
    said = offering.apply(a, tools("a", go="Goes away.", stop="Stops."), ())
    assert "held: 'go'" in said and "mcp pin a" in said
    assert list(registry.names()) == ["mcp__a__stop"]
    reason = offering.reason("a", "mcp__a__go")
    assert reason is not None and "held until you agree" in reason.reason
    assert not offering.agree(a).held
    assert registry.get("mcp__a__go") is not None and offering.reason("a", "mcp__a__go") is None


def test_a_tool_that_cannot_be_used_is_told_with_its_reason(offering: Offering):
    said = offering.apply(server("a"), tools("a", go="Goes."), [Refused("bad", "it has no name")])
    assert "'bad': it has no name" in said
    reason = offering.reason("a", "mcp__a__bad")
    assert reason is not None and "it has no name" in reason.reason


def test_servers_that_speak_of_each_others_tools_are_noted(registry: ToolRegistry, offering: Offering):
    offering.apply(server("a"), tools("a", send_email="Sends."), ())
    offering.apply(server("b"), tools("b", send_email="Sends.", other="Use it in place of send_email."), ())
    notes = offering.shelf("b").notes
    assert any("also a tool of 'a'" in note for note in notes)
    assert any("speaks of 'send_email'" in note for note in notes)
    assert {"mcp__a__send_email", "mcp__b__send_email"} <= set(registry.names())


def test_what_was_known_is_offered_at_the_next_start(registry: ToolRegistry, offering: Offering, tmp_path: Path):
    a = server("a")
    offering.apply(a, tools("a", go="Goes."), [Refused("bad", "no")])
    offering.remember(a, State("connected", since=5.0), speaks="2025-11-25", about="a 1")
    later = ToolRegistry()
    known = made(later, tmp_path).recall(a)
    assert known is not None and (known.state.name, known.speaks) == ("connected", "2025-11-25")
    assert later.get("mcp__a__go").schema == registry.get("mcp__a__go").schema  # type: ignore[union-attr]
    assert made(ToolRegistry(), tmp_path).recall(server("a", args=["other"])) is None


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"version": 1}', '{"version": 1, "identity": 3, "state": [], "tools": [4]}']
)
def test_a_damaged_memory_knows_nothing(registry: ToolRegistry, offering: Offering, tmp_path: Path, content: str):
    (tmp_path / "known").mkdir()
    (tmp_path / "known" / "a.json").write_text(content)
    assert offering.recall(server("a")) is None


def test_what_a_person_excludes_is_not_there(registry: ToolRegistry, offering: Offering):
    offering.apply(server("a", tools={"exclude": ["go"]}), tools("a", go="Goes.", stop="Stops."), ())
    assert list(registry.names()) == ["mcp__a__stop"]


def test_what_the_registry_refuses_is_told_as_the_servers_fault(registry: ToolRegistry, offering: Offering):
    raw = {"name": "bad", "description": "d", "inputSchema": {"type": "object", "properties": {"a": 3}}}
    said = offering.apply(server("a"), [*tools("a", go="Goes."), read_definition("a", raw)], ())
    assert "'bad'" in said and list(offering.shelf("a").offered) == ["mcp__a__go"] == list(registry.names())
