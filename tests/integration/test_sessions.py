"""Sessions among real processes: killed at any operation, and many on one home."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from handiwork.backends.storage.checking import find_damage
from handiwork.backends.storage.sqlite import SqliteStore

pytestmark = pytest.mark.integration

SRC = Path(__file__).parents[2] / "src"
WORKER = """
import sys, time
from handiwork.agent.session import Session
from handiwork.backends.storage.sqlite import SqliteStore
from handiwork.core.types import SessionInfo
path, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
store = SqliteStore(path)
longest = 0.0
for n in range(count):
    began = time.monotonic()
    session = Session(store, SessionInfo("", title=name))
    session.begin(name)
    session.keep_message({"role": "user", "content": f"{name}-{n}"}, "prompt")
    session.end("answered")
    session.close()
    assert not session.problem, session.problem
    longest = max(longest, time.monotonic() - began)
print(longest)
"""
OPENER = """
import sys
from handiwork.backends.storage.salvage import open_store
store, salvaged = open_store(sys.argv[1])
print("set aside" if salvaged else "found", len(store.sessions()))
"""


def start(source, *words):
    return subprocess.Popen([sys.executable, "-c", source, *map(str, words)], stdout=subprocess.PIPE, text=True,
                            env={"PYTHONPATH": str(SRC)})  # fmt: skip


def test_eight_processes_lose_nothing_and_wait_little(tmp_path):
    path = str(tmp_path / "home" / "sessions.db")
    workers = [start(WORKER, path, f"w{n}", 100) for n in range(8)]
    while any(worker.poll() is None for worker in workers):
        assert not Path(path).exists() or find_damage(path) == []
    longest = [float(worker.communicate(timeout=60)[0]) for worker in workers]
    assert all(worker.returncode == 0 for worker in workers)
    store = SqliteStore(path)
    said = [
        e.body["message"]["content"] for i in store.sessions(-1) for e in store.entries(i.number) if e.kind == "prompt"
    ]
    assert sorted(said) == sorted(f"w{n}-{m}" for n in range(8) for m in range(100))
    assert len({i.id for i in store.sessions(-1)}) == 800 and max(longest) < 5
    store.close()
    assert find_damage(path) == []


@pytest.mark.parametrize("content", [b"garbage " * 1000, b""])
def test_eight_processes_set_a_damaged_file_aside_once(tmp_path, content):
    path = tmp_path / "home" / "sessions.db"
    SqliteStore(str(path)).close()
    path.write_bytes(content)
    said = [worker.communicate(timeout=60)[0] for worker in [start(OPENER, path) for _ in range(8)]]
    assert sorted(said) == ["found 0\n"] * 7 + ["set aside 0\n"]
    assert len(list(path.parent.glob("*.damaged-*"))) == 1


def test_whatever_kills_a_run_it_is_gone_on_with_and_nothing_is_doubled_or_lost():
    seed = str(time.time_ns())  # what it says replays it
    words = [sys.executable, "-m", "kills", "--sample", "12", "--random", "4", "--seed", seed]
    paths = f"{SRC}:{Path(__file__).parent}"
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False,
                          env={"PYTHONPATH": paths, "PATH": os.environ["PATH"]})  # fmt: skip
    assert done.returncode == 0, f"seed {seed}\n{done.stdout}\n{done.stderr}"
