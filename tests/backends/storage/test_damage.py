"""Damage of every kind is found, its repair loses only what it hit, and opening mends by itself."""

from __future__ import annotations

import hashlib
import os
import random
import re
import shutil
import sqlite3
from contextlib import closing

import pytest

from handiwork.backends.storage.checking import find_damage
from handiwork.backends.storage.kept import kept_folder
from handiwork.backends.storage.repairing import repair
from handiwork.backends.storage.salvage import open_store
from handiwork.backends.storage.sqlite import SqliteStore
from handiwork.core.errors import SessionBusyError
from handiwork.core.types import SessionInfo
from handiwork.core.wire import dumps

pytestmark = pytest.mark.integration

PAGE = 2048


def fill(path: str, tmp_path) -> None:
    """Forty sessions, some with long entries, an index, and two kept files."""
    with closing(SqliteStore(path)) as store:
        for n in range(40):
            info = store.begin(SessionInfo("", title=f"title {n}", model="m", cwd="/w", started=1_790_000_000_000 + n))
            for seq in range(2, 8):
                text = f"marker-{n}-{seq} " + "words " * (1500 if (n + seq) % 11 == 0 else 20)
                body = {"message": {"role": "user", "content": text}}
                store.append(info.number, seq, "prompt", call="", body=dumps(body))
            if n < 2:
                long = tmp_path / f"long-{n}.txt"
                long.write_text("x" * 5000)
                kept = store.keep_file(info.id, str(long))
                whole = {"path": kept, "sha256": hashlib.sha256(b"x" * 5000).hexdigest(), "size": 5000}
                message = {"role": "tool", "tool_call_id": "c", "name": "t", "content": "cut"}
                store.append(info.number, 8, "result", call="c", body=dumps({"message": message, "whole": whole}))
            store.append(info.number, 8 + (n < 2), "ended", call="", body='{"ending": "answered", "reason": ""}')
            store.release(info, "answered")
        store.search("marker")


def sql(statement):
    def damage(path, rng):
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            changed = connection.execute(statement.format(n=rng.randint(1, 40), seq=rng.randint(2, 6))).rowcount
            assert changed > 0

    return damage


def in_file(change):
    def damage(path, rng):
        with open(path, "rb") as file:
            data = bytearray(file.read())
        change(data, rng)
        with open(path, "wb") as file:
            file.write(data)

    return damage


def flip_text(data, rng):
    place = rng.choice([m.start() for m in re.finditer(rb"marker-", data)])
    data[place + rng.randint(0, 6)] ^= 1 << rng.randint(0, 6)


