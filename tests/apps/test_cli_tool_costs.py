"""What tools cost, which of them wait behind the search, and what could be better about them."""

from __future__ import annotations

import json

MANY = """
from handiwork import registry

for number in range(40):
    registry.register(
        name=f"shelf_{number:02}", toolset="shelves", handler=lambda args, **_: {"stood": args},
        schema={"description": "Put a book of a certain colour on a shelf of the library. " * 2,
                "parameters": {"type": "object", "properties": {"book": {"type": "string"}}}},
    )
registry.register(
    name="paint_wall", toolset="shelves", handler=lambda args, **_: {"painted": args["colour"]},
    schema={"description": "Paint a wall in a colour.",
            "parameters": {"type": "object", "properties": {"colour": {"type": "string"}}, "required": ["colour"]}},
)
"""
SLOPPY = """
from handiwork import registry

registry.register(
    name="fetch_thing", toolset="sloppy", handler=lambda args, **_: {},
    schema={"description": "Fetch thing.", "parameters": {"type": "object", "properties": {
        "timeout": {"type": "integer", "description": "How long to wait"},
        "kind": {"type": "string", "description": "Either 'big' or 'small'"},
        "zeal": {"type": "number"}}}},
)
"""


def test_definitions_with_their_cost(cli, configure):
    configure("context_tokens: 100000\n")
    document = cli("tools", "definitions", "--cost", "--json").document
    assert document["total"] == sum(document["toolsets"].values()) == sum(t["tokens"] for t in document["tools"])
    assert {"read_file", "terminal"} <= {t["name"] for t in document["tools"]} and document["total"] > 500
    assert document["budget"] == 10_000 and document["deferred"] == {"tools": 0, "tokens": 0}
    text = cli("tools", "definitions", "--cost").out
    assert "read_file" in text and f"{document['total']:,}" in text and "of the context of 100,000" in text


def test_beyond_the_budget_tools_wait_behind_the_search(cli, configure, plugin):
    plugin("shelves", MANY)
    configure("tools_budget_tokens: 2700\ntoolsets: [handiwork-cli, shelves]\n")
    document = cli("tools", "definitions", "--cost", "--json").document
    assert document["deferred"]["tools"] == 41 and document["total"] <= 2700
    assert "tool_search" in {t["name"] for t in document["tools"]}
    assert "41 tools of" in cli("tools", "definitions", "--cost").out
    rows = {row["name"]: row for row in cli("tools", "list", "--json").document["tools"]}
    assert not rows["shelf_01"]["visible"] and rows["shelf_01"]["available"]
    assert "deferred by budget" in rows["shelf_01"]["reason"] and rows["tool_search"]["visible"]
    why = cli("why", "shelf_01", "--json")
    last = next(c for c in why.document["checkpoints"] if c["state"] == "no")
    assert why.code == 1 and last["name"] == "budget" and "tools_budget_tokens" in last["fix"]
    assert cli(*last["fix"].split()[1:]).code == 0
    assert cli("why", "shelf_01").code == 0


def test_an_agent_finds_a_deferred_tool_and_calls_it(cli, configure, plugin, script):
    plugin("shelves", MANY)
    configure("tools_budget_tokens: 2700\ntoolsets: [handiwork-cli, shelves]\n")
    model = script(
        {"calls": [{"name": "tool_search", "arguments": {"query": "paint the wall", "limit": 1}}]},
        {"calls": [{"name": "paint_wall", "arguments": {"colour": "red"}}]},
        {"calls": [{"name": "tool_call", "arguments": {"name": "shelf_07", "arguments": {"book": "Ulysses"}}}]},
        "done",
    )
    ran = cli("run", "go", "--model", model, "--yes", "--json")
    assert ran.code == 0
    assert ran.document["result"] == "done"
    assert [c["status"] for c in ran.document["calls"]] == ["ok"] * 3


def test_calling_by_hand(cli, configure, plugin):
    plugin("shelves", MANY)
    configure("tools_budget_tokens: 2700\ntoolsets: [handiwork-cli, shelves]\n")
    found = json.loads(cli("tools", "call", "tool_search", "query=paint the wall").out)
    assert found["tools"][0]["name"] == "paint_wall"
    ran = cli("tools", "call", "tool_call", '{"name": "paint_wall", "arguments": {"colour": "red"}}', "--yes")
    assert (ran.code, json.loads(ran.out)) == (0, {"painted": "red"})


def test_doctor_warns_of_tools_that_take_a_tenth_of_the_context(cli, configure):
    def cost(text):
        configure(text)
        return next(f for f in cli("doctor", "--json").document["findings"] if f["name"] == "cost")

    assert cost("context_tokens: 4000\n")["state"] == "warning"
    assert cost("context_tokens: 200000\n")["state"] == "ok"


def test_check_names_what_could_be_better(cli, plugin):
    plugin("sloppy", SLOPPY)
    ran = cli("tools", "check", "fetch_thing", "--json")
    found = {(p["where"], p["kind"]) for p in ran.document["tools"][0]["problems"]}
    assert ran.code == 1 and ran.document["problems"] == 4
    assert found == {("", "description"), ("timeout", "unit"), ("kind", "enum"), ("zeal", "parameter")}
    text = cli("tools", "check", "fetch_thing").out
    assert "timeout: is a quantity without a unit" in text and "fix:" in text
    assert cli("tools", "check", "nothing_of_the_kind").code == 2


def test_our_own_tools_have_no_problems(command):
    ran = command("tools", "check", "--json")
    assert {t["tool"]: t["problems"] for t in ran.document["tools"] if t["problems"]} == {}
    assert ran.code == 0 and len(ran.document["tools"]) >= 10
