"""Failures of hooks outlive the process in which they happened."""

from __future__ import annotations

import os
import time

from handiwork.apps.hook_record import HookRecord


def test_failures_are_counted_by_hook_with_the_last_reason(tmp_path):
    record = HookRecord(str(tmp_path))
    assert record.recent() == []
    for who, error in (("a", "first"), ("b", "x"), ("a", "second")):
        record.note(who, error)
    assert [(f.who, f.count, f.last) for f in HookRecord(str(tmp_path)).recent()] == [("a", 2, "second"), ("b", 1, "x")]
    assert os.stat(tmp_path / "hooks.jsonl").st_mode & 0o777 == 0o600


def test_old_and_damaged_lines_are_left_out(tmp_path, monkeypatch):
    record = HookRecord(str(tmp_path))
    record.note("new", "x")
    with open(tmp_path / "hooks.jsonl", "a") as file:
        file.write('{"at": 1, "who": "old", "error": "x"}\n{"at": 99\nnull\n[]\n')
    assert [f.who for f in record.recent()] == ["new"]
    later = time.time() + 8 * 86_400
    monkeypatch.setattr("time.time", lambda: later)
    assert record.recent() == []


def test_the_file_stays_small_and_secrets_stay_out(tmp_path):
    record = HookRecord(str(tmp_path))
    (tmp_path / "hooks.jsonl").write_text('{"at": 1, "who": "old", "error": "x"}\n' * 9000)
    secret = "sk-" + "ant-api03-" + "A1b2" * 12
    record.note("new", f"failed with {secret}")
    text = (tmp_path / "hooks.jsonl").read_text()
    assert len(text) < 200_000 and secret not in text and "new" in text


def test_a_home_that_cannot_be_written_costs_nothing(tmp_path):
    HookRecord(str(tmp_path / "not" / "there")).note("a", "b")
