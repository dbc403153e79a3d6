"""The figures of the guard's bench."""

from __future__ import annotations

from pathlib import Path

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


def test_the_judges_stand_beside_each_other_and_gray_by_what_makes_it_so() -> None:
    ours, theirs = rows("forbid", "allow"), rows("allow", "allow")
    gray = [
        {"action": a, "why": why, "us": 1.0} for a, why in (("ask", "network"), ("allow", "network"), ("ask", None))
    ]
    assert guard.gray_by_why(gray) == [("gray: network", 2, 50.0, 0.0), ("gray: other", 1, 100.0, 0.0)]
    table = guard.beside({"a": guard.by_kind(ours), "b": guard.by_kind(theirs)})
    assert table[0] == ["kind", "commands", "a: caught %", "a: refused %", "b: caught %", "b: refused %"]
    assert table[1] == ["disk", "2", "50.0", "50.0", "0.0", "0.0"]


def test_a_folder_with_reports_alone_can_be_judged(tmp_path: Path) -> None:
    (tmp_path / "benign.jsonl").write_text('{"cmd": "ls", "lookalike": null}\n')
    judged = guard.judged_by_us(guard.corpora(tmp_path))
    assert guard.figures("ours", judged).false_alarms == 0.0 and judged["dangerous"] == []


@pytest.mark.parametrize(("actions", "wanted", "share"), [((), ("ask",), 0.0), (("ask", "allow"), ("ask",), 50.0)])
def test_a_share_of_nothing_is_nothing(actions: tuple[str, ...], wanted: tuple[str, ...], share: float) -> None:
    assert guard.share([{"action": a} for a in actions], wanted) == share
