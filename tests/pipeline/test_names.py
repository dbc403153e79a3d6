"""Names as models write them: repaired only where they can mean one tool."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handiwork.pipeline.names import names_meant

KNOWN = ("read_file", "write_file", "terminal", "tool_search", "search_files", "mcp__git__status", "todo")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("read_fileread_file", ["read_file"]),
        ("functions.read_file", ["read_file"]),
        ("default_api:terminal", ["terminal"]),
        ("tools/todo", ["todo"]),
        ("read_file<|channel|>commentary", ["read_file"]),
        ("`terminal`", ["terminal"]),
        ("terminal()", ["terminal"]),
        (" terminal\n", ["terminal"]),
        ("ReadFile", ["read_file"]),
        ("read-file", ["read_file"]),
        ("READ_FILE", ["read_file"]),
        ("terminal_tool", ["terminal"]),
        ("TodoTool", ["todo"]),
        ("search", []),
        ("read_fle", []),
        ("", []),
        ("tool", []),
        ("rm -rf /", []),
        ("terminal; rm", []),
        ("a" * 5_000, []),
    ],
)
def test_what_a_name_means(written, meant):
    assert names_meant(written, KNOWN) == meant


def test_what_can_mean_two_is_not_decided():
    assert sorted(names_meant("readfile", ("read_file", "readFile"))) == ["readFile", "read_file"]
    assert names_meant("SearchFiles", ("search_files", "search-files")) == ["search_files", "search-files"]


@given(st.text(max_size=80))
def test_it_never_invents_a_name(written):
    assert set(names_meant(written, KNOWN)) <= set(KNOWN)


def test_the_line_takes_a_certain_name_and_says_so(add, run):
    add("read_file", properties={"path": {"type": "string"}}, required=["path"])
    result = run("ReadFile", {"path": "a"})
    assert result.status == "ok" and result.call.name == "read_file"


def test_a_name_is_never_repaired_into_a_tool_that_was_not_supplied(add, run):
    add("read_file")
    assert run("ReadFile", supplied=frozenset({"other"})).by == "supply"


def test_an_unknown_name_is_answered_with_a_right_call(add, run):
    add("read_file", properties={"path": {"type": "string"}}, required=["path"])
    hint = json.loads(run("read_fil").content)["hint"]
    assert "did you mean read_file?" in hint and '{"path": "..."}' in hint


def test_where_nothing_is_near_the_tools_are_listed(add, run):
    add("alpha")
    assert "the tools are: alpha" in json.loads(run("zzz").content)["hint"]
