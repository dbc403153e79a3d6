from __future__ import annotations

import pytest

from handiwork.sources.mcp.definitions import fault_of
from handiwork.sources.mcp.registering import traits_of
from handiwork.sources.mcp.settings import read_servers
from handiwork.sources.mcp.verbs import verbs_of


def names(server: str, *has: str) -> list[str]:
    return [definition.name for definition in verbs_of(server, has, can_watch=False)]


def test_only_what_a_server_has_becomes_a_tool():
    assert names("s") == []
    assert names("s", "resources") == ["mcp__s__list_resources", "mcp__s__read_resource"]
    assert names("s", "prompts") == ["mcp__s__list_prompts", "mcp__s__get_prompt"]
    assert names("s", "completions") == ["mcp__s__complete"]


@pytest.mark.parametrize("can_watch", [True, False])
def test_a_resource_can_be_watched_where_the_server_tells_of_changes(can_watch: bool):
    reader = verbs_of("s", ("resources",), can_watch=can_watch)[1]
    assert ("watch" in reader.parameters["properties"]) is can_watch
    settings = read_servers({"s": {"command": "x"}})[0]
    assert traits_of(settings, reader).read_only and not traits_of(settings, reader).touches


def test_a_tool_that_only_runs_as_a_task_is_refused_by_itself():
    raw = {"name": "t", "inputSchema": {"type": "object"}}
    assert fault_of({**raw, "execution": {"taskSupport": "optional"}}) is None
    fault = fault_of({**raw, "execution": {"taskSupport": "required"}})
    assert fault is not None and "only runs as a task" in fault.reason
