"""What the writer puts into the files, when, and what it does when it can't."""

from __future__ import annotations

import json
import logging
import os
import signal
import stat
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from handiwork.backends.audit import files
from handiwork.backends.audit.checking import check_audit
from handiwork.backends.audit.reading import lines_in

SRC = Path(__file__).parents[3] / "src"


def said(folder):
    return [line.said for line in lines_in(str(folder))]


def events(folder):
    return [s["event"] for s in said(folder)]


def test_nothing_is_made_before_the_first_line(open_writer, folder):
    open_writer().close()
    assert not folder.exists()


def test_a_segment_begins_and_ends_and_counts_its_lines(write, folder):
    write(3)
    lines = said(folder)
    assert [s["event"] for s in lines] == ["segment", "call", "call", "call", "closed"]
    assert [s["seq"] for s in lines] == [0, 1, 2, 3, 4]
    assert lines[0]["pid"] == os.getpid() and lines[0]["who"] == "test" and lines[0]["saw"] == ""
    assert stat.S_IMODE(os.stat(folder / "audit.jsonl").st_mode) == 0o600


def test_the_next_process_says_what_it_saw(write, folder):
    write(1)
    write(1)
    lines = said(folder)
    assert lines[3]["event"] == "segment" and lines[3]["saw"] == lines[2]["hash"]
    assert not check_audit(str(folder)).faults


def test_a_line_is_on_disk_within_a_moment_and_what_is_put_at_once(open_writer, folder):
    writer = open_writer()
    assert writer.put('"event":"begin","n":1') == ""
    assert events(folder) == ["segment", "begin"]
    writer.add('"event":"end","n":1')
    deadline = time.monotonic() + 5
    while events(folder)[-1] != "end" and time.monotonic() < deadline:
        time.sleep(0.02)
    assert events(folder) == ["segment", "begin", "end"]
    writer.close()


def test_what_is_no_unicode_stays_json(open_writer, folder):
    writer = open_writer()
    writer.put('"event":"call","text":"\udc80 ü"')
    writer.close()
    assert said(folder)[1]["text"] == "\udc80 ü"
    assert not check_audit(str(folder)).faults


def test_full_files_get_numbers_and_the_oldest_go(open_writer, folder, monkeypatch):
    monkeypatch.setattr("handiwork.backends.audit.writer._LOOK_S", 0.0)
    writer = open_writer(file_bytes=2_000, files=2)
    for number in range(60):
        writer.put(f'"event":"call","n":{number}')
    writer.close()
    kept = [number for number, _ in files.numbered(str(folder))]
    assert len(kept) == 2 and kept[0] > 1
    numbers = [s["n"] for s in said(folder) if "n" in s]
    assert numbers == list(range(numbers[0], 60)) and numbers[0] > 0
    found = check_audit(str(folder))
    assert not found.faults and not found.notes


def test_a_process_that_is_quickly_done_numbers_a_full_file_too(open_writer, folder):
    for number in range(40):
        writer = open_writer(file_bytes=2_000, files=50)
        writer.put(f'"event":"call","n":{number}')
        writer.close()
    assert len(files.numbered(str(folder))) > 5
    assert [s["n"] for s in said(folder) if "n" in s] == list(range(40))
    assert not check_audit(str(folder)).faults


def test_a_file_that_was_taken_away_is_told(open_writer, folder, monkeypatch):
    monkeypatch.setattr("handiwork.backends.audit.writer._LOOK_S", 0.0)
    writer = open_writer()
    writer.put('"event":"call","n":1')
    os.unlink(folder / "audit.jsonl")
    writer.put('"event":"call","n":2')
    writer.close()
    assert [s.get("n") for s in said(folder)] == [None, 2, None]
    (fault,) = check_audit(str(folder)).faults
    assert fault.place == "audit.jsonl:1" and "removed" in fault.what


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_a_full_disk_is_said_once_and_made_up_for(open_writer, folder, monkeypatch, caplog):
    folder.mkdir()
    (folder / "audit.jsonl").symlink_to("/dev/full")  # a link isn't followed: as good as no room
    writer = open_writer()
    monkeypatch.setattr("handiwork.backends.audit.writer._RETRY_S", 0.0)
    with caplog.at_level(logging.WARNING):
        assert writer.put('"event":"call","n":1')
        assert writer.put('"event":"call","n":2')
    assert len(caplog.records) == 1
    os.unlink(folder / "audit.jsonl")
    assert writer.put('"event":"call","n":3') == ""
    writer.close()
    assert [s["n"] for s in said(folder) if "n" in s] == [1, 2, 3]


def test_a_batch_that_was_cut_is_taken_back(open_writer, folder, monkeypatch):
    writer = open_writer()
    writer.put('"event":"call","n":1')
    whole = os.write
    monkeypatch.setattr("handiwork.backends.audit.writer._RETRY_S", 0.0)
    monkeypatch.setattr(os, "write", lambda fd, data: whole(fd, data[:10]))
    assert "space" in writer.put('"event":"call","n":2')
    monkeypatch.setattr(os, "write", whole)
    assert writer.put('"event":"call","n":3') == ""
    writer.close()
    assert [s["n"] for s in said(folder) if "n" in s] == [1, 2, 3]
    assert not check_audit(str(folder)).faults


