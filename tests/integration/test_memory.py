"""Notes that several processes write at once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from handiwork.agent.memory import Memory

pytestmark = pytest.mark.integration

SRC = Path(__file__).parents[2] / "src"
WORKER = """
import sys
from pathlib import Path
from handiwork.agent.memory import Memory
memory = Memory(Path(sys.argv[1]), {"user": 0, "memory": 100_000})
for n in range(100):
    memory({"action": "add", "target": "memory", "content": f"note {sys.argv[2]} {n}."})
    if n % 10 == 9:
        memory({"action": "remove", "target": "memory", "old": f"note {sys.argv[2]} {n}."})
"""


def test_eight_processes_lose_no_note(tmp_path):
    words = [sys.executable, "-c", WORKER, str(tmp_path)]
    workers = [subprocess.Popen([*words, f"w{n}"], env={"PYTHONPATH": str(SRC)}) for n in range(8)]
    assert [worker.wait(60) for worker in workers] == [0] * 8
    listed = Memory(tmp_path)({"action": "list", "target": "memory"}).value["notes"]
    assert sorted(listed) == sorted(f"note w{w} {n}." for w in range(8) for n in range(100) if n % 10 != 9)
    assert [path.name for path in tmp_path.iterdir()] == ["memory.md"]
