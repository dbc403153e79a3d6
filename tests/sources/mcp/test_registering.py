from __future__ import annotations

from typing import Any

import pytest

from handiwork import ToolRegistry
from handiwork.catalog.toolsets import Toolsets
from handiwork.core.types import ToolCall
from handiwork.guard.policies import policy
from handiwork.pipeline.line import Pipeline
from handiwork.sources.mcp.definitions import Definition, read_definition
from handiwork.sources.mcp.registering import announce, is_wanted, register, touches_of
from handiwork.sources.mcp.settings import ServerSettings, read_servers


def settings(name: str = "s", **entry: Any) -> ServerSettings:
    return read_servers({name: {"command": "x", **entry}})[0]


def tools(*names: str, **more: Any) -> dict[str, Definition]:
    found = [read_definition("s", {"name": n, "inputSchema": {"type": "object"}, **more}) for n in names]
    return {d.name: d for d in found}


def put(registry: ToolRegistry, found: dict[str, Definition], **entry: Any) -> None:
    register(registry, settings(**entry), found, lambda d: lambda args: f"ran {d.tool}")


def test_the_registry_holds_what_the_server_lists_now(registry: ToolRegistry):
    put(registry, tools("a", "b"))
    generation = registry.generation
    put(registry, tools("b", "c"))
    assert sorted(registry.names()) == ["mcp__s__b", "mcp__s__c"] and registry.generation > generation
    entry = registry.get("mcp__s__b")
    assert entry is not None and (entry.toolset, entry.origin) == ("mcp-s", "mcp:s")


def test_a_server_cannot_take_the_name_of_a_tool_of_ours(registry: ToolRegistry):
    registry.register("mcp__s__a", "own", {"description": "Ours."}, lambda args: "ours")
    put(registry, tools("a", "b"))
    assert registry.get("mcp__s__a").toolset == "own"  # type: ignore[union-attr]
    assert registry.rejections("mcp__s__a") and registry.get("mcp__s__b")


def test_a_toolset_can_be_enabled_before_it_is_there(registry: ToolRegistry):
    announce(registry, "github")
    toolsets = Toolsets(registry)
    assert toolsets.resolve("mcp-github") == toolsets.resolve("github") == []
    assert not toolsets.expand(("github",)).missing


@pytest.mark.parametrize("name", ["file", "terminal", "memory", "web", "all", "debugging", "search", "hermes-cli"])
def test_the_name_of_a_server_takes_no_toolset_of_ours(registry: ToolRegistry, name: str):
    announce(registry, name)
    assert name not in registry.aliases() and registry.is_announced(f"mcp-{name}")


def test_only_what_is_wanted():
    chosen = settings(tools={"include": ["read_*", "list"], "exclude": ["read_secret"]})
    assert [t for t in ("read_a", "list", "read_secret", "write") if is_wanted(chosen, t)] == ["read_a", "list"]
    assert is_wanted(settings(), "anything")


HINTS = {"readOnlyHint": True, "idempotentHint": True}


@pytest.mark.parametrize(("trust", "effect"), [(False, "write"), (True, "read")])
def test_hints_count_only_where_the_person_trusts_them(registry: ToolRegistry, trust: bool, effect: str):
    put(registry, tools("look", annotations=HINTS), trust=trust)
    entry = registry.get("mcp__s__look")
    assert entry is not None and entry.traits.resolved_effect() == effect
    reads = Pipeline(registry, judge=policy("read-only"))
    assert reads.run(ToolCall("mcp__s__look")).is_error is not trust


def test_a_server_that_the_person_chose_is_called_unasked_unless_it_destroys(registry: ToolRegistry):
    pipeline = Pipeline(registry, judge=policy())
    put(registry, tools("do", annotations={"destructiveHint": False}))
    assert pipeline.run(ToolCall("mcp__s__do")).content == "ran do"
    for hints in ({"destructiveHint": True}, {"destructiveHint": True, "readOnlyHint": True}):
        put(registry, tools("do", annotations=hints))
        assert "may not be undone" in pipeline.run(ToolCall("mcp__s__do")).content
    put(registry, tools("do", annotations={"destructiveHint": True}), trust=True)
    assert pipeline.run(ToolCall("mcp__s__do")).content == "ran do"


def properties(*names: str, **schemas: Any) -> dict[str, Any]:
    return {"properties": {**{n: {"type": "string"} for n in names}, **schemas}}


def test_arguments_are_known_by_their_names():
    texts = {"type": "array", "items": {"type": "string"}}
    found = touches_of(properties("path", "url", "command", "message", paths=texts), local=True)
    assert found == {"path": "path", "url": "url", "command": "command", "paths": "path"}
    assert touches_of(properties("source", "destination"), local=True) == {"source": "path", "destination": "path"}
    assert touches_of(properties("source", path={"type": "integer"}), local=True) == {}
    assert touches_of(properties("path", "url"), local=False) == {"url": "url"}


def test_a_path_of_a_server_on_this_machine_is_judged_as_any(registry: ToolRegistry):
    put(registry, tools("save", inputSchema=properties("path")))
    refused = Pipeline(registry, judge=policy()).run(ToolCall("mcp__s__save", {"path": "/etc/shadow"}))
    assert refused.status == "refused"
