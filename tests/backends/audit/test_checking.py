"""Whatever is done to a written audit is found, and named by file and line."""

from __future__ import annotations

import json
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handiwork.backends.audit.chain import Link, chained
from handiwork.backends.audit.checking import check_audit


@pytest.fixture
def path(write, folder):
    """Two segments: lines 1 to 6 and 7 to 12."""
    write(4, "first")
    write(4, "second")
    return folder / "audit.jsonl"


def change(path, how):
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(how(lines)))
    return check_audit(str(path.parent))


def test_untouched(path, folder):
    found = check_audit(str(folder))
    assert (found.faults, found.notes, found.lines, found.segments) == ([], [], 12, 2)


@pytest.mark.parametrize("at", range(12))
def test_an_edited_line(path, at):
    found = change(path, lambda ls: [*ls[:at], ls[at].replace(b'"event":"', b'"event":"x', 1), *ls[at + 1 :]])
    assert found.faults[0].place == f"audit.jsonl:{at + 1}" and "edited" in found.faults[0].what


@pytest.mark.parametrize("at", range(11))  # the last line of all: see below
def test_a_removed_line(path, at):
    found = change(path, lambda ls: [*ls[:at], *ls[at + 1 :]])
    assert found.faults and "removed" in found.faults[0].what
    assert found.faults[0].place == f"audit.jsonl:{7 if at == 5 else at + 1}".replace(":7", ":6" if at == 5 else ":7")


def test_a_removed_end_leaves_the_segment_open(path):
    found = change(path, lambda ls: ls[:-1])
    assert not found.faults and "isn't closed" in found.notes[0].what


@pytest.mark.parametrize("at", [1, 2, 7])
def test_lines_in_another_order(path, at):
    found = change(path, lambda ls: [*ls[:at], ls[at + 1], ls[at], *ls[at + 2 :]])
    assert found.faults[0].place == f"audit.jsonl:{at + 1}"


def test_a_line_that_was_inserted_twice(path):
    found = change(path, lambda ls: [*ls[:3], ls[2], *ls[3:]])
    assert [(f.place, f.what.split(":")[0]) for f in found.faults] == [("audit.jsonl:4", "inserted or reordered")]


def test_a_line_after_the_end_of_its_segment(path):
    head = json.loads(path.read_bytes().splitlines()[5])
    more, _ = chained(head["seg"], Link(head["seq"] + 1, head["hash"]), ['"event":"call"'])
    found = change(path, lambda ls: [*ls, more])
    assert "was closed" in found.faults[0].what and found.faults[0].place == "audit.jsonl:13"


def test_a_line_that_was_made_anew_breaks_the_next_one(path):
    lines = path.read_bytes().splitlines()
    head = json.loads(lines[1])
    forged, _ = chained(head["seg"], Link(2, head["hash"]), ['"event":"call","n":99'])
    found = change(path, lambda ls: [*ls[:2], forged, *ls[3:]])
    assert found.faults[0].place == "audit.jsonl:4" and "audit.jsonl:3" in found.faults[0].what


@pytest.mark.parametrize("junk", [b"junk\n", b'{"event": "call"}\n', b"[1]\n", b"\xff\xfe\n"])
def test_a_line_that_is_none(path, junk):
    found = change(path, lambda ls: [*ls[:3], junk, *ls[3:]])
    assert found.faults[0].place == "audit.jsonl:4" and "damaged" in found.faults[0].what


def test_a_cut_line_in_the_middle_is_no_torn_end(path):
    found = change(path, lambda ls: [*ls[:3], ls[3][:40] + b"\n", *ls[4:]])
    assert found.faults[0].place == "audit.jsonl:4"


def test_a_segment_that_is_gone_is_missed_by_the_next(path):
    found = change(path, lambda ls: ls[6:])
    assert "removed" in found.faults[0].what and found.faults[0].place == "audit.jsonl:1"


def test_a_numbered_file_that_is_gone(open_writer, folder, monkeypatch):
    monkeypatch.setattr("handiwork.backends.audit.writer._LOOK_S", 0.0)
    writer = open_writer(file_bytes=1_000, files=9)
    for number in range(30):
        writer.put(f'"event":"call","n":{number}')
    writer.close()
    os.unlink(folder / "audit.2.jsonl")
    faults = check_audit(str(folder)).faults
    assert faults[0].place == "audit.3.jsonl" and "audit.2.jsonl" in faults[0].what


@settings(max_examples=60, deadline=None)
@given(at=st.integers(0, 10_000), with_=st.integers(1, 255))
def test_no_single_byte_can_change(tmp_path_factory, at, with_):
    folder = tmp_path_factory.getbasetemp() / "bytes"
    folder.mkdir(exist_ok=True)
    first, link = chained("1-a.1", Link(), ['"at":"t","event":"segment","saw":""', '"event":"call","n":1'])
    last, _ = chained("1-a.1", link, ['"event":"closed"'])
    whole = first + last
    at %= len(whole) - 1  # the newline at the very end is no part of a line
    (folder / "audit.jsonl").write_bytes(whole[:at] + bytes([whole[at] ^ with_]) + whole[at + 1 :])
    assert check_audit(str(folder)).faults
