"""One side of `terminal.py`, run by its own interpreter: `python terminal_probe.py ours|anchor WHAT`.

WHAT is `call` (a short command against a plain process), `flood` (1 GiB from one command) or
`background` (starting one). Prints one JSON object of figures on its last line.
"""

from __future__ import annotations

import importlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Figures = dict[str, float]
SHORT = "echo hi"
FLOOD = "head -c 1073741824 /dev/zero | tr '\\0' x"
ROUNDS = 100


def open_ours() -> Callable[..., str]:
    """Ours through the whole pipeline: repair, guard, masking, limits."""
    handle: Callable[..., str] = importlib.import_module("handiwork").handle_function_call
    folder = tempfile.mkdtemp()

    def call(command: str, **more: Any) -> str:
        args = {"command": command, "timeout": 300, **more}
        return handle("terminal", args, cwd=folder, approver=lambda *_: True)

    return call


def open_anchor() -> Callable[..., str]:
    """The anchor's own function for it, with what it asks of a person agreed to."""
    run: Callable[..., str] = importlib.import_module("tools.terminal_tool").terminal_tool

    def call(command: str, **more: Any) -> str:
        return run(command, timeout=300, force=True, **more)

    return call


def plain() -> None:
    """What it costs at least."""
    subprocess.run(["bash", "-c", SHORT], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True)


def measure_call(call: Callable[..., str]) -> Figures:
    """Medians in milliseconds, sides taking turns; CPU counts this process and its ended children."""
    assert "hi" in call(SHORT), call(SHORT)
    for _ in range(5):
        call(SHORT)
    ours, theirs = [], []
    for _ in range(ROUNDS):
        theirs.append(wall_ms(plain))
        ours.append(wall_ms(lambda: call(SHORT)))
    return {
        "call_ms": statistics.median(ours),
        "plain_ms": statistics.median(theirs),
        "over_plain_ms": statistics.median(ours) - statistics.median(theirs),
        "call_p95_ms": statistics.quantiles(ours, n=20)[-1],
        "own_cpu_ms": own_cpu_ms(lambda: call(SHORT)),
        "plain_own_cpu_ms": own_cpu_ms(plain),
    }


def measure_flood(call: Callable[..., str]) -> Figures:
    """1 GiB through one command: growth of resident memory, MB/s, and how much of it is answered."""
    call("seq 30000")  # a first long output loads what long outputs need
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak is counted from here on
    before = resident_mib("VmRSS")
    started = time.perf_counter()
    shown = len(call(FLOOD))
    speed = 1073.7 / (time.perf_counter() - started)
    return {"growth_mib": resident_mib("VmHWM") - before, "mb_per_s": speed, "shown_chars": shown}


def measure_background(call: Callable[..., str]) -> Figures:
    """Starting a process that goes on, until its handle is there."""
    call(SHORT)
    return {"background_ms": statistics.median(wall_ms(lambda: call("sleep 60", background=True)) for _ in range(9))}


def wall_ms(work: Callable[[], object]) -> float:
    """Milliseconds of one call."""
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


def own_cpu_ms(work: Callable[[], object]) -> float:
    """CPU milliseconds of one call in this process alone."""
    started = time.process_time()
    for _ in range(ROUNDS):
        work()
    return (time.process_time() - started) / ROUNDS * 1000


def resident_mib(which: str) -> float:
    """The resident size of this process, now (VmRSS) or at its peak (VmHWM)."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{which}:")) / 1024


def main() -> None:
    """Measure one thing on one side."""
    side, what = sys.argv[1:]
    opened = {"ours": open_ours, "anchor": open_anchor}[side]()
    measures = {"call": measure_call, "flood": measure_flood, "background": measure_background}
    figures = measures[what](opened)
    sys.stdout.flush()
    print("\n" + json.dumps(figures), flush=True)
    if side == "anchor":
        os._exit(0)  # it would wait for what it has started


if __name__ == "__main__":
    main()
