"""Spilled texts: one owner, one week, and nothing of anybody else's touched."""

from __future__ import annotations

import os
import time

from handiwork.core.spills import _swept, open_spill, sweep


def _made(folder, stem="t", age_days=0.0):
    descriptor, path = open_spill(str(folder), stem)
    os.close(descriptor)
    os.utime(path, (time.time() - age_days * 86_400,) * 2)
    return path


def test_names_are_never_used_twice_and_stay_in_the_folder(tmp_path):
    paths = {_made(tmp_path, "../../x y") for _ in range(5)}
    assert len(paths) == 5 and {os.path.dirname(p) for p in paths} == {str(tmp_path)}


def test_what_is_old_goes_and_what_is_not_ours_stays(tmp_path):
    old, new = _made(tmp_path, age_days=8), _made(tmp_path, age_days=6)
    others = tmp_path / "notes-of-mine.txt"
    others.write_text("mine")
    os.utime(others, (0, 0))
    (tmp_path / os.path.basename(old).replace("t-", "link-")).symlink_to(others)
    assert sweep(str(tmp_path)) == 1
    assert not os.path.exists(old) and os.path.exists(new) and others.read_text() == "mine"


def test_beyond_the_room_the_oldest_go_but_nothing_that_may_be_in_use(tmp_path, monkeypatch):
    monkeypatch.setattr("handiwork.core.spills.KEPT_BYTES", 25)
    paths = [_made(tmp_path, age_days=days) for days in (3, 2, 1, 0)]
    for path in paths:
        age = os.stat(path).st_mtime
        with open(path, "w") as file:
            file.write("x" * 10)
        os.utime(path, (age, age))
    assert sweep(str(tmp_path)) == 2
    assert [os.path.exists(p) for p in paths] == [False, False, True, True]


def test_the_first_of_a_day_sweeps(tmp_path):
    old = _made(tmp_path, age_days=9)
    _swept.clear()
    _made(tmp_path)
    assert not os.path.exists(old)
