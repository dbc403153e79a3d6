"""Limits: what is too long is cut to both ends, the whole kept, the way on told."""

from __future__ import annotations

import json
import os
import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handiwork.core.types import Label, ToolCall, ToolResult
from handiwork.pipeline.limits import Limits, cut, fit_turn


def cut_text(text, limits, most, name="t"):
    return cut(ToolResult(ToolCall(name), text), limits, most).content


@pytest.mark.parametrize("text", ["a" * 9_000, "é\n" * 9_000, '"\\\n' * 9_000, "\x01" * 9_000, "😀" * 9_000])
@pytest.mark.parametrize("most", [200, 1_000, 4_000])
def test_it_fits_parses_and_keeps_both_ends(tmp_path, text, most):
    shown = cut_text(text, Limits(folder=str(tmp_path / "r")), most)
    report = json.loads(shown)
    assert report["truncated"] is True and report["size"] == len(text)
    assert text.startswith(report["head"]) and text.endswith(report["tail"])
    assert len(shown) <= max(most, 500)
    if most >= 1_000:
        assert report["head"] and report["tail"]
    with open(report["path"], encoding="utf-8", newline="") as file:
        assert file.read() == text
    assert "read_file" in report["next"] and (report["path"] in report["next"] or most < 1_000)


def test_a_result_that_was_cut_says_where_the_whole_is(tmp_path):
    whole = ToolResult(ToolCall("t"), "x" * 5000)
    shown = cut(whole, Limits(folder=str(tmp_path)), 1000)
    assert shown.kept == json.loads(shown.content)["path"]
    assert cut(whole, Limits(), 1000).kept == ""


def test_the_file_is_for_its_owner_only(tmp_path):
    report = json.loads(cut_text("x" * 5000, Limits(folder=str(tmp_path / "r")), 1000))
    assert stat.S_IMODE(os.stat(report["path"]).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(tmp_path / "r").st_mode) == 0o700


@pytest.mark.parametrize("folder", ["", "/proc/nowhere/results"])
def test_where_nothing_can_be_kept_that_is_said(folder):
    report = json.loads(cut_text("x" * 5000, Limits(folder=folder), 1000))
    assert report["path"] is None and report["not_kept"] and "ask for less" in report["next"]


def test_a_hostile_name_stays_in_the_folder(tmp_path):
    report = json.loads(cut_text("x" * 5000, Limits(folder=str(tmp_path)), 1000, "../../etc/passwd"))
    assert os.path.dirname(report["path"]) == str(tmp_path)


@pytest.mark.parametrize(
    ("limits", "own", "expected"),
    [
        (Limits(), None, 100_000),
        (Limits(), 500, 500),
        (Limits(context_tokens=8_000), None, 8_000),
        (Limits(context_tokens=8_000), 500, 500),
        (Limits(context_tokens=100), None, 1_000),
    ],
)
def test_the_limit_of_a_tool(limits, own, expected, registry):
    assert limits.of(_tool(registry, max_result_size_chars=own)) == expected


def _tool(registry, **more):
    registry.register("long", "texts", {"parameters": {"type": "object"}}, lambda args: "", **more)
    return registry.get("long")


@pytest.mark.parametrize(("named", "expected"), [({"long": 700}, 700), ({"texts": 900}, 900), ({"other": 1}, 500)])
def test_a_limit_that_a_person_set_goes_before_the_tools_own(registry, named, expected):
    assert Limits(named=named).of(_tool(registry, max_result_size_chars=500)) == expected


def _results(*texts, **more):
    return [ToolResult(ToolCall("t"), text, **more) for text in texts]


def test_a_turn_that_fits_is_left_alone():
    results = _results("a" * 500, "b" * 500)
    assert fit_turn(results, Limits(turn_chars=1_000)) is results


def test_a_turn_that_is_too_long_has_its_longest_results_cut_evenly(tmp_path):
    results = _results("short", "a" * 30_000, "b" * 90_000)
    limits = Limits(turn_chars=20_000, folder=str(tmp_path))
    short, *cut_ones = fit_turn(results, limits)
    assert short is results[0]
    assert sum(len(r.content) for r in cut_ones) <= 20_000 - len("short")
    for result, whole in zip(cut_ones, results[1:], strict=True):
        report = json.loads(result.content)
        assert 9_500 < len(result.content) <= 10_000 and report["size"] == len(whole.content)
        with open(report["path"], encoding="utf-8") as file:
            assert file.read() == whole.content


def test_what_was_cut_before_is_cut_further_without_a_second_file(tmp_path):
    limits = Limits(turn_chars=4_000, folder=str(tmp_path))
    before = cut(ToolResult(ToolCall("t"), "head" + "x" * 50_000 + "tail"), limits, 8_000)
    (after,) = fit_turn([before], limits)
    report, earlier = json.loads(after.content), json.loads(before.content)
    assert after.kept == before.kept
    assert len(after.content) <= 4_000
    assert (report["path"], report["size"]) == (earlier["path"], 50_008)
    assert report["head"].startswith("head") and report["tail"].endswith("tail")
    assert len(os.listdir(tmp_path)) == 1


@pytest.mark.parametrize("text", ['{"truncated": true, "mine": 1}', '{"truncated": true', '{"truncated": true}'])
def test_a_tools_own_words_that_begin_like_ours_are_any_text(tmp_path, text):
    (after,) = fit_turn(_results(text + " " * 9_000), Limits(turn_chars=2_000, folder=str(tmp_path)))
    assert json.loads(after.content)["head"].startswith(text)


def test_what_was_fenced_is_fenced_after_it_was_cut(tmp_path):
    fenced = ToolResult(ToolCall("t"), "x" * 9_000, labels=(Label("outside", "web"),), shown="[" + "x" * 9_000)
    (after,) = fit_turn([fenced], Limits(turn_chars=2_000, folder=str(tmp_path)))
    assert after.content in after.text and len(after.text) > len(after.content) and "web" in after.text


@given(st.lists(st.integers(0, 9_000), min_size=1, max_size=12), st.integers(6_000, 20_000))
def test_any_turn_fits(sizes, most):
    results = _results(*("x" * size for size in sizes))
    assert sum(len(r.text) for r in fit_turn(results, Limits(turn_chars=most))) <= max(most, 500 * len(sizes))


@given(st.text(min_size=1), st.integers(600, 3000))
def test_any_text_fits(text, most):
    shown = cut_text(text * 50, Limits(), most)
    assert len(shown) <= most and json.loads(shown)["size"] == len(text) * 50
