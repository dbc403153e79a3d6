"""A bench that flatters is worse than none: what it must not count as met."""

from __future__ import annotations

import sys
from pathlib import Path

import harness
import pytest
import rows
import table
from harness import Book, ProbeError, Task

ROW = table.Row("a row", "us", "ours.x", "anchor.x", "anchor.x", bar=0.5)


def judged(**figures: float) -> table.Line:
    book = Book()
    for side, value in figures.items():
        book.note(side, {"x": value})
    return table.judge(ROW, book)


@pytest.mark.parametrize(("ours", "verdict"), [(5.0, "met"), (4.9, "met"), (5.1, "MISSED")])
def test_the_bar_is_the_largest_ratio_that_counts_as_met(ours: float, verdict: str) -> None:
    assert judged(ours=ours, anchor=10.0).verdict == verdict


@pytest.mark.parametrize("figures", [{}, {"ours": 1.0}, {"anchor": 1.0}])
def test_an_absent_figure_is_never_met(figures: dict[str, float]) -> None:
    assert judged(**figures).verdict == "no figure"


def test_the_table_shows_the_median_of_the_rounds() -> None:
    book = Book()
    for value in (9.0, 1.0, 2.0):
        book.note("ours", {"x": value})
    assert table.judge(ROW, book).ours == 2.0


def test_a_command_that_dies_early_is_not_a_quick_one(tmp_path: Path) -> None:
    dies = (sys.executable, "-c", "raise SystemExit('nothing here')")
    with pytest.raises(ProbeError, match="nothing here"):
        harness.cpu_ms(dies, tmp_path)
    with pytest.raises(ProbeError, match="not in its output"):
        harness.cpu_ms(dies, tmp_path, says="python", may_find=True)


def test_cpu_time_is_that_of_the_process_and_its_children(tmp_path: Path) -> None:
    spin = "import time\nwhile time.process_time() < 0.15: pass"
    spins_in_a_child = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {spin!r}])"
    assert harness.cpu_ms((sys.executable, "-c", spins_in_a_child), tmp_path) >= 150
    assert harness.cpu_ms((sys.executable, "-c", "import time; time.sleep(0.3)"), tmp_path) < 150


def test_a_probe_that_fails_costs_only_its_own_figures(tmp_path: Path) -> None:
    book = Book()
    fails = Task("ours", "fails", lambda: harness.probe((sys.executable, "-c", "pass"), tmp_path))
    works = Task("ours", "works", lambda: harness.probe((sys.executable, "-c", "print('{\"x\": 3}')"), tmp_path))
    harness.take_rounds(book, [fails, works], 2)
    assert "no figures" in book.failures["ours.fails"]
    assert book.values["ours.x"] == [3, 3]


def test_a_measured_process_sees_no_settings_of_the_caller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANDIWORK_MODEL", "mine")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    output, _ = harness.run_fresh((sys.executable, "-c", "import os; print(sorted(os.environ))"), tmp_path)
    assert "HANDIWORK_MODEL" not in output
    assert "PYTHONDONTWRITEBYTECODE" not in output


def test_every_bar_has_something_it_is_measured_against() -> None:
    assert [row.title for row in rows.ALL if row.bar is not None and not row.against] == []


def test_the_columns_of_the_table_stand_under_each_other() -> None:
    lines = table.render([judged(ours=1.0, anchor=10.0), judged(ours=123.0, anchor=10.0)]).splitlines()
    ends = {line.index(number) + len(number) for line, number in zip(lines[1:], ("1.00", "123"), strict=True)}
    assert len(ends) == 1
