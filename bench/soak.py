"""Many calls of all kinds in one process: what grows, and what doesn't come back.

    python bench/soak.py --calls 10000 [--sessions 64] [--seed 1]

Calls go through the pipeline of the default house, as an agent's do, from many sessions at once. After a
warm-up of a tenth of them, memory may grow by 10 MB at most; threads, tasks, descriptors, child
processes and temporary files must be back at the end. Exit code 1 where something isn't.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import random
import resource
import shutil
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from statistics import quantiles
from typing import Any

from handiwork import registry
from handiwork.apps.house import default
from handiwork.core.types import ToolCall
from handiwork.guard.approval import allow_all
from handiwork.pipeline.turn import run_turn

MOST_GROWTH_MB = 10.0
# Keepers of ended commands that wait for the next one, each with a descriptor here.
IDLE_KEEPERS = 8
CHUNK = 32
LINES = "line\n" * 50
KINDS: dict[str, tuple[int, Callable[[random.Random, str], dict[str, Any]]]] = {
    "read_file": (30, lambda rng, s: {"path": f"{s}/f{rng.randint(0, 3)}.txt", "limit": rng.randint(1, 50)}),
    "write_file": (
        10,
        lambda rng, s: {"path": f"{s}/f{rng.randint(0, 3)}.txt", "content": "line\n" * 50, "force": True},
    ),
    "patch": (5, lambda rng, s: {"path": f"{s}/f0.txt", "old_string": f"none {rng.random()}", "new_string": "x"}),
    "search_files": (2, lambda rng, s: {"pattern": "line", "path": s, "limit": 5}),
    "terminal": (3, lambda rng, s: {"command": f"cd {s} 2>/dev/null; export N={rng.randint(0, 9)}; echo $N; pwd"}),
    "calculate": (20, lambda rng, s: {"expression": f"{rng.randint(1, 99)} * {rng.randint(1, 99)}"}),
    "soak_async": (20, lambda rng, s: {"n": rng.randint(0, 9)}),
    "soak_failing": (4, lambda rng, s: {}),
    "read_fil": (2, lambda rng, s: {"path": "x"}),
    "soak_long": (4, lambda rng, s: {}),
}


@dataclass(frozen=True)
class State:
    """What must come back. Memory is in MB."""

    memory_mb: float
    threads: int
    tasks: int
    descriptors: int
    children: int
    temporary: int


def state() -> State:
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    children = [p for t in Path("/proc/self/task").iterdir() for p in (t / "children").read_text().split()]
    return State(
        pages * resource.getpagesize() / 2**20,
        threading.active_count(),
        sum(1 for task in asyncio.all_tasks() if not task.done()),
        len(os.listdir("/proc/self/fd")),
        len(children),
        sum(1 for name in os.listdir(tempfile.gettempdir()) if name.startswith(("handiwork-", "tmp"))),
    )


def add_tools() -> None:
    async def soak_async(args: dict[str, Any]) -> dict[str, Any]:
        await asyncio.sleep(0.001)
        return {"n": args["n"]}

    def soak_failing(args: dict[str, Any]) -> str:
        raise LookupError("nothing here")

    parameters: dict[str, Any] = {"type": "object", "properties": {"n": {"type": "integer"}}}
    for name, fn, is_async in (
        ("soak_async", soak_async, True),
        ("soak_failing", soak_failing, False),
        ("soak_long", lambda args: "long " * 40_000, False),
    ):
        registry.register(name, "soak", {"name": name, "parameters": parameters}, fn, is_async=is_async)


async def soak(calls: int, sessions: int, seed: int, folder: Path) -> bool:
    rng, house = random.Random(seed), default()
    names, weights = list(KINDS), [weight for weight, _ in KINDS.values()]
    scopes = []
    for n in range(sessions):
        (folder / f"s{n}").mkdir()
        for k in range(4):
            (folder / f"s{n}" / f"f{k}.txt").write_text(LINES)
        scopes.append(house.scope(session_id=f"soak-{n}", cwd=str(folder), approver=allow_all))
    spent: list[float] = []
    early: list[float] = []
    before: State | None = None
    done = 0

    async def one() -> None:
        session = rng.randrange(sessions)
        name = rng.choices(names, weights)[0]
        call = ToolCall(name, KINDS[name][1](rng, str(folder / f"s{session}")), "c", scopes[session])
        began = time.perf_counter()
        await run_turn(house.pipeline, [call])
        spent.append((time.perf_counter() - began) * 1000)

    cpu = time.process_time()
    while done < calls:
        await asyncio.gather(*(one() for _ in range(CHUNK)))
        done += CHUNK
        if before is None and done >= calls // 10:
            before = state()
            early, spent = spent, []
            cpu_early, cpu = time.process_time() - cpu, time.process_time()
    cpu_late = time.process_time() - cpu
    await asyncio.sleep(1)
    after = state()
    assert before is not None
    return report(before, after, spent, (cpu_early / len(early), cpu_late / len(spent)))


def report(before: State, after: State, spent: list[float], cpu: tuple[float, float]) -> bool:
    print(f"{'':14}{'after warm-up':>15}{'at the end':>13}")
    fine = True
    for field in fields(State):
        was, now = getattr(before, field.name), getattr(after, field.name)
        most = was + {"memory_mb": MOST_GROWTH_MB, "descriptors": IDLE_KEEPERS}.get(field.name, 0)
        fine &= now <= most
        print(f"{field.name:14}{was:15.1f}{now:13.1f}{'' if now <= most else '   MISSED'}")
    cuts = quantiles(spent, n=100)
    print(f"a call: median {cuts[49]:.2f} ms, p99 {cuts[98]:.1f} ms (wall, {CHUNK} at once)")
    ratio = cpu[1] / cpu[0]
    print(f"CPU a call: {cpu[0] * 1e6:.0f} us in the first tenth, {cpu[1] * 1e6:.0f} us after it, ratio {ratio:.2f}")
    return fine and ratio <= 1.3


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--sessions", type=int, default=64)
    parser.add_argument("--seed", type=int, default=1)
    said = parser.parse_args()
    home = tempfile.mkdtemp(prefix="soak-home-")
    os.environ["HANDIWORK_HOME"] = home
    folder = Path(tempfile.mkdtemp(prefix="soak-"))
    try:
        add_tools()
        return 0 if asyncio.run(soak(said.calls, said.sessions, said.seed, folder)) else 1
    finally:
        shutil.rmtree(folder)
        shutil.rmtree(home)


if __name__ == "__main__":
    raise SystemExit(main())
