"""An exported document can be checked by itself."""

from __future__ import annotations

import csv
import io
import json

import pytest

from handiwork.backends.audit.exporting import check_export, export
from handiwork.backends.audit.reading import entries_of, lines_in

ENTRIES = [
    {"seg": "1-a.1", "seq": n, "at": "t", "event": "call", "tool": f"t{n}", "args": {"a": 'x,"\n'}, "duration_ms": 1.5}
    for n in range(1, 5)
]


def document(form="jsonl"):
    return "".join(f"{line}\n" for line in export(ENTRIES, form))


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_what_is_exported_checks(form):
    found = check_export(document(form))
    assert not found.faults and found.lines == 4 + (form == "csv") and found.segments == 1


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_a_changed_line_is_named(form):
    found = check_export(document(form).replace("t3", "t9"))
    assert [f.place for f in found.faults] == [f"line {3 + (form == 'csv')}"]


def test_removed_inserted_and_reordered_lines_are_found():
    lines = document().splitlines()
    for changed in (
        lines[1:],
        [lines[0], *lines],
        [lines[1], lines[0], *lines[2:]],
        lines[:-1],
        [*lines[:3], lines[-1]],
    ):
        assert check_export("\n".join(changed)).faults


def test_a_changed_manifest_is_found():
    assert check_export(document().replace('"lines": 4', '"lines": 3')).faults


def test_csv_holds_a_row_for_each_entry():
    rows = list(csv.DictReader(io.StringIO(document("csv"))))
    assert [r["tool"] for r in rows[:4]] == ["t1", "t2", "t3", "t4"]
    assert json.loads(rows[0]["args"]) == {"a": 'x,"\n'}


def test_a_call_is_one_entry_with_its_end(open_writer, folder):
    writer = open_writer()
    writer.put('"at":"t1","event":"begin","n":1,"tool":"a"')
    writer.put('"at":"t2","event":"begin","n":2,"tool":"b"')
    writer.put('"at":"t3","event":"end","n":1,"status":"ok"')
    writer.close()
    entries = list(entries_of(lines_in(str(folder))))
    assert [(e["tool"], e["status"], e["at"]) for e in entries] == [("a", "ok", "t1"), ("b", "no end", "t2")]