@pytest.mark.parametrize("is_written", [True, False])
def test_an_interrupt_in_the_middle_looks_like_no_tampering(open_writer, folder, monkeypatch, is_written):
    writer = open_writer()
    writer.put('"event":"call","n":1')
    whole = os.write

    def interrupted(fd, data):
        if is_written:
            whole(fd, data)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "write", interrupted)
    with pytest.raises(KeyboardInterrupt):
        writer.put('"event":"call","n":2')
    monkeypatch.setattr(os, "write", whole)
    writer.put('"event":"call","n":3')
    writer.close()
    assert {1, 2, 3} == {s["n"] for s in said(folder) if "n" in s}
    assert not check_audit(str(folder)).faults


def test_more_than_can_wait_is_counted(open_writer, folder, monkeypatch):
    monkeypatch.setattr("handiwork.backends.audit.writer._MOST_WAITING", 2)
    monkeypatch.setattr("handiwork.backends.audit.writer._RETRY_S", 0.0)
    folder.parent.mkdir(exist_ok=True)
    folder.write_text("a file where the folder should be")
    writer = open_writer()
    for number in range(5):
        assert writer.put(f'"event":"call","n":{number}')
    folder.unlink()
    writer.flush()
    writer.close()
    assert [s["n"] for s in said(folder) if "n" in s] == [0, 1]
    assert [s["lines"] for s in said(folder) if s["event"] == "lost"] == [3]


def test_a_forked_child_writes_a_segment_of_its_own(open_writer, folder):
    writer = open_writer()
    writer.put('"event":"call","n":1')
    child = os.fork()
    if child == 0:
        writer.put('"event":"call","n":2')
        writer.close()
        os._exit(0)
    os.waitpid(child, 0)
    writer.put('"event":"call","n":3')
    writer.close()
    found = check_audit(str(folder))
    assert not found.faults and found.segments == 2
    assert [s["n"] for s in said(folder) if "n" in s] == [1, 2, 3]


# ------------------------------------------------------------------------------------------------- real processes

WRITES = """
    import sys
    from handiwork.backends.audit import writer as writing
    from handiwork.backends.audit.writer import AuditWriter, Keep
    folder, count, file_bytes = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    writing._LOOK_S = 0.002  # so that files get numbers under each other's hands
    writer = AuditWriter(folder, Keep(file_bytes, 1000), dict)
    for number in range(count):
        if number % 3:
            writer.add(f'"event":"call","n":{number}')
        else:
            writer.put(f'"event":"begin","n":{number}')
        if number == 0:
            print("begun", flush=True)
"""


def start(folder, count, file_bytes=1 << 20):
    words = [sys.executable, "-c", textwrap.dedent(WRITES), str(folder), str(count), str(file_bytes)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(SRC)})


@pytest.mark.integration
@pytest.mark.parametrize("file_bytes", [1 << 30, 100_000])
def test_eight_processes_lose_nothing(folder, file_bytes):
    running = [start(folder, 1000, file_bytes) for _ in range(8)]
    assert [p.wait(60) for p in running] == [0] * 8
    for process in running:
        process.stdout.close()
    by_process = {}
    for s in said(folder):
        if "n" in s:
            by_process.setdefault(s["seg"].rpartition(".")[0], []).append(s["n"])
    assert [*by_process.values()] == [list(range(1000))] * 8
    found = check_audit(str(folder))
    assert not found.faults and not found.notes
    assert bool(files.numbered(str(folder))) is (file_bytes < 1 << 20)


@pytest.mark.integration
@pytest.mark.parametrize("after_s", [0.0, 0.005, 0.02, 0.05, 0.1])
def test_a_killed_process_leaves_what_verifies(folder, after_s):
    process = start(folder, 10_000_000, 1 << 30)
    process.stdout.readline()
    time.sleep(after_s)
    process.send_signal(signal.SIGKILL)
    process.wait(10)
    process.stdout.close()
    other = start(folder, 2)
    assert other.wait(30) == 0
    other.stdout.close()
    found = check_audit(str(folder))
    assert not found.faults and found.segments == 2
    assert any("isn't closed" in note.what or "torn" in note.what for note in found.notes)


def test_a_torn_end_is_told_and_the_next_process_goes_on(write, open_writer, folder):
    writer = open_writer()
    writer.put('"event":"call","n":1')
    path = folder / "audit.jsonl"
    whole = path.read_bytes()
    line = json.loads(whole.splitlines()[1])
    path.write_bytes(whole + f'{{"v":1,"seg":"{line["seg"]}","seq":2,"event":"ca'.encode())
    found = check_audit(str(folder))
    assert not found.faults and "torn" in found.notes[0].what and found.notes[0].place == "audit.jsonl:3"
    write(1)
    found = check_audit(str(folder))
    assert not found.faults and [n.place for n in found.notes if "torn" in n.what] == ["audit.jsonl:3"]
    assert [s for s in said(folder) if s and s.get("torn")]
