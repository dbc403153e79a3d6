"""What a command costs: a plain process, one from the spawner, one that is confined, and a whole `terminal` call.

    python bench/spawn.py [ROUNDS]

Sides take turns within a round. CPU counts this process, the helper, the keepers and the commands.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from handiwork.backends.environment.children.child import Nursery
from handiwork.backends.environment.children.confinement import Confinement, Files
from handiwork.backends.environment.children.spawner import SPAWNER
from handiwork.backends.environment.local import LocalEnvironment
from handiwork.core.types import Command

ARGV = ("/bin/sh", "-c", ":")
ENV = {"PATH": os.environ["PATH"]}
CONFINEMENT = Confinement(Files(read=("/etc", "/proc"), write=("/tmp",), execute=("/usr", "/bin", "/lib", "/lib64")))
_TICK_MS = 1000 / os.sysconf("SC_CLK_TCK")


def plain() -> None:
    """A process of the standard library's."""
    subprocess.run(ARGV, cwd="/", env=ENV, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True)


def spawned(nursery: Nursery, confinement: Confinement | None = None) -> None:
    """The same from the spawner, until nothing of it is left."""
    child = nursery.start(ARGV, cwd="/", env=ENV, confinement=confinement)
    assert child.wait(10) == 0 and child.wait_gone(10)
    nursery.forget(child)


def terminal(environment: LocalEnvironment) -> None:
    """A whole command: its environment, its output, its end."""
    assert environment.run(Command(":", cwd="/")).exit_code == 0


def wall_ms(work: Callable[[], None]) -> float:
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


def cpu_ms(work: Callable[[], None], calls: int) -> float:
    """Of one call, in ticks of the kernel, so that many calls are needed."""
    before = _all_cpu_ms()
    for _ in range(calls):
        work()
    return (_all_cpu_ms() - before) / calls


def _all_cpu_ms() -> float:
    own = sum(os.times()[:4]) * 1000
    keepers = _children(SPAWNER._helper)
    return own + sum(_cpu_ms(pid) for pid in (SPAWNER._helper, *keepers))


def _cpu_ms(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) * _TICK_MS


def _children(pid: int) -> list[int]:
    stats = [path.read_text(encoding="utf-8").rpartition(")")[2].split() for path in Path("/proc").glob("[0-9]*/stat")]
    pids = [int(path.parent.name) for path in Path("/proc").glob("[0-9]*/stat")]
    return [child for child, fields in zip(pids, stats, strict=False) if int(fields[1]) == pid]


def main() -> None:
    """Print medians and what they are over a plain process."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    nursery, environment = Nursery(), LocalEnvironment()
    first = wall_ms(lambda: spawned(nursery))
    sides: dict[str, Callable[[], None]] = {
        "plain": plain,
        "spawner": lambda: spawned(nursery),
        "Landlock and seccomp": lambda: spawned(nursery, CONFINEMENT),
        "terminal": lambda: terminal(environment),
    }
    times: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(rounds):
        for name, work in sides.items():
            times[name].append(wall_ms(work))
    floor = statistics.median(times["plain"])
    print(f"{'':24}{'ms':>8}{'p95':>8}{'over plain':>12}{'ratio':>8}{'CPU ms':>8}")
    for name, work in sides.items():
        middle, p95 = statistics.median(times[name]), statistics.quantiles(times[name], n=20)[-1]
        cpu = cpu_ms(work, rounds)
        print(f"{name:24}{middle:8.2f}{p95:8.2f}{middle - floor:+12.2f}{middle / floor:8.2f}{cpu:8.2f}")
    print(f"the first one, with the start of the helper: {first:.1f} ms")
    environment.close()


if __name__ == "__main__":
    main()
