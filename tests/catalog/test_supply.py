"""Definitions: selection, gates, freshness, freezing, text about absent tools."""

from __future__ import annotations

import copy
import json

import pytest

from handiwork import ToolRegistry
from handiwork.catalog.checkpoints import SUPPLIED, first_no
from handiwork.catalog.gate import Gate
from handiwork.catalog.supply import Supply, without_mentions
from handiwork.catalog.toolsets import Toolsets
from handiwork.testing import FakeClock


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
def registry(clock):
    return ToolRegistry(gate=Gate(clock))


@pytest.fixture
def supply(registry, clock):
    return Supply(registry, Toolsets(registry), clock)


def names(definitions):
    return [d["function"]["name"] for d in definitions]


def test_sorted_and_in_openai_form(supply, add):
    for name in ("zeta", "alpha", "mid"):
        add(name)
    definitions = supply.definitions(["demo"])
    assert names(definitions) == ["alpha", "mid", "zeta"]
    assert definitions[0]["type"] == "function"
    assert set(definitions[0]["function"]) == {"name", "description", "parameters"}


def test_enable_and_disable_are_independent(supply, add):
    add("a", toolset="one")
    add("b", toolset="two")
    assert names(supply.definitions(["one", "two"], ["one"])) == ["b"]
    assert names(supply.definitions(None)) == ["a", "b"]
    assert names(supply.definitions(None, ["two"])) == ["a"]
    assert names(supply.definitions([])) == []


def test_one_name_may_be_given_as_text(supply, add):
    add("a", toolset="one")
    assert names(supply.definitions("one")) == ["a"]


def test_the_same_object_until_something_changes(supply, add):
    add("a")
    first = supply.definitions(["demo"])
    assert supply.definitions(["demo"]) is first
    add("b")
    assert names(supply.definitions(["demo"])) == ["a", "b"]


def test_a_flipped_gate_shows_within_its_time(supply, add, clock):
    state = {"on": False}
    add("gated", check_fn=lambda: state["on"])
    add("free")
    assert names(supply.definitions(["demo"])) == ["free"]
    state["on"] = True
    clock.advance(30.1)
    assert names(supply.definitions(["demo"])) == ["free", "gated"]
    state["on"] = False
    clock.advance(30.1)
    assert names(supply.definitions(["demo"])) == ["free"]


def test_an_environment_variable_shows_within_a_second(supply, add, clock, monkeypatch):
    add("gated", requires_env=["HW_X"])
    assert names(supply.definitions(["demo"])) == []
    monkeypatch.setenv("HW_X", "1")
    clock.advance(1.1)
    assert names(supply.definitions(["demo"])) == ["gated"]


def test_gates_asked_again_with_the_same_answer_keep_the_object(supply, add, clock):
    add("gated", check_fn=lambda: True)
    first = supply.definitions(["demo"])
    clock.advance(31)
    assert supply.definitions(["demo"]) is first


def test_nobody_can_spoil_the_cache_and_everybody_can_read_it(supply, add):
    add("a", properties={"x": {"type": "array", "items": {"type": "string"}}})
    definitions = supply.definitions(["demo"])
    for spoil in (
        definitions.clear,
        lambda: definitions.append(1),
        lambda: definitions[0].update(x=1),
        lambda: definitions[0]["function"]["parameters"]["properties"].pop("x"),
        lambda: definitions[0]["function"].__setitem__("name", "spoilt"),
        definitions.sort,
    ):
        with pytest.raises(TypeError, match="frozen"):
            spoil()
    assert json.loads(json.dumps(definitions)) == definitions
    mine = copy.deepcopy(definitions)
    mine[0]["function"]["name"] = "mine"
    assert {**definitions[0]}["function"]["name"] == "a" and isinstance(definitions, list)


def test_dynamic_overrides_are_merged_shallowly_and_always_fresh(supply, add):
    limit = {"n": 3}
    add("a", dynamic_schema_overrides=lambda: {"description": f"At most {limit['n']}."})
    assert supply.definitions(["demo"])[0]["function"]["description"] == "At most 3."
    limit["n"] = 5
    after = supply.definitions(["demo"])[0]["function"]
    assert after["description"] == "At most 5." and after["parameters"]["type"] == "object"


