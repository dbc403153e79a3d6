"""Deferred tools in an agent's session: found, shown from then on, called by their own names, judged as themselves."""

from __future__ import annotations

import asyncio
import json

import pytest

from handiwork.agent.loop import Agent
from handiwork.catalog.desk import Desk
from handiwork.catalog.supply import Supply
from handiwork.catalog.toolsets import Toolsets
from handiwork.core.errors import UnknownNameError
from handiwork.core.types import ALLOW, Ask, Forbid, Scope, ToolCall, Traits
from handiwork.pipeline.footprint import WORLD, footprint
from handiwork.pipeline.hooks import Hooks
from handiwork.pipeline.line import Pipeline
from handiwork.testing import ScriptedModel
from handiwork.tools import tool_search as shipped

NAMES = ("tool_search", "tool_describe", "tool_call")


@pytest.fixture
def tools(registry, add):
    """One core tool, the three, and thirty-one tools that a budget of 320 tokens leaves out."""
    for name in NAMES:
        entry = shipped.registry.get(name)
        registry.register(
            name=name, toolset=entry.toolset, schema=entry.schema, handler=entry.handler, traits=entry.traits
        )
    add("read_file", toolset="file")
    for number in range(30):
        add(f"thing_{number:02}", toolset="many", text="Does a thing of no interest to anybody. " * 3)
    add("paint", lambda args: {"painted": args["colour"]}, toolset="art", text="Paint a wall. " * 9,
        properties={"colour": {"type": "string"}, "coats": {"type": "integer"}}, required=("colour",))  # fmt: skip
    return registry


@pytest.fixture
def supply(tools):
    return Supply(tools, Toolsets(tools), budget=320)


@pytest.fixture
def session(supply, tools):
    """Runs scripted replies in an agent with a desk; gives its tool messages and the tools of each request."""

    def run(*replies, judge=lambda ready: ALLOW, hooks=None, checks=()):
        desk = Desk(supply, keeps=True)
        shown, inner = [], ScriptedModel(replies)

        class Spy:
            name = "spy"

            async def reply(self, request):
                shown.append([d["function"]["name"] for d in request.tools])
                return await inner.reply(request)

        agent = Agent(Spy(), Pipeline(tools, judge=judge, hooks=hooks), Scope(cwd="/", checks=checks),
            supply=desk.definitions, deferred=desk.deferred, bindings=desk.handlers())  # fmt: skip
        asyncio.run(agent.run("go"))
        said = [m["content"] for m in agent.conversation.messages if m["role"] == "tool"]
        return said, shown

    return run


def call(tool, /, **arguments):
    return {"calls": [{"name": tool, "arguments": arguments}]}


def test_what_is_found_is_shown_at_the_end_and_stays(session):
    said, shown = session(
        call("tool_search", query="paint the wall", limit=1), call("paint", colour="red"), call("read_file"), "done"
    )
    found = json.loads(said[0])
    assert [t["name"] for t in found["tools"]] == ["paint"] and "call them by their names" in found["note"]
    assert shown[0] == ["read_file", "tool_call", "tool_describe", "tool_search"]
    assert shown[1:] == [[*shown[0], "paint"]] * 3
    assert json.loads(said[1]) == {"painted": "red"}


def test_a_found_tool_comes_with_its_real_schema(supply, tools):
    desk = Desk(supply, keeps=True)
    desk.search({"query": "paint"}, scope=Scope())
    assert any(d["function"] is tools.get("paint").schema for d in desk.definitions())


def test_a_deferred_tool_can_be_called_by_a_model_that_knows_it(session):
    said, shown = session(call("paint", colour="blue"), "done")
    assert json.loads(said[0]) == {"painted": "blue"} and "paint" not in shown[1]


def test_tool_call_repairs_judges_and_tells_hooks_the_real_tool(session):
    judged, hooked = [], []
    hooks = Hooks()
    hooks.register("pre_tool_call", lambda **kw: hooked.append((kw["tool_name"], kw["args"])), source="test")
    said, _ = session(
        call("tool_call", name="paint", arguments={"colour": "red", "coats": "2"}),
        "done",
        judge=lambda ready: judged.append(ready.entry.name) or ALLOW,
        hooks=hooks,
    )
    assert json.loads(said[0]) == {"painted": "red"}
    assert judged == ["tool_call", "paint"]
    assert hooked[-1] == ("paint", {"colour": "red", "coats": 2})


@pytest.mark.parametrize("verdict", [Forbid("no paint here"), Ask("is paint all right?")])
def test_what_the_guard_refuses_is_refused_through_tool_call(session, verdict):
    said, _ = session(
        call("tool_call", name="paint", arguments={"colour": "red"}),
        "done",
        judge=lambda ready: verdict if ready.entry.name == "paint" else ALLOW,
    )
    assert "painted" not in said[0] and "paint" in json.loads(said[0])["error"]


