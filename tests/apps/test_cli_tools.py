"""Tools listed, shown, called by hand, switched on and off."""

from __future__ import annotations

import json

import pytest

HINTED = """
from handiwork import tool

@tool(toolset="billing", search_hint="Rechnung")
def bill(customer: str) -> str:
    \"\"\"Bill a customer.\"\"\"
    return customer
"""
GATED = """
from handiwork import registry, tool

@tool(toolset="weather", requires_env=["HANDIWORK_TEST_WEATHER_KEY"])
def forecast(city: str) -> dict:
    \"\"\"The forecast for a city.\"\"\"
    return {"city": city}

@tool(toolset="weather", check_fn=lambda: False)
def radar() -> str:
    \"\"\"The radar picture.\"\"\"
    return "rain"
"""
FAULTY = """
import time
from handiwork import tool
from handiwork.core.types import Traits

@tool(toolset="faulty")
def breaks() -> str:
    \"\"\"Breaks.\"\"\"
    raise RuntimeError("the wheel came off")

@tool(toolset="faulty", traits=Traits(timeout_s=0.2))
def hangs() -> str:
    \"\"\"Hangs.\"\"\"
    time.sleep(1.5)
    return "late"

@tool(toolset="faulty")
async def awaits() -> str:
    \"\"\"Answers from a coroutine.\"\"\"
    return "awaited"
"""


def test_list_says_of_each_tool_whether_it_is_enabled_available_and_visible_and_why_not(cli, plugin):
    plugin("weather", GATED)
    document = cli("tools", "list", "--json").document
    rows = {row["name"]: row for row in document["tools"]}
    assert document["visible"] == sum(row["visible"] for row in rows.values()) > 5
    for row in rows.values():
        assert row["visible"] == (row["enabled"] and row["available"])
        assert (row["reason"] is None) == row["visible"] and (row["fix"] is None or not row["visible"])
    assert rows["read_file"]["visible"] and rows["forecast"]["enabled"]  # the person's own plugins are theirs to use
    few = {row["name"]: row for row in cli("tools", "list", "--toolsets", "file", "--json").document["tools"]}
    assert not few["forecast"]["enabled"] and few["forecast"]["fix"] == "handiwork tools enable weather"
    rows = {row["name"]: row for row in cli("tools", "list", "weather", "--json").document["tools"]}
    assert set(rows) == {"forecast", "radar"}
    assert rows["forecast"]["enabled"] and not rows["forecast"]["available"]
    assert "HANDIWORK_TEST_WEATHER_KEY" in rows["forecast"]["reason"] and rows["forecast"]["fix"]
    assert rows["radar"]["reason"] and rows["radar"]["fix"]


def test_list_has_the_three_columns(cli, plugin):
    plugin("weather", GATED)
    header, *lines = cli("tools", "list", "--toolsets", "file,weather").out.splitlines()
    assert header.split() == ["TOOL", "TOOLSET", "ENABLED", "AVAILABLE", "VISIBLE"]
    marks = {line.split()[0]: line.split()[2:5] for line in lines}
    assert marks["read_file"] == ["yes", "yes", "yes"] and marks["forecast"] == ["yes", "no", "no"]
    assert marks["terminal"] == ["no", "yes", "no"]
    assert all(len(line.split()) > 5 for line in lines)


def test_a_gate_that_opens_makes_the_tool_visible(cli, plugin, monkeypatch):
    plugin("weather", GATED)
    monkeypatch.setenv("HANDIWORK_TEST_WEATHER_KEY", "set")
    rows = cli("tools", "list", "--toolsets", "weather", "--json").document["tools"]
    assert next(row for row in rows if row["name"] == "forecast")["visible"]


def test_show_tells_parameters_and_limits(cli):
    ran = cli("tools", "show", "read_file")
    assert ran.code == 0 and "path" in ran.out and "required" in ran.out and "toolset file" in ran.out
    document = cli("tools", "show", "read_file", "--json").document
    assert document["schema"]["parameters"]["type"] == "object" and document["max_result_size_chars"] > 0


def test_show_tells_the_hint_that_no_definition_holds(cli, plugin):
    plugin("billing", HINTED)
    assert "found by: Rechnung" in cli("tools", "show", "bill").out
    assert cli("tools", "show", "bill", "--json").document["search_hint"] == "Rechnung"
    definitions = cli("tools", "definitions", "--toolsets", "billing").out
    assert "bill" in definitions and "Rechnung" not in definitions


def test_definitions_are_what_the_model_gets(cli):
    definitions = cli("tools", "definitions", "--toolsets", "file").document
    names = [d["function"]["name"] for d in definitions]
    assert names == sorted(names) and "read_file" in names and "terminal" not in names


@pytest.mark.parametrize("arguments", [['{"expression": "6*7"}'], ["expression=6*7"], ["--", "expression=6*7"]])
def test_arguments_are_an_object_or_pairs(cli, arguments):
    ran = cli("tools", "call", "calculate", *arguments)
    assert ran.code == 0 and ran.err == "" and "42" in ran.out


def test_pairs_are_coerced_as_for_the_model(cli, tmp_path):
    (tmp_path / "work" / "a.txt").write_text("one\ntwo\nthree\n")
    ran = cli("tools", "call", "read_file", "path=a.txt", "limit=1", "--json")
    assert ran.code == 0 and ran.document["status"] == "ok" and ran.document["duration_ms"] >= 0
    assert "one" in json.dumps(ran.document["content"]) and "three" not in json.dumps(ran.document["content"])


