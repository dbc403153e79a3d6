"""What words become, and what programs would print."""

from __future__ import annotations

import base64

import pytest

from handiwork.guard.shell_outputs import output_of
from handiwork.guard.shell_reader import read
from handiwork.guard.shell_values import Word, World, expand, script_output


def world(**variables: str) -> World:
    return World(home="/home/alice", cwd="", variables=variables)


def expanded(text: str, given: World | None = None) -> list[Word]:
    given = given or world()
    return [w for raw in read("x " + text).pipelines[0][0].words[1:] for w in expand(raw, given)]


def texts(text: str, given: World | None = None) -> list[str]:
    return [w.text for w in expanded(text, given)]


def test_variables_tildes_and_braces() -> None:
    assert texts("$a ${b}c ~/x ~root", world(a="1 2", b="3")) == ["1", "2", "3c", "/home/alice/x", "/root"]
    assert texts('"$a"', world(a="1 2")) == ["1 2"]
    assert texts("{a,b}.txt") == ["a.txt", "b.txt"]
    assert texts("${a:0:1} ${c:-d} ${!e}", world(a="xyz", e="a")) == ["x", "d", "xyz"]


def test_a_custom_separator_splits() -> None:
    assert texts("$a", world(a="rm,-rf,/", IFS=",")) == ["rm", "-rf", "/"]


@pytest.mark.parametrize(
    "text", ["$unset", "${a@P}", "$(id)", "`id`", "$((1+1))", "<(ls)", "{a..z}", "{'a',b}", "$'\\x41'", "${a[$(id)]}"]
)
def test_what_only_running_would_tell_is_not_known(text: str) -> None:
    assert not all(w.known for w in expanded(text))


def test_more_braces_than_are_followed_are_not_known() -> None:
    assert not all(w.known for w in expanded("{a,b}" * 10))


@pytest.mark.parametrize(
    ("script", "printed"),
    [
        ("echo -n rm x", "rm x\n"),
        ("printf '%s %s' rm x", "rm x"),
        ("echo rm | rev", "mr\n"[:2] + "\n"),
        ("echo abc | tr a-c x-z", "xyz\n"),
        ("echo 726d | xxd -r -p", "rm"),
        ("which ls", "/usr/bin/ls"),
        ("id", None),
        ("echo x | base64 -d | id", None),
    ],
)
def test_outputs(script: str, printed: str | None) -> None:
    assert script_output(script, world()) == printed


def test_base64_is_decoded() -> None:
    code = base64.b64encode(b"rm -rf /").decode()
    assert script_output(f"echo {code} | base64 -d", world()) == "rm -rf /"
    assert output_of(["base64", "-d"], "!!!!", {}) is not None
    assert output_of(["cat", "f"], None, {"f": "known"}) == "known"
