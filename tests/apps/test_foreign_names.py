"""Names of other agents: one table, there and back."""

from __future__ import annotations

import pytest

from handiwork import registry
from handiwork.apps import house
from handiwork.apps.foreign_names import OURS, TOOLS, to_foreign, to_ours

PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** Delete File: b/c.py\n*** End Patch"


@pytest.mark.parametrize(
    ("tool", "args", "name", "told"),
    [
        ("terminal", {"command": "ls", "timeout": 2}, "Bash", {"command": "ls", "timeout": 2000}),
        ("write_file", {"path": "a", "content": "x"}, "Write", {"file_path": "/w/a", "content": "x"}),
        ("read_file", {"path": "/etc/x"}, "Read", {"file_path": "/etc/x"}),
        ("read_file", {"path": "../x"}, "Read", {"file_path": "/x"}),
        ("search_files", {"pattern": "x", "path": "s"}, "Grep", {"pattern": "x", "path": "/w/s"}),
        ("search_files", {"pattern": "*.py", "target": "files"}, "Glob", {"pattern": "*.py", "target": "files"}),
        ("mcp__gh__create", {"path": "kept"}, "mcp__gh__create", {"path": "kept"}),
    ],
)
def test_a_call_as_others_write_it_and_back(tool, args, name, told):
    assert to_foreign(tool, args, "/w") == [(name, told)]
    assert to_ours(tool, told).keys() == args.keys()


def test_every_file_of_a_patch_is_a_call():
    calls = to_foreign("patch", {"patch": PATCH}, "/w")
    assert [(name, told["file_path"]) for name, told in calls] == [("Edit", "/w/a.py"), ("Edit", "/w/b/c.py")]


def test_an_edit_keeps_its_texts():
    args = {"path": "a", "old_string": "x", "new_string": "y"}
    assert to_foreign("patch", args, "/w") == [("Edit", {"file_path": "/w/a", "old_string": "x", "new_string": "y"})]
    assert to_ours("patch", {"file_path": "/w/a", "old_string": "x", "new_string": "y"}) == {**args, "path": "/w/a"}


def test_names_are_not_taken_twice():
    every = [name for foreign in TOOLS.values() for name in foreign.names]
    assert len(every) == len(set(every)) == len(OURS) and not set(every) & set(TOOLS)


def test_the_arguments_of_the_table_are_those_of_our_tools(fresh_default):
    house.default()
    for tool, foreign in TOOLS.items():
        entry = registry.get(tool)
        known = set(entry.schema["parameters"]["properties"]) if entry else set(foreign.arguments)
        assert set(foreign.arguments) <= known, tool
