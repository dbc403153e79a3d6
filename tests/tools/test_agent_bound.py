"""Tools that an agent binds: without one they say so, in the way the agent and embedders look for."""

import json

import pytest

import handiwork.tools.clarify
import handiwork.tools.memory
import handiwork.tools.todo
from handiwork import registry


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("todo", {}),
        ("clarify", {"question": "Which one?"}),
        ("memory", {"action": "list", "target": "user"}),
    ],
)
def test_without_an_agent_they_say_so(name, args):
    answer = json.loads(registry.dispatch(name, args))
    assert answer["internal_tool"] is True and "needs an agent" in answer["error"]
    assert registry.get(name).toolset == name


def test_lists_are_bounded():
    for module in (handiwork.tools.todo, handiwork.tools.clarify):
        name = module.__name__.rpartition(".")[2]
        properties = registry.get(name).parameters["properties"]
        lists = [p for p in properties.values() if p["type"] == "array"]
        assert lists and all(p["maxItems"] for p in lists)
    assert registry.get("memory").parameters["properties"]["action"]["enum"] == ["add", "replace", "remove", "list"]
