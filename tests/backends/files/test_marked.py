"""Which files hold text from outside: kept, found again, shared, bounded."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from handiwork.backends.files import marked
from handiwork.backends.files.marked import MarkedFiles


@pytest.fixture
def store(tmp_path):
    return str(tmp_path / "home" / "from-outside.jsonl")


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "page.txt"
    path.write_text("words from elsewhere")
    return path


def test_a_mark_outlives_its_process(store, page):
    MarkedFiles(store).put(str(page), "fetch_page x")
    later = MarkedFiles(store)
    assert later.at(str(page)) == "fetch_page x" and later.paths() == (str(page),)
    assert later.at(str(page.parent / "other")) == "" == MarkedFiles().at(str(page))


def test_it_is_known_by_path_by_contents_and_by_folder(store, page):
    files = MarkedFiles(store)
    files.put(str(page), "a")
    page.rename(page.with_name("moved"))
    assert files.at(str(page.with_name("moved"))) == "a"
    page.write_text("changed since")
    assert files.at(str(page)) == "a"
    files.put(str(page.parent), "b")
    assert files.at(str(page.parent / "deep" / "er")) == "b"


def test_a_mark_can_be_taken_back(store, page):
    files = MarkedFiles(store)
    files.put(str(page), "a")
    files.put(str(page), "")
    assert files.at(str(page)) == "" == MarkedFiles(store).at(str(page))


def test_two_see_what_the_other_writes(store, page):
    one, other = MarkedFiles(store), MarkedFiles(store)
    one.put("/a", "x")
    assert other.at("/a") == "x"
    other.put("/b", "y")
    assert sorted(one.paths()) == ["/a", "/b"]


def test_damage_and_a_torn_line_cost_only_themselves(store):
    files = MarkedFiles(store)
    files.put("/a", "x")
    with open(store, "ab") as file:
        file.write(b'\xff\xfe\n[1]\nnull\n{"path": "/torn"')
    MarkedFiles(store).put("/b", "y")
    assert sorted(MarkedFiles(store).paths()) == ["/a", "/b"]


def test_it_is_bounded(store, monkeypatch):
    monkeypatch.setattr(marked, "MOST_MARKS", 10)
    files = MarkedFiles(store)
    for number in range(60):
        files.put(f"/{number}", "x")
    assert list(files.paths()) == [f"/{n}" for n in range(50, 60)] == list(MarkedFiles(store).paths())
    with open(store, "rb") as file:
        assert len(file.readlines()) <= 22


def test_where_nothing_can_be_written_it_holds_for_this_process(tmp_path, caplog):
    (tmp_path / "file").write_text("")
    files = MarkedFiles(str(tmp_path / "file" / "marks"))
    files.put("/a", "x")
    files.put("/b", "x")
    assert files.at("/a") == "x" and caplog.text.count("can't be kept") == 1


WRITER = """
import sys
from handiwork.backends.files.marked import MarkedFiles
files = MarkedFiles(sys.argv[1])
for number in range(100):
    files.put(f"/{sys.argv[2]}/{number}", "x")
"""


@pytest.mark.integration
def test_eight_processes_lose_nothing(store):
    started = time.monotonic()
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, store, str(n)]) for n in range(8)]
    assert [writer.wait(60) for writer in writers] == [0] * 8
    assert len(MarkedFiles(store).paths()) == 800
    assert time.monotonic() - started < 30