def test_text_about_an_absent_tool_disappears(supply, add):
    text = "Opens a page. For plain facts use web_search instead. Waits 5 s."
    add("browse", text=text, toolset="browser")
    add("web_search", toolset="web")
    both = supply.definitions(["browser", "web"])
    alone = supply.definitions(["browser"])
    assert both[0]["function"]["description"] == text
    assert alone[0]["function"]["description"] == "Opens a page. Waits 5 s."


def test_text_in_parameters_and_in_backticks_counts_too(supply, add):
    add(
        "browse",
        toolset="browser",
        properties={"url": {"type": "string", "description": "A page.\nFrom `lookup`, if there."}},
    )
    add("lookup", toolset="web")
    url = supply.definitions(["browser"])[0]["function"]["parameters"]["properties"]["url"]
    assert url["description"] == "A page."


def test_a_tool_is_never_left_without_a_description():
    schema = {"description": "Like web_search, for pictures."}
    assert without_mentions(schema, frozenset({"web_search"}))["description"] == "Like another tool, for pictures."


def test_words_that_only_look_alike_stay(supply, add):
    add("browse", toolset="browser", text="Give a web_search_query. Use file_path.")
    add("web_search", toolset="web")
    assert "web_search_query" in supply.definitions(["browser"])[0]["function"]["description"]


# ------------------------------------------------------------------------------------------- budget


@pytest.fixture
def search_tools(add):
    for name in ("tool_search", "tool_describe", "tool_call"):
        add(name, toolset="tool_search")


def budgeted(registry, clock, budget):
    return Supply(registry, Toolsets(registry), clock, budget=budget)


def fill(add, count=20):
    add("core", toolset="file")
    for number in range(count):
        add(f"many_{number:02}", toolset="many", text="Does one of many things that nobody asked for. " * 3)


def stop_of(view, entry):
    stop = first_no(SUPPLIED, view.facts, entry)
    return stop and stop.no


def test_without_a_budget_nothing_is_deferred_and_the_search_stays_away(supply, add, search_tools):
    fill(add)
    view = supply.view(None)
    assert len(view.definitions) == 21 and not view.deferred
    assert view.names == frozenset(names(view.definitions))
    assert stop_of(view, supply.registry.get("tool_search")).reason.startswith("shown only while")


def test_within_the_budget_the_definitions_are_those_without_one(supply, registry, clock, add, search_tools):
    fill(add)
    assert json.dumps(budgeted(registry, clock, 100_000).definitions(None)) == json.dumps(supply.definitions(None))


def test_beyond_the_budget_the_rest_stands_behind_the_search(registry, clock, add, search_tools):
    fill(add)
    supply = budgeted(registry, clock, 300)
    view = supply.view(None)
    assert names(view.definitions) == ["core", "tool_call", "tool_describe", "tool_search"]
    assert set(view.deferred) == {f"many_{n:02}" for n in range(20)}
    assert view.deferred["many_00"]["function"]["name"] == "many_00"
    assert len(view.names) == 24
    absent = stop_of(view, registry.get("many_00"))
    assert "deferred by budget" in absent.reason and "tools_budget_tokens" in absent.fix
    raised = int(absent.fix.split()[-1])
    assert not budgeted(registry, clock, raised).view(None).deferred
    assert budgeted(registry, clock, raised - 1).view(None).deferred
    assert stop_of(view, registry.get("core")) is None


def test_nothing_is_deferred_where_nothing_could_find_it(registry, clock, add):
    fill(add)
    view = budgeted(registry, clock, 300).view(None)
    assert len(view.definitions) == 21 and not view.deferred


def test_the_same_view_while_nothing_changes(registry, clock, add, search_tools):
    fill(add)
    supply = budgeted(registry, clock, 300)
    assert supply.view(["all"]) is supply.view(["all"])


@pytest.mark.parametrize("override", [lambda: 1 / 0, lambda: 7, lambda: "text"])
def test_an_override_that_fails_costs_nobody_a_tool(supply, add, override, caplog):
    add("a", dynamic_schema_overrides=override)
    add("b")
    definitions = supply.definitions(["demo"])
    assert names(definitions) == ["a", "b"] and definitions[0]["function"]["description"] == "Does a."
    assert "dynamic_schema_overrides of a failed" in caplog.text
