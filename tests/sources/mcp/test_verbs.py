from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from handiwork.sources.mcp.definitions import fault_of
from handiwork.sources.mcp.registering import traits_of
from handiwork.sources.mcp.settings import read_servers
from handiwork.sources.mcp.verbs import verbs_of


def capabilities(**has: Any) -> Any:
    return SimpleNamespace(**{"resources": None, "prompts": None, "completions": None, **has})


def names(server: str, **has: Any) -> list[str]:
    return [definition.name for definition in verbs_of(server, capabilities(**has))]


def test_only_what_a_server_has_becomes_a_tool():
    assert names("s") == []
    assert names("s", resources=SimpleNamespace(subscribe=False)) == ["mcp__s__list_resources", "mcp__s__read_resource"]
    assert names("s", prompts=object()) == ["mcp__s__list_prompts", "mcp__s__get_prompt"]
    assert names("s", completions=object()) == ["mcp__s__complete"]


def test_a_resource_can_be_watched_where_the_server_tells_of_changes():
    for subscribe in (True, False):
        reader = verbs_of("s", capabilities(resources=SimpleNamespace(subscribe=subscribe)))[1]
        assert ("watch" in reader.parameters["properties"]) is subscribe
        settings = read_servers({"s": {"command": "x"}})[0]
        assert traits_of(settings, reader).read_only and not traits_of(settings, reader).touches


def test_a_tool_that_only_runs_as_a_task_is_refused_by_itself():
    raw = {"name": "t", "inputSchema": {"type": "object"}}
    assert fault_of({**raw, "execution": {"taskSupport": "optional"}}) is None
    fault = fault_of({**raw, "execution": {"taskSupport": "required"}})
    assert fault is not None and "only runs as a task" in fault.reason
