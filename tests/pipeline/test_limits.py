"""Limits: what is too long is cut to both ends, the whole kept, the way on told."""

from __future__ import annotations

import json
import os
import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handiwork.core.types import ToolCall, ToolResult
from handiwork.pipeline.limits import Limits, cut


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
def test_the_limit_of_a_tool(limits, own, expected):
    assert limits.of(own) == expected


@given(st.text(min_size=1), st.integers(600, 3000))
def test_any_text_fits(text, most):
    shown = cut_text(text * 50, Limits(), most)
    assert len(shown) <= most and json.loads(shown)["size"] == len(text) * 50
