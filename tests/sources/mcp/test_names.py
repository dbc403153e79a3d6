from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from handiwork.sources.mcp.names import server_part, tool_name, toolset_name

NAMES = st.text(min_size=1, max_size=90) | st.from_regex(r"[a-z_.\- ]{1,12}", fullmatch=True)
PAIRS = st.tuples(NAMES, NAMES)
FITS = re.compile(r"[A-Za-z0-9_-]{1,64}")


@settings(max_examples=60)
@given(PAIRS)
def test_every_name_is_one_that_providers_take(pair):
    assert FITS.fullmatch(tool_name(*pair)) and FITS.fullmatch(toolset_name(pair[0]))


@settings(max_examples=150)
@given(PAIRS, PAIRS)
def test_different_tools_have_different_names(one, other):
    assert (tool_name(*one) == tool_name(*other)) == (one == other)


@settings(max_examples=60)
@given(st.from_regex(r"[a-z]{1,4}[a-z_]{0,6}", fullmatch=True), st.from_regex(r"[a-z_]{1,6}", fullmatch=True))
def test_pairs_whose_joints_could_be_misread_stay_apart(server, tool):
    for cut in range(1, len(tool)):
        moved = (f"{server}__{tool[:cut]}", tool[cut:])
        assert tool_name(*moved) != tool_name(server, tool)


def test_a_clear_name_stays_as_it_is():
    assert tool_name("everything", "echo") == "mcp__everything__echo"
    assert tool_name("my-api", "get_user") == "mcp__my-api__get_user"
    assert toolset_name("github") == "mcp-github"


def test_reported_collisions():
    assert len({tool_name("files", t) for t in ("read-file", "read_file", "read.file")}) == 3
    assert len({tool_name(s, t) for s, t in (("数据", "查询"), ("价格", "列表"))}) == 2
    assert tool_name("a__b", "c") != tool_name("a", "b__c")
    assert tool_name("my-api", "x") != tool_name("my_api", "x") != tool_name("my.api", "x")


def test_names_are_the_same_at_every_start():
    assert tool_name("a b", "x/y") == "mcp__a_b-c8687a08__x_y_bd3c9047"
    assert server_part("x" * 60) == "x" * 15 + "-" + server_part("x" * 60)[-8:]
