"""The store: what is appended stays, sessions are found, claimed once, copied and removed."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
import threading
from contextlib import closing

import pytest

from handiwork.backends.storage import owner
from handiwork.backends.storage.connections import open_writer
from handiwork.backends.storage.ids import new_id
from handiwork.backends.storage.reading import Reader
from handiwork.backends.storage.schema import MIGRATIONS, VERSION, version_of
from handiwork.backends.storage.sqlite import SqliteStore
from handiwork.core.errors import SessionBusyError, StorageError, UnknownNameError, UsageError
from handiwork.core.types import SessionInfo
from handiwork.core.wire import dumps


def texts(reader, info):
    return [e.body["message"]["content"] for e in reader.entries(info.number) if "message" in e.body]


def test_what_was_appended_is_read_in_order_by_anybody(store, path, add):
    first, second = add("one", "zwei", "三"), add("other")
    assert texts(store, first) == ["one", "zwei", "三"]
    with closing(Reader(path)) as reader:
        assert texts(reader, second) == ["other"]
    assert [e.kind for e in store.entries(first.number)] == ["begun", "prompt", "prompt", "prompt", "ended"]


@pytest.mark.parametrize("text", ["\ud800 half a pair", "nul \0 inside", "\U0001f600", "x" * 300_000, ""])
def test_any_text_survives(store, add, text):
    assert texts(store, add(text)) == [text]
    assert not [e for e in store.entries(1) if e.kind == "lost"]


def test_files_are_their_owners_alone(store, path, add):
    add("x")
    folder = os.path.dirname(path)
    assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700
    assert {stat.S_IMODE(os.stat(os.path.join(folder, n)).st_mode) for n in os.listdir(folder)} == {0o600}


def test_a_session_is_found_by_its_id_the_beginning_of_it_or_last(store, add):
    first, second = add("one"), add("two")
    assert store.find(first.id).number == first.number
    assert store.find(second.id) == second == store.find("last")
    with pytest.raises(UsageError, match="several"):
        store.find(first.id[:4])
    for wrong in ("nosuch", ""):
        with pytest.raises(UnknownNameError):
            store.find(wrong)


def test_ids_are_short_and_later_ones_sort_behind():
    times = [1_600_000_000_000, 1_790_000_000_000, 1_790_000_000_001, 2_600_000_000_000]
    ids = [new_id(at) for at in times]
    assert ids == sorted(ids) and {len(i) for i in ids} == {11}
    assert len({new_id() for _ in range(50)}) > 40


def test_only_one_process_works_on_a_session(store, add, monkeypatch):
    info = add("x")
    store.claim(info)
    assert store.find(info.id).state == "running"
    store.claim(info)  # it is ours
    sleeper = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    other = f"{os.uname().nodename} {sleeper.pid} {owner._started(sleeper.pid)}"
    store._writer.execute("UPDATE sessions SET owner = ?", (other,))
    with pytest.raises(SessionBusyError) as busy:
        store.claim(info)
    assert "sessions fork" in busy.value.hint
    with pytest.raises(SessionBusyError):
        store.delete(info)
    sleeper.communicate()
    assert store.find(info.id).state == "interrupted"
    store.claim(info)
    with pytest.raises(SessionBusyError, match="deleted"):
        store.claim(SessionInfo("gone", 999))


def test_a_later_process_with_the_same_number_is_another():
    mine = owner.this_process()
    host, pid, started = mine.split()
    assert owner.is_alive(mine) and not owner.is_alive(f"{host} {pid} {int(started) + 1}")
    assert not owner.is_alive("") and not owner.is_alive("nonsense") and owner.is_alive(f"elsewhere {pid} 1")


def test_a_fork_goes_its_own_way(store, add):
    info = add("one", "two", "three")
    copy = store.fork(info, 3)
    assert texts(store, copy) == ["one", "two"] and store.find(copy.id).parent == info.id
    store.append(copy.number, 4, "prompt", call="", body='{"message": {"content": "else"}}')
    assert texts(store, copy) == ["one", "two", "else"] and texts(store, info) == ["one", "two", "three"]


def test_a_fork_keeps_its_own_files(store, add, tmp_path):
    long = tmp_path / "long.txt"
    long.write_text("whole")
    info = add("one", ended=False)
    whole = {"path": store.keep_file(info.id, str(long)), "sha256": "x"}
    store.append(info.number, 3, "result", call="c", body=dumps({"message": {}, "whole": whole}))
    copy = store.fork(info, 3)
    store.release(info, "answered")
    store.delete(info)
    (kept,) = [e.body["whole"]["path"] for e in store.entries(copy.number) if e.kind == "result"]
    assert os.path.exists(kept) and not os.path.exists(whole["path"])
    again = store.fork(copy, 3)
    assert os.path.basename(kept) == f"{copy.id}-long.txt" and len(os.listdir(os.path.dirname(kept))) == 2
    assert again.entries == 3


def test_nothing_of_a_deleted_session_is_left(store, path, add, tmp_path):
    long = tmp_path / "long-1-2-3.txt"
    long.write_text("whole")
    info, other = add("a very private word"), add("public")
    kept = store.keep_file(info.id, str(long))
    assert store.search("private")
    store.delete(info)
    assert not store.search("private") and [i.id for i in store.sessions()] == [other.id]
    assert not os.path.exists(kept) and long.exists()
    store.close()
    with open(path, "rb") as file:
        assert b"very private" not in file.read()


def test_many_threads_write_at_once(store):
    info = store.begin(SessionInfo(""))
    seqs = iter(range(2, 402))
    lock = threading.Lock()

    def work():
        for _ in range(50):
            with lock:
                seq = next(seqs)
            store.append(info.number, seq, "prompt", call="", body='{"message": {"content": "x"}}')

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [e.seq for e in store.entries(info.number)] == list(range(1, 402))


def test_an_older_file_is_brought_up_to_date_with_all_it_holds(path):
    os.makedirs(os.path.dirname(path))
    old = sqlite3.connect(path, isolation_level=None)
    old.execute("CREATE TABLE schema_version (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL)")
    for statement in MIGRATIONS[0]:
        old.execute(statement)
    old.execute("INSERT INTO schema_version VALUES (1, 'then')")
    facts = ("1a", "t", "m", "/w", "cli", "", "", "", "answered", "", 5, 6, 1)
    old.execute(f"INSERT INTO sessions VALUES (7, {', '.join('?' * 13)})", facts)
    old.close()
    with closing(Reader(path)) as reader:
        assert reader.sessions()[0].id == "1a"
    with closing(SqliteStore(path)) as store:
        assert version_of(store._writer) == VERSION and not store.search("x")


def test_a_file_of_a_newer_version_is_left_alone(path):
    connection = open_writer(path)
    connection.execute("INSERT INTO schema_version VALUES (99, 'later')")
    connection.close()
    for opening in (SqliteStore, Reader):
        with pytest.raises(StorageError, match="newer"):
            opening(path)


@pytest.mark.parametrize("place", ["/proc/nowhere/sessions.db", "/dev/null/x/sessions.db"])
def test_where_nothing_can_be_stored_that_is_an_error_with_a_next_step(place):
    with pytest.raises(StorageError) as raised:
        SqliteStore(place)
    assert "sessions.db" in str(raised.value) and raised.value.hint


def test_a_folder_in_its_place_is_told(path):
    os.makedirs(path)
    with pytest.raises(StorageError, match="unable to open"):
        SqliteStore(path)


def test_a_full_disk_is_told(store, add):
    info = add("x", ended=False)
    store._writer.execute("PRAGMA max_page_count = 1")
    with pytest.raises(StorageError, match="full"):
        for seq in range(10, 200):
            store.append(info.number, seq, "prompt", call="", body=f'{{"x": "{"y" * 4000}"}}')
