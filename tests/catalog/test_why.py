"""Why: the answers of the checkpoints that the supply itself asks."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from handiwork import ToolRegistry
from handiwork.catalog.checkpoints import CHECKPOINTS
from handiwork.catalog.gate import Closed
from handiwork.catalog.supply import Supply
from handiwork.catalog.toolsets import Toolsets
from handiwork.catalog.why import explain
from handiwork.core.handler import needs_agent
from handiwork.core.types import Requires


@pytest.fixture
def supply(registry):
    return Supply(registry, Toolsets(registry))


def test_a_visible_tool_passes_every_checkpoint(supply, add):
    add("t")
    story = explain(supply, "t", ["demo"])
    assert story.visible and story.stop is None
    assert [a.name for a in story.checkpoints] == [c.name for c in CHECKPOINTS]
    assert {a.name for a in story.checkpoints if a.state != "ok"} == {"bound", "sayable"}  # there is no agent
    assert "conftest.py:" in story.checkpoints[0].detail


def test_each_no_names_itself_and_the_mend_and_what_is_behind_it_isnt_asked(supply, add):
    add("t", toolset="demo")
    add("gated", requires_env=["HW_NOT_SET"])
    add("u", toolset="other")
    story = explain(supply, "u", ["demo"])
    assert story.stop.name == "enabled" and "tools enable other" in story.stop.fix
    behind = story.checkpoints[len(story.asked) :]
    assert behind and {a.state for a in behind} == {"not asked"}
    off = explain(supply, "t", ["demo"], ["demo"]).stop
    assert off.name == "not disabled" and "tools enable demo" in off.fix
    closed = explain(supply, "gated", ["demo"]).stop
    assert closed.name == "check" and "HW_NOT_SET" in closed.detail and "export HW_NOT_SET" in closed.fix


def test_a_check_tells_how_old_its_answer_is(supply, add):
    add("t", check_fn=lambda: False)
    assert "asked 0 s ago, again in 30 s" in explain(supply, "t", ["demo"]).stop.detail


def test_an_intruder_is_told_to_the_owner_with_what_would_let_it(supply, add):
    add("t")
    add("t", toolset="thief", origin="plugin:user/thief", override=True)
    story = explain(supply, "t", ["demo"])
    registered = next(a for a in story.checkpoints if a.name == "registered")
    assert story.visible and "plugin:user/thief" in registered.detail
    assert "plugins_override '[thief]'" in registered.detail


def test_refused_and_never_registered(supply, registry, add):
    registry.register(name="broken", toolset="d", schema={"parameters": "x"}, handler=lambda a: "")
    refused = explain(supply, "broken", None).stop
    assert refused.name == "registered" and "refused" in refused.detail and refused.fix
    add("weather")
    unknown = explain(supply, "wether", None).stop
    assert unknown.name == "found" and "did you mean weather" in unknown.fix
    assert "it is a toolset" in explain(supply, "demo", None).stop.detail


def test_sources_that_know_a_name_say_at_which_checkpoint_it_stopped(supply, registry):
    registry.whereabouts.append(lambda name: Closed("it is down", "start it", "loaded") if name == "far" else None)
    stop = explain(supply, "far", None).stop
    assert (stop.name, stop.detail, stop.fix) == ("loaded", "it is down", "start it")
    assert [a.state for a in explain(supply, "far", None).asked] == ["ok", "ok", "no"]
    assert explain(supply, "near", None).stop.name == "found"


def test_deferred_by_budget_says_how_to_call_it_and_how_to_raise_the_budget(registry, add):
    add("tool_search", toolset="tool_search")
    for number in range(10):
        add(f"many_{number}", toolset="many", text="Does one of many things that nobody asked for. " * 3)
    stop = explain(Supply(registry, Toolsets(registry), budget=100), "many_1", None).stop
    assert stop.name == "budget" and "tool_call with the name many_1" in stop.detail
    assert stop.fix.startswith("handiwork config set tools_budget_tokens ")
    assert explain(Supply(registry, Toolsets(registry), budget=int(stop.fix.split()[-1])), "many_1", None).visible
    assert explain(Supply(registry, Toolsets(registry)), "many_1", None).visible


def test_what_an_agent_lacks_or_a_provider_refuses_is_asked_where_there_is_one(supply, add):
    add("oracle", needs_agent("oracle", "it knows the future"))
    assert explain(supply, "oracle", None).visible
    assert explain(supply, "oracle", None, bound=()).stop.name == "bound"
    assert explain(supply, "oracle", None, bound=("oracle",)).visible
    assert explain(supply, "oracle", None, unsayable={"oracle": "odd"}).stop.name == "sayable"


NAMES = [f"t{n}" for n in range(6)] + ["tool_search"]
SETS = ["one", "two", "three"]
TOOL = st.fixed_dictionaries(
    {
        "toolset": st.sampled_from(SETS),
        "gate": st.sampled_from(["open", "no", "raises", "env", "bin", "platform"]),
        "words": st.integers(1, 60),
        "defer": st.booleans(),
        "agent": st.booleans(),
    }
)
GATES = {
    "open": {},
    "no": {"check_fn": lambda: False},
    "raises": {"check_fn": lambda: 1 / 0},
    "env": {"requires_env": ["HW_NOT_SET"]},
    "bin": {"requires": Requires(bins=("no-such-program-here",))},
    "platform": {"requires": Requires(platforms=("plan9",))},
}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    tools=st.dictionaries(st.sampled_from(NAMES), TOOL, max_size=7),
    enabled=st.none() | st.lists(st.sampled_from([*SETS, "all", "mixed"]), unique=True),
    disabled=st.lists(st.sampled_from([*SETS, "mixed"]), unique=True),
    denied=st.sets(st.sampled_from(NAMES)),
    budget=st.none() | st.integers(0, 300),
    bound=st.none() | st.sets(st.sampled_from(NAMES)),
)
def test_it_is_visible_exactly_where_the_supply_shows_it(tools, enabled, disabled, denied, budget, bound):
    registry = ToolRegistry()
    for name, tool in tools.items():
        text = "word " * tool["words"]
        registry.register(
            name,
            "tool_search" if name == "tool_search" else tool["toolset"],
            {"name": name, "description": text, "parameters": {"type": "object", "properties": {}}},
            needs_agent(name, "x") if tool["agent"] else lambda args: "",
            defer=tool["defer"],
            **GATES[tool["gate"]],
        )
    toolsets = Toolsets(registry)
    toolsets.create("mixed", "", ["t1", "tool_search"], ["three"])
    for name in SETS:
        registry.announce_toolset(name)
    supply = Supply(
        registry, toolsets, budget=budget, denial=lambda: lambda e: Closed("no") if e.name in denied else None
    )
    shown = {d["function"]["name"] for d in supply.definitions(enabled, disabled)}
    lacking = {n for n, tool in tools.items() if bound is not None and tool["agent"] and n not in bound}
    stories = {name: explain(supply, name, enabled, disabled, bound=bound) for name in NAMES}
    assert {name for name, story in stories.items() if story.visible} == shown - lacking
    assert all(story.stop.detail for story in stories.values() if story.stop)
    callable_names = supply.view(enabled, disabled).names
    waiting = {name for name, story in stories.items() if story.stop and "tool_call" in story.stop.detail}
    assert waiting == callable_names - shown - lacking