def test_a_handler_that_raises_or_hangs_is_exit_1(cli, plugin):
    plugin("faulty", FAULTY)
    ran = cli("tools", "call", "breaks")
    assert ran.code == 1 and "the wheel came off" in ran.out
    document = cli("tools", "call", "breaks", "--json").document
    assert document["status"] == "error" and document["exit_code"] == 1 and "wheel" in document["error"]
    ran = cli("tools", "call", "hangs", "--json")
    assert ran.code == 1 and "0.2 s" in ran.document["content"]["error"]
    assert "awaited" in cli("tools", "call", "awaits").out


def test_a_closed_gate_is_exit_1_and_says_what_opens_it(cli, plugin):
    plugin("weather", GATED)
    ran = cli("tools", "call", "forecast", "city=Oslo")
    assert ran.code == 1 and "HANDIWORK_TEST_WEATHER_KEY" in ran.err


def test_what_would_ask_is_denied_where_nobody_can_answer(cli, tmp_path):
    outside = tmp_path / "outside.txt"
    ran = cli("tools", "call", "write_file", f"path={outside}", "content=x")
    assert (ran.code, ran.out) == (5, "") and "--yes" in ran.err and not outside.exists()
    ran = cli("tools", "call", "write_file", f"path={outside}", "content=x", "--deny", "--json")
    assert ran.code == 5 and ran.document["by"] == "approval" and not outside.exists()
    ran = cli("tools", "call", "write_file", f"path={outside}", "content=x", "--yes")
    assert ran.code == 0 and outside.read_text() == "x"


def test_what_is_forbidden_stays_so_with_yes(cli):
    ran = cli("tools", "call", "terminal", "command=rm -rf /", "--yes")
    assert ran.code == 5 and "nobody can approve" in ran.err


def test_cwd_is_where_a_call_works(cli, tmp_path):
    there = tmp_path / "there"
    there.mkdir()
    assert cli("tools", "call", "write_file", "path=f", "content=x", "--cwd", str(there)).code == 0
    assert (there / "f").read_text() == "x"


def test_control_characters_of_a_tool_reach_a_program_as_they_are(cli, plugin):
    source = (
        'from handiwork import tool\n@tool(toolset="odd")\ndef bell() -> str:\n    """Bell."""\n    return "a\\x07b"\n'
    )
    plugin("odd", source)
    assert "a\x07b" in cli("tools", "call", "bell").out


# --------------------------------------------------------------------------------------------- switching


def visible(cli):
    return {row["toolset"] for row in cli("tools", "list", "--json").document["tools"] if row["visible"]}


def test_disable_and_enable_change_the_configuration_and_keep_comments(cli, configure):
    path = configure("# mine\nmax_steps: 9  # enough\n\n# models\nmodel: ollama/x\n")
    ran = cli("tools", "disable", "terminal")
    assert ran.code == 0 and str(path) in ran.out and "terminal" not in visible(cli)
    assert path.read_text() == (
        "# mine\nmax_steps: 9  # enough\n\n# models\nmodel: ollama/x\ndisabled_toolsets: [terminal]\n"
    )
    assert cli("tools", "disable", "terminal").out.endswith("(as it was)\n")
    assert cli("tools", "enable", "terminal").code == 0 and "terminal" in visible(cli)
    assert path.read_text().startswith("# mine\nmax_steps: 9  # enough\n")


def test_enable_adds_what_the_selection_has_not_and_keeps_the_rest(cli, plugin, monkeypatch):
    monkeypatch.setenv("HANDIWORK_TEST_WEATHER_KEY", "set")
    plugin("weather", GATED)
    cli("config", "set", "toolsets", "[file]")
    assert visible(cli) == {"file"}
    document = cli("tools", "enable", "weather", "--json").document
    assert document["toolsets"] == ["file", "weather"] and document["file"].endswith("config.yaml")
    assert visible(cli) == {"file", "weather"}
    cli("tools", "disable", "weather")
    assert visible(cli) == {"file"}


def test_enable_frees_a_toolset_from_a_disabled_group(cli):
    cli("tools", "disable", "debugging")
    assert not visible(cli) & {"file", "terminal"}
    cli("tools", "enable", "terminal")
    assert "terminal" in visible(cli) and "file" not in visible(cli)
    cli("tools", "enable", "file")
    assert {"file", "terminal"} <= visible(cli)


def test_disable_by_another_name_disables(cli):
    assert cli("tools", "disable", "terminal_tools").code == 0
    assert "terminal" not in visible(cli)


def test_toolsets_are_listed_shown_and_created(cli):
    rows = {row["name"]: row for row in cli("toolsets", "list", "--json").document["toolsets"]}
    assert rows["debugging"]["kind"] == "composite" and rows["file"]["kind"] == "atomic" and "all" in rows
    assert "patch" in cli("toolsets", "show", "debugging").out
    ran = cli("toolsets", "create", "mine", "--tools", "calculate", "--includes", "todo", "--description", "My own")
    assert ran.code == 0 and ran.err == ""
    shown = cli("toolsets", "show", "mine", "--json").document
    assert shown["tools"] == ["calculate", "todo"] and shown["description"] == "My own"
    assert [d["function"]["name"] for d in cli("tools", "definitions", "--toolsets", "mine").document] == [
        "calculate", "todo",
    ]  # fmt: skip
    ran = cli("toolsets", "create", "second", "--tools", "not_here")
    assert ran.code == 0 and "not_here" in ran.err
    assert {"mine", "second"} <= {row["name"] for row in cli("toolsets", "list", "--json").document["toolsets"]}
