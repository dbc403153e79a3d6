"""Why: the chain of checkpoints, from the same resolver."""

from __future__ import annotations

import pytest

from handiwork.catalog.supply import Supply
from handiwork.catalog.toolsets import Toolsets
from handiwork.catalog.why import Wells, explain


@pytest.fixture
def supply(registry):
    return Supply(registry, Toolsets(registry))


def last(story):
    return story.checkpoints[-1]


def test_visible(supply, add):
    add("t")
    story = explain(supply, "t", ["demo"])
    assert story.visible and story.checkpoints[0].question == "registered"
    assert "test_" in story.checkpoints[0].detail or "conftest.py:" in story.checkpoints[0].detail


def test_each_no_names_itself_and_the_mend(supply, add, registry):
    add("t", toolset="demo")
    add("gated", requires_env=["HW_NOT_SET"])
    add("u", toolset="other")
    assert last(explain(supply, "u", ["demo"])).question == "enabled"
    assert "tools enable other" in last(explain(supply, "u", ["demo"])).fix
    off = last(explain(supply, "t", ["demo"], ["demo"]))
    assert off.question == "not disabled" and "tools enable demo" in off.fix
    closed = last(explain(supply, "gated", ["demo"]))
    assert closed.question == "check" and "HW_NOT_SET" in closed.detail and "export HW_NOT_SET" in closed.fix


def test_a_check_tells_how_old_its_answer_is(supply, add):
    add("t", check_fn=lambda: False)
    assert "asked 0 s ago" in last(explain(supply, "t", ["demo"])).detail


def test_an_intruder_is_told_to_the_owner(supply, add):
    add("t")
    add("t", toolset="thief", origin="plugin:user/thief")
    story = explain(supply, "t", ["demo"])
    assert story.visible and any("plugin:user/thief" in c.detail for c in story.checkpoints)


def test_refused_and_never_registered(supply, registry, add):
    registry.register(name="broken", toolset="d", schema={"parameters": "x"}, handler=lambda a: "")
    assert "refused" in last(explain(supply, "broken", None)).detail
    add("weather")
    unknown = last(explain(supply, "wether", None))
    assert not unknown.passed and "did you mean weather" in unknown.fix


def test_files_that_failed_or_register_nothing(supply):
    wells = Wells({"plugins/tide.py": "ModuleNotFoundError: x"}, ("plugins/quiet.py",))
    assert "ModuleNotFoundError" in last(explain(supply, "tide", None, (), wells)).detail
    assert "no top-level registration" in last(explain(supply, "quiet", None, (), wells)).detail


def test_it_agrees_with_what_is_shown(supply, add):
    add("a", toolset="one")
    add("b", toolset="two", check_fn=lambda: False)
    add("c", toolset="two")
    for enabled in (None, ["one"], ["one", "two"], ["two"]):
        for disabled in ((), ("one",), ("two",)):
            shown = {d["function"]["name"] for d in supply.definitions(enabled, disabled)}
            told = {n for n in "abc" if explain(supply, n, enabled, disabled).visible}
            assert shown == told


def test_deferred_by_budget_says_how_to_raise_it(registry, add):
    add("tool_search", toolset="tool_search")
    for number in range(10):
        add(f"many_{number}", toolset="many", text="Does one of many things that nobody asked for. " * 3)
    story = explain(Supply(registry, Toolsets(registry), budget=100), "many_1", None)
    assert not story.visible and last(story).question == "budget"
    assert "deferred by budget" in last(story).detail
    assert last(story).fix.startswith("handiwork config set tools_budget_tokens ")
    assert explain(Supply(registry, Toolsets(registry)), "many_1", None).visible
