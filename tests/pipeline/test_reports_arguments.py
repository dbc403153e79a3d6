"""Faults that were reported of other systems' arguments: what ours does with the same, and with its kind."""

from __future__ import annotations

import json

import pytest

from handiwork.core.types import Scope, ToolCall
from handiwork.pipeline import steps

TEXT, WHOLE, TEXTS = {"type": "string"}, {"type": "integer"}, {"type": "array", "items": {"type": "string"}}


@pytest.fixture
def ran(add):
    """A tool `probe` with parameters of all sorts, and the list of arguments that it got."""
    got = []
    add(
        "probe",
        lambda args: got.append(args) or {"ok": True},
        properties={
            "city": TEXT,
            "patterns": TEXTS,
            "values": {"type": "array", "items": WHOLE},
            "limit": {**WHOLE, "minimum": 1, "maximum": 100, "default": 20},
            "ratio": {"type": "number"},
        },
    )
    return got


# ------------------------------------------------------------------ a name that a stream wrote twice


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("skill_view" * 2, "skill_view"),
        ("skill_view" * 3, "skill_view"),
        ("a" * 4, "a"),
        ("a-ba-b", "a-b"),
        ("tutu" * 2, "tutu"),
    ],
)
def test_a_name_written_several_times_is_the_tool(add, run, written, meant):
    for name in ("skill_view", "a", "a-b", "tutu"):
        add(name, lambda args, name=name: {"ran": name})
    result = run(written)
    assert json.loads(result.content) == {"ran": meant}
    assert result.message()["name"] == meant


def test_a_tool_that_has_the_doubled_name_is_meant(add, run):
    add("go", lambda args: {"ran": "go"})
    add("gogo", lambda args: {"ran": "gogo"})
    assert json.loads(run("gogo").content) == {"ran": "gogo"}
    assert json.loads(run("gogogo").content) == {"ran": "go"}
    assert run("gogogogo").by == "resolve"  # two of one or four of the other


@pytest.mark.parametrize("written", ["skill_viewskill_vie", "xskill_viewskill_view", "skill_view skill_view", "zz", ""])
def test_what_is_not_a_repetition_of_a_tool_is_unknown(add, run, written):
    add("skill_view")
    assert run(written).by == "resolve"


def test_a_repeated_name_opens_no_door(add, run):
    add("secret_tool")
    assert run("secret_tool" * 2, supplied=frozenset({"other"})).by == "supply"


def test_a_repeated_name_leaves_a_note(pipeline, add):
    add("probe", properties={"n": WHOLE})
    ready = steps.repair(pipeline, steps.resolve(pipeline, ToolCall("probeprobe", '{"n": "5"}', "c1", Scope())))
    assert [note.split(" ")[0] for note in ready.repairs] == ["the", "n:"]


def test_a_very_long_name_is_no_repetition(add, run):
    add("ab")
    assert run("ab" * 2_000_000).by == "resolve"


# ------------------------------------------------------------------ damage is told, never swallowed


@pytest.mark.parametrize("raw", ['{"city": "Par', '{"city": ', '{"city', "{", '{"city": "Paris", "lim'])
def test_a_cut_call_never_becomes_an_empty_one(run, ran, raw):
    result = run("probe", raw)
    assert (result.status, result.by, ran) == ("refused", "repair", [])
    said = json.loads(result.content)["error"]
    assert "cut off" in said
    assert "A right call:" in said


@pytest.mark.parametrize(
    "raw", ['{"ratio": NaN}', '{"ratio": -Infinity}', '{"ratio": "NaN"}', '{"x": [NaN]}', '{"ratio": 1e999}']
)
def test_what_is_no_json_number_reaches_no_tool(run, ran, raw):
    assert run("probe", raw).by == "repair"
    assert ran == []


@pytest.mark.parametrize("raw", ["[1]", "3", '"x"', "true", "[]", [1], 3, True])
def test_json_that_is_no_object_is_refused(run, ran, raw):
    result = run("probe", raw)
    assert result.by == "repair"
    assert "object" in json.loads(result.content)["error"]
    assert ran == []


@pytest.mark.parametrize("raw", ["null", "", "{}", " ", None])
def test_nothing_is_the_empty_call(run, ran, raw):
    assert run("probe", raw).status == "ok"
    assert ran == [{"limit": 20}]


# ------------------------------------------------------------------ values by their schema


@pytest.mark.parametrize("value", ["*.py", "src/**/[ab].py", "a b", "-1", "don't"])
def test_a_bare_text_for_a_list(run, ran, value):
    run("probe", {"patterns": value})
    assert ran[0]["patterns"] == [value]


@pytest.mark.parametrize("value", ["[1, 2, 3]", "[1,2,3]", " [1, 2, 3] ", '["1", "2", "3"]', "[1, 2, 3,]"])
def test_a_list_that_was_sent_as_text(run, ran, value):
    run("probe", {"values": value})
    assert ran[0]["values"] == [1, 2, 3]


@pytest.mark.parametrize(("value", "limit"), [("50", 50), (None, 20), (50.0, 50), ("50.0", 50), ("", 20)])
def test_a_number_for_a_slice_is_a_number(run, ran, value, limit):
    run("probe", {"limit": value})
    assert ran == [{"limit": limit}]


@pytest.mark.parametrize("value", ["bad", 50.5, "50.5", 0, 101, "1e3"])
def test_a_number_that_is_none_or_out_of_range_is_told(run, ran, value):
    result = run("probe", {"limit": value})
    assert result.by == "repair"
    assert "limit: expected" in json.loads(result.content)["error"]
    assert ran == []


@pytest.mark.parametrize("wrapper", ["arguments", "parameters", "args", "params", "input"])
def test_an_empty_wrapper_does_not_win_over_real_arguments(run, ran, wrapper):
    run("probe", {"name": "probe", wrapper: {}, "city": "Oslo"})
    assert ran == [{"city": "Oslo", "limit": 20}]