def zero_page(data, rng):
    at = PAGE * rng.choice([n for n in range(len(data) // PAGE) if b"marker-" in data[n * PAGE : (n + 1) * PAGE]])
    data[at : at + PAGE] = bytes(PAGE)


def garble_page(data, rng):
    at = PAGE * rng.choice([n for n in range(1, len(data) // PAGE) if data[n * PAGE] in (2, 5, 10, 13)])
    data[at : at + 100] = rng.randbytes(100)


def garble_head(data, rng):
    length = rng.randint(20, 100)
    data[:length] = rng.randbytes(length)


def cut_short(data, rng):
    del data[rng.randint(1, len(data) - PAGE) :]


def emptied(data, rng):
    data.clear()


def all_garbage(data, rng):
    data[:] = rng.randbytes(len(data))


def kept(change):
    def damage(path, rng):
        folder = kept_folder(path)
        change(os.path.join(folder, sorted(os.listdir(folder))[rng.randint(0, 1)]))

    return damage


def appended(name):
    with open(name, "a") as file:
        file.write("y")


def changed(name):
    with open(name, "r+") as file:
        file.seek(2500)
        file.write("y")


ENTRY = "WHERE key = ({n} << 32) + {seq}"
KINDS = {
    "text flipped": in_file(flip_text),
    "page zeroed": in_file(zero_page),
    "page garbled": in_file(garble_page),
    "head garbled": in_file(garble_head),
    "cut short": in_file(cut_short),
    "emptied": in_file(emptied),
    "all garbage": in_file(all_garbage),
    "body changed": sql(f"UPDATE entries SET body = replace(body, 'words', 'wards') {ENTRY}"),
    "kind changed": sql(f"UPDATE entries SET kind = 'reply' {ENTRY}"),
    "time changed": sql(f"UPDATE entries SET at = at + 1 {ENTRY}"),
    "call changed": sql(f"UPDATE entries SET call = 'x' {ENTRY}"),
    "sum changed": sql(f"UPDATE entries SET crc = crc + 1 {ENTRY}"),
    "entry gone": sql(f"DELETE FROM entries {ENTRY}"),
    "end gone": sql("DELETE FROM entries WHERE key > ({n} << 32) + {seq} AND key < ({n} + 1) << 32"),
    "begin gone": sql("DELETE FROM entries WHERE key = ({n} << 32) + 1"),
    "entry moved": sql(f"UPDATE entries SET key = key + 100 {ENTRY}"),
    "all of it gone": sql("DELETE FROM entries WHERE key BETWEEN {n} << 32 AND ({n} + 1) << 32"),
    "not listed": sql("DELETE FROM sessions WHERE number = {n}"),
    "wrongly listed": sql("UPDATE sessions SET title = 'else' WHERE number = {n}"),
    "another start": sql("UPDATE sessions SET started = 7 WHERE number = {n}"),
    "another state": sql("UPDATE sessions SET state = 'ansvered' WHERE number = {n}"),
    "index garbled": sql("UPDATE words_data SET block = zeroblob(100) WHERE id > 10"),
    "index gone": sql("DELETE FROM words_data WHERE id > 10"),
    "file gone": kept(os.unlink),
    "file longer": kept(appended),
    "file changed": kept(changed),
    "rights": lambda path, rng: os.chmod(path, 0o644),
}


WORST = {"emptied", "all garbage", "cut short"}
LARGE = {"page zeroed", "page garbled", "head garbled"}


def said(path):
    """The texts that can be read."""
    with closing(SqliteStore(path)) as store:
        found = (e for info in store.sessions(-1) for e in store.entries(info.number))
        return {e.body["message"]["content"] for e in found if e.kind == "prompt"}


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("kind", KINDS)
def test_every_damage_is_found_and_its_repair_makes_nothing_worse(tmp_path, kind, seed):
    path = str(tmp_path / "home" / "sessions.db")
    fill(path, tmp_path)
    before = said(path)
    assert find_damage(path) == []
    KINDS[kind](path, random.Random(seed))
    damages = find_damage(path)
    assert damages, kind
    readable = set() if any(d.where == "database" for d in damages) else said(path)
    done = repair(path, damages)
    assert done and find_damage(path) == []
    after = said(path)
    assert readable <= after <= before
    assert len(after) >= (0 if kind in WORST else 0.8 * len(before) if kind in LARGE else len(before) - 6)


def left_by_a_dead_process(tmp_path):
    """A home whose log still holds everything."""
    path = str(tmp_path / "home" / "sessions.db")
    store = SqliteStore(path)
    info = store.begin(SessionInfo(""))
    store._writer.execute("UPDATE sessions SET owner = 'somebody who is gone'")
    for seq in range(2, 102):
        body = dumps({"message": {"role": "user", "content": f"marker-{seq}"}})
        store.append(info.number, seq, "prompt", call="", body=body)
    shutil.copytree(tmp_path / "home", tmp_path / "left")
    store.close()
    return str(tmp_path / "left" / "sessions.db")


@pytest.mark.parametrize(
    "at", [10, 20, 28, 32 + 50 * (PAGE + 24) + 4, 32 + 50 * (PAGE + 24) + 20, 32 + 50 * (PAGE + 24) + 100]
)
def test_a_damaged_log_is_no_silent_loss(tmp_path, at):
    path = left_by_a_dead_process(tmp_path)
    with open(f"{path}-wal", "r+b") as log:
        log.seek(at)
        byte = log.read(1)
        log.seek(at)
        log.write(bytes([byte[0] ^ 0x10]))
    damages = find_damage(path)
    assert damages and repair(path, damages) and find_damage(path) == []
    assert len(said(path)) >= 99


def test_a_log_that_a_dead_process_left_is_whole_and_so_is_one_with_half_a_frame(tmp_path):
    path = left_by_a_dead_process(tmp_path)
    with open(f"{path}-wal", "ab") as log:
        log.write(b"half a frame")
    assert find_damage(path) == [] and len(said(path)) == 100


def test_a_log_whose_next_round_was_just_begun_is_whole(tmp_path):
    path = left_by_a_dead_process(tmp_path)
    with open(f"{path}-wal", "rb") as log:
        frames = log.read()
    first = SqliteStore(path)  # reads the log in, and begins a new one
    first._writer.execute("PRAGMA wal_checkpoint(RESTART)")
    first.append(1, 102, "prompt", call="", body=dumps({"message": {"role": "user", "content": "marker-102"}}))
    with open(f"{path}-wal", "rb") as log:
        head = log.read(32)
    shutil.copytree(tmp_path / "left", tmp_path / "again")
    first.close()
    again = str(tmp_path / "again" / "sessions.db")
    with open(f"{again}-wal", "wb") as log:
        log.write(head + frames[32:])
    assert head[16:24] != frames[16:24] and find_damage(again) == []


@pytest.mark.parametrize("kind", ["head garbled", "all garbage", "emptied", "cut short"])
def test_opening_sets_a_damaged_file_aside_once_and_saves_what_is_whole(tmp_path, kind):
    path = str(tmp_path / "home" / "sessions.db")
    fill(path, tmp_path)
    before = said(path)
    KINDS[kind](path, random.Random(3))
    store, salvaged = open_store(path)
    store.close()
    assert salvaged and os.path.exists(salvaged.aside) and salvaged.aside in salvaged.told
    again, nothing = open_store(path)
    again.close()
    assert nothing is None and len([n for n in os.listdir(tmp_path / "home") if "damaged" in n]) == 1
    if kind == "head garbled":
        assert said(path) == before
    assert find_damage(path) == []


@pytest.mark.parametrize("moved", [False, True])
def test_a_repair_that_died_is_gone_on_with(tmp_path, moved):
    path = str(tmp_path / "home" / "sessions.db")
    fill(path, tmp_path)
    before = said(path)
    shutil.copy(path, f"{path}.making")
    if moved:
        os.rename(path, f"{path}.damaged-then")
    else:
        in_file(garble_head)(path, random.Random(1))
        with open(f"{path}.making", "r+b") as file:
            file.truncate(9000)
    open_store(path)[0].close()
    assert said(path) == before and not os.path.exists(f"{path}.making")


def test_no_repair_while_somebody_works(tmp_path):
    path = str(tmp_path / "home" / "sessions.db")
    fill(path, tmp_path)
    with closing(SqliteStore(path)) as store:
        store.claim(store.find("last"))
        sql("DELETE FROM entries WHERE key = (3 << 32) + 4")(path, random.Random(1))
        with pytest.raises(SessionBusyError):
            repair(path, find_damage(path))
