"""Clocks for the probes, which run in every environment: standard library only."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROUNDS = 5


def cpu_us(work: Callable[[], object], calls: int = 2_000) -> float:
    """CPU microseconds of one call, all threads counted: the median of five rounds of `calls` calls."""
    work()
    return statistics.median(_round_us(work, calls) for _ in range(ROUNDS))


def once_ms(work: Callable[[], object]) -> float:
    """CPU milliseconds of the first and only call."""
    started = time.process_time()
    work()
    return (time.process_time() - started) * 1e3


def peak_mb() -> float:
    """The largest resident size of this process so far, in MB.

    Read from `/proc`, since the figure that `wait4` reports also counts the parent before `exec`.
    """
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    kilobytes = next(line.split()[1] for line in lines if line.startswith("VmHWM:"))
    return int(kilobytes) / 1024


def module_count() -> float:
    """How many modules this process has imported."""
    return float(len(sys.modules))


def _round_us(work: Callable[[], object], calls: int) -> float:
    started = time.process_time()
    for _ in range(calls):
        work()
    return (time.process_time() - started) / calls * 1e6