def test_wrong_arguments_are_told_as_the_tool_itself_would(session):
    said, _ = session(call("tool_call", name="paint", arguments={}), "done")
    assert "colour" in json.loads(said[0])["error"]


def test_unknown_names_are_told_with_near_ones(session):
    said, _ = session(call("tool_call", name="pain"), call("tool_describe", name="tool_call"), "done")
    assert "paint" in said[0] and "error" in json.loads(said[1])


def test_describe_gives_the_whole_schema(session, tools):
    said, _ = session(call("tool_describe", name="paint"), "done")
    assert json.loads(said[0]) == json.loads(json.dumps(tools.get("paint").schema))


def test_repeating_through_tool_call_is_stopped_like_repeating(session):
    said, _ = session(*[call("tool_call", name="paint", arguments={"colour": "red"})] * 4, "done")
    assert ["painted" in text for text in said] == [True, True, True, False]


def test_only_what_was_granted_is_found_described_or_called(supply):
    desk = Desk(supply)
    scope = Scope(supplied=frozenset({"read_file", "thing_01", *NAMES}))
    found = desk.search({"query": "paint a wall or do a thing", "limit": 20}, scope=scope)
    assert [t["name"] for t in found["tools"]] == ["thing_01"]
    assert "tool_describe" in found["note"]
    with pytest.raises(UnknownNameError, match="paint"):
        desk.describe({"name": "paint"}, scope=scope)
    with pytest.raises(UnknownNameError, match="paint"):
        asyncio.run(desk.call({"name": "paint"}, scope=scope))


def test_nothing_found_says_what_to_do(supply):
    answer = Desk(supply).search({"query": "xqzvw"}, scope=Scope())
    assert answer["tools"] == [] and "other words" in answer["note"]


def test_what_was_shown_is_not_deferred_later(tools, supply, add):
    """A session's tools stay when others come and take the budget."""
    for number in range(30):
        tools.deregister(f"thing_{number:02}")
    roomy = Supply(tools, Toolsets(tools), budget=600)
    desk = Desk(roomy, keeps=True)
    assert "paint" in [d["function"]["name"] for d in desk.definitions()]
    for number in range(30):
        add(f"late_{number:02}", toolset="late", text="Does a thing of no interest to anybody. " * 3)
    add("dear", toolset="art", text="Costs the rest of it. " * 100)
    names = [d["function"]["name"] for d in desk.definitions()]
    assert "paint" in roomy.view(None).deferred and "paint" in names and "dear" not in names


def test_from_synchronous_code_too(tools, supply):
    pipeline = Pipeline(tools)
    scope = Scope(bindings=Desk(supply).handlers())
    result = pipeline.run(ToolCall("tool_call", {"name": "paint", "arguments": {"colour": "red"}}, scope=scope))
    assert result.status == "ok" and json.loads(result.text) == {"painted": "red"}


def test_a_call_of_another_tool_waits_its_turn(tools):

    entry = tools.get("tool_call")
    assert footprint(entry, {"name": "paint"}, Scope(cwd="/")) == WORLD
    assert entry.traits.resolved_effect() == "read" and isinstance(entry.traits, Traits)


def test_what_was_found_stands_in_the_order_of_finding(supply):
    desk = Desk(supply, keeps=True)
    desk.search({"query": "thing_07", "limit": 1}, scope=Scope())
    desk.search({"query": "paint", "limit": 1}, scope=Scope())
    names = [d["function"]["name"] for d in desk.definitions()]
    assert names[-2:] == ["thing_07", "paint"] == [*desk.found()]
    again = Desk(supply, keeps=True)
    again.remember([*desk.found(), "gone since"])
    assert again.definitions() == desk.definitions() and not {"paint", "thing_07"} & again.deferred()


def test_while_the_provider_loads_finds_nothing_moves(supply):
    loads = [True]
    desk = Desk(supply, keeps=True, loads=lambda: loads[0])
    shown, waiting = desk.definitions(), desk.waiting()
    assert [d["function"]["name"] for d in shown] == ["read_file", "tool_search"] and len(waiting) == 31
    found = [desk.search({"query": "paint a thing", "limit": 1}, scope=Scope())["tools"] for _ in range(2)]
    assert found[0][0]["name"] == "paint" != found[1][0]["name"]  # what the model has needn't be found again
    assert desk.definitions() == shown and desk.waiting() == waiting
    loads[0] = False  # another model goes on
    names = [d["function"]["name"] for d in desk.definitions()]
    assert names[:4] == ["read_file", "tool_call", "tool_describe", "tool_search"] and desk.waiting() == []
    assert names[4:] == [*desk.found()] and len(names) == 6
