"""JSON in and out, frozen schemas, near names, late modules."""

from __future__ import annotations

import copy
import json
import pickle
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handiwork import tool_error, tool_result
from handiwork.core.errors import UnknownNameError, near_names
from handiwork.core.loading import Late, load
from handiwork.core.wire import copy_json, dumps, freeze

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)


@dataclass
class Point:
    x: int


class Model:
    def model_dump(self):
        return {"m": 1}


def test_errors_and_results():
    assert json.loads(tool_error("坏", code=3)) == {"error": "坏", "code": 3} and "坏" in tool_error("坏")
    assert json.loads(tool_result({"a": 1})) == json.loads(tool_result(a=1)) == {"a": 1}
    assert json.loads(tool_result()) == {} and json.loads(tool_error(ValueError("x"))) == {"error": "x"}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Point(1), {"x": 1}),
        (Model(), {"m": 1}),
        (date(2026, 1, 2), "2026-01-02"),
        (Path("/a"), "/a"),
        ({"b": {2, 1}}, {"b": [1, 2]}),
        (b"caf\xc3\xa9\xff", "café\\xff"),
        ({(1, 2): "x"}, {"(1, 2)": "x"}),
    ],
)
def test_what_json_does_not_know(value, expected):
    assert json.loads(dumps(value)) == expected


@given(JSON)
def test_frozen_data_is_equal_and_thaws(value):
    frozen = freeze(value)
    assert frozen == value and json.loads(json.dumps(frozen)) == value
    assert copy.deepcopy(frozen) == copy_json(frozen) == pickle.loads(pickle.dumps(frozen)) == value


def test_frozen_data_cannot_be_changed_in_any_depth():
    frozen = freeze({"a": [{"b": 1}]})
    for change in (
        lambda: frozen.update(x=1),
        lambda: frozen["a"].append(1),
        lambda: frozen["a"][0].pop("b"),
        lambda: frozen["a"].__iadd__([1]),
        lambda: frozen.__ior__({}),
    ):
        with pytest.raises(TypeError):
            change()
    thawed = copy.deepcopy(frozen)
    thawed["a"][0]["b"] = 2
    assert frozen["a"][0]["b"] == 1


@pytest.mark.parametrize(
    ("wrong", "right"), [("terminl", "terminal"), ("Read_File", "read_file"), ("webserch", "web_search")]
)
def test_near_names(wrong, right):
    assert near_names(wrong, ["terminal", "read_file", "web_search"])[0] == right


def test_an_unknown_name_says_what_was_perhaps_meant():
    assert "did you mean a?" not in UnknownNameError("tool", "zzz", ["a"]).hint
    assert "did you mean terminal?" in UnknownNameError("tool", "terminel", ["terminal"]).hint


def test_late_modules():
    late = Late("json")
    assert late.dumps([1]) == "[1]" and load("json:loads")("1") == 1
    with pytest.raises(AttributeError):
        late.nothing  # noqa: B018
