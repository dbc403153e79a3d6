"""Toolsets: atomic, composite, scenario, presets, custom, aliases, unknown names."""

from __future__ import annotations

import pytest

from handiwork.catalog.presets import ALIASES, COMPOSITES
from handiwork.catalog.toolsets import Toolsets
from handiwork.core.errors import UnknownNameError, UsageError


@pytest.fixture
def toolsets(registry, add):
    for name, toolset in [("read_file", "file"), ("terminal", "terminal"), ("process", "terminal"), ("search", "web")]:
        add(name, toolset=toolset)
    return Toolsets(registry)


def test_atomic_is_what_says_it_belongs(toolsets):
    assert toolsets.resolve("terminal") == ["process", "terminal"]


def test_scenarios(toolsets):
    assert toolsets.resolve("debugging") == ["process", "read_file", "search", "terminal"]
    assert toolsets.resolve("safe") == ["search"]
    assert toolsets.resolve("all") == ["process", "read_file", "search", "terminal"]


@pytest.mark.parametrize(
    "face", ["cli", "telegram", "discord", "feishu", "slack", "gateway", "acp", "api-server", "cron", "webhook"]
)
def test_every_face_has_a_preset_and_its_old_name(toolsets, face):
    assert toolsets.resolve(f"handiwork-{face}") == toolsets.resolve(f"hermes-{face}") != []


def test_strangers_get_no_commands_and_no_files(toolsets):
    assert toolsets.resolve("handiwork-webhook") == ["search"]


def test_presets_name_toolsets_never_tools():
    assert all(not t.tools for t in COMPOSITES.values())


def test_aliases_lead_to_something():
    assert set(ALIASES.values()) <= set(COMPOSITES) | {n for t in COMPOSITES.values() for n in t.includes}


def test_nested_diamonds_and_cycles(toolsets):
    toolsets.create("a", "", ["search"], ["b", "c"])
    toolsets.create("b", "", [], ["d"])
    toolsets.create("c", "", [], ["d", "a"])
    toolsets.create("d", "", [], ["file", "a"])
    assert toolsets.resolve("a") == toolsets.resolve("d") == ["read_file", "search"]


def test_a_composite_and_an_atomic_of_one_name_join(toolsets, add):
    add("x", toolset="mine")
    toolsets.create("mine", "", ["search"], [])
    assert toolsets.resolve("mine") == ["search", "x"]


def test_run_time_alias(toolsets, registry, add):
    add("mcp__github__issue", toolset="mcp-github")
    registry.register_toolset_alias("github", "mcp-github")
    assert toolsets.resolve("github") == ["mcp__github__issue"]


@pytest.mark.parametrize(("wrong", "near"), [("terminl", "terminal"), ("debuging", "debugging"), ("flie", "file")])
def test_unknown_names_are_errors_with_suggestions(toolsets, wrong, near):
    with pytest.raises(UnknownNameError) as error:
        toolsets.resolve(wrong)
    assert near in error.value.hint


def test_a_tool_named_as_a_toolset_is_told_so(toolsets):
    with pytest.raises(UnknownNameError, match="unknown toolset: 'read_file'") as error:
        toolsets.resolve("read_file")
    assert "its toolset is 'file'" in error.value.hint


def test_shipped_toolsets_without_a_tool_here_are_known_but_empty(toolsets):
    assert toolsets.resolve("homeassistant") == []


def test_what_a_custom_set_misses_is_told(toolsets):
    toolsets.create("mine", "", ["search", "no_tool"], ["no_set"])
    assert toolsets.expand(("mine",)).missing == {"no_tool", "no_set"}
    assert toolsets.resolve("mine") == ["search"]


@pytest.mark.parametrize("taken", ["debugging", "all", "hermes-cli", ""])
def test_shipped_names_cannot_be_taken(toolsets, taken):
    with pytest.raises(UsageError):
        toolsets.create(taken, "", [], [])


def test_rings_of_aliases_end(toolsets, registry):
    registry.register_toolset_alias("p", "q")
    registry.register_toolset_alias("q", "p")
    with pytest.raises(UnknownNameError):
        toolsets.resolve("p")
