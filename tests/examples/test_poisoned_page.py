"""The example of a poisoned page: the question names the value and the page, and nothing is paid."""

from __future__ import annotations

import runpy
from pathlib import Path

FILE = Path(__file__).parents[2] / "examples" / "poisoned_page.py"


def test_the_payment_asks_and_names_the_page(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    ran = runpy.run_path(str(FILE))
    ran["main"]()
    question, end = capsys.readouterr().out.splitlines()
    assert question.startswith(
        "pay: its account comes from outside, and nobody here named it: 'de44500105175407324931'"
    )
    assert question.endswith("from fetch_page https://cakes.example.org/rhubarb")
    assert end.startswith("paid: []; answer: Beat the eggs")
