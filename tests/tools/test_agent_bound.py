"""Tools that an agent binds: without one they say so, in the way the agent and embedders look for."""

import json

import pytest

import handiwork.tools.clarify
import handiwork.tools.delegation
import handiwork.tools.memory
import handiwork.tools.session_search
import handiwork.tools.skills
import handiwork.tools.todo
from handiwork import registry
from handiwork.catalog.cost import Prices

SKILLS = ("skills_list", "skill_view", "skill_manage")


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("todo", {}),
        ("clarify", {"question": "Which one?"}),
        ("memory", {"action": "list", "target": "user"}),
        ("session_search", {"query": "x"}),
        ("delegate_task", {"tasks": [{"task": "x"}]}),
        ("skills_list", {}),
        ("skill_view", {"name": "x"}),
        ("skill_manage", {"action": "delete", "name": "x"}),
    ],
)
def test_without_an_agent_they_say_so(name, args):
    answer = json.loads(registry.dispatch(name, args))
    assert answer["internal_tool"] is True and "needs an agent" in answer["error"]


def test_their_toolsets():
    toolsets = {"delegate_task": "delegation", **dict.fromkeys(("skills_list", "skill_view", "skill_manage"), "skills")}
    for name in ("todo", "clarify", "memory", "session_search", *toolsets):
        assert registry.get(name).toolset == toolsets.get(name, name)


def test_what_they_cost_stays_small():
    most = {"memory": 160, "session_search": 170, "delegate_task": 260}
    prices = {name: Prices().of(registry.get(name).schema) for name in (*most, *SKILLS)}
    assert all(prices[name] <= most[name] for name in most), prices
    assert sum(prices[name] for name in SKILLS) <= 300, prices


def test_lists_are_bounded():
    for module in (handiwork.tools.todo, handiwork.tools.clarify):
        name = module.__name__.rpartition(".")[2]
        properties = registry.get(name).parameters["properties"]
        lists = [p for p in properties.values() if p["type"] == "array"]
        assert lists and all(p["maxItems"] for p in lists)
    assert registry.get("memory").parameters["properties"]["action"]["enum"] == ["add", "replace", "remove", "list"]
