"""The figures of the guard's bench."""

from __future__ import annotations

import guard
import pytest


def rows(*actions: str, severity: str = "block", obfuscation: str | None = None) -> list[guard.Row]:
    return [
        {
            "action": a,
            "severity": severity,
            "obfuscation": obfuscation,
            "obf_family": "quote",
            "cls": "disk",
            "us": 10.0,
        }
        for a in actions
    ]


def test_shares_are_counted_by_what_is_right_for_each_corpus() -> None:
    good = [{"action": a, "lookalike": look, "us": 5.0} for a, look in (("allow", None), ("ask", "x"), ("allow", "x"))]
    judged = {
        "dangerous": rows("forbid", "ask", "allow") + rows("forbid", "ask", severity="approval", obfuscation="q"),
        "benign": good,
        "gray": [{"action": "forbid", "us": 1.0}],
    }
    found = guard.figures("demo", judged)
    assert (found.recall_plain, found.recall_disguised) == (66.7, 100.0)
    assert (found.must_refuse_refused, found.should_ask_refused) == (33.3, 50.0)
    assert (found.false_alarms, found.false_alarms_lookalike, found.benign_refused) == (33.3, 50.0, 0)
    assert (found.gray_asked, found.gray_refused) == (100.0, 100.0)


def test_kinds_are_classes_and_families_of_disguises() -> None:
    found = guard.by_kind(rows("forbid", "allow") + rows("ask", obfuscation="q"))
    assert found == [("disguise: quote", 1, 100.0, 0.0), ("disk", 2, 50.0, 50.0)]


@pytest.mark.parametrize(("actions", "wanted", "share"), [((), ("ask",), 0.0), (("ask", "allow"), ("ask",), 50.0)])
def test_a_share_of_nothing_is_nothing(actions: tuple[str, ...], wanted: tuple[str, ...], share: float) -> None:
    assert guard.share([{"action": a} for a in actions], wanted) == share
