"""The three places a call can come from, and many calls at once: standard library only."""

from __future__ import annotations

import asyncio
import statistics
import threading
import time
from collections.abc import Awaitable, Callable

import timing

TICK_S = 0.001


def in_thread(work: Callable[[], float]) -> float:
    """Run a measurement in a worker thread."""
    found: list[float] = []
    worker = threading.Thread(target=lambda: found.append(work()))
    worker.start()
    worker.join()
    return found[0]


def inside_loop(work: Callable[[], float]) -> float:
    """Run a measurement in a thread whose event loop is running, as a server's is."""

    async def main() -> float:
        return work()

    return asyncio.run(main())


def from_everywhere(name: str, work: Callable[[], object]) -> dict[str, float]:
    """CPU microseconds of a call from the main thread, a worker, and a thread whose loop runs."""
    return {
        f"{name}_main_us": timing.cpu_us(work),
        f"{name}_worker_us": in_thread(lambda: timing.cpu_us(work)),
        f"{name}_loop_us": inside_loop(lambda: timing.cpu_us(work)),
    }


def awaited_cpu_us(one: Callable[[], Awaitable[object]], calls: int) -> float:
    """CPU microseconds of one awaited call in a running loop, one after the other: median of five rounds."""
    return statistics.median(asyncio.run(_awaited_us(one, calls)) for _ in range(timing.ROUNDS))


def wall_and_gap(one: Callable[[], Awaitable[object]], count: int) -> dict[str, float]:
    """Wall milliseconds of `count` calls at once, and the longest time in which the loop ran nothing else."""
    return asyncio.run(_wall_and_gap(one, count))


def gathered_cpu_ms(one: Callable[[], Awaitable[object]], count: int) -> float:
    """CPU milliseconds of `count` calls at once in one loop, after a warm-up."""
    return asyncio.run(_gathered_cpu_ms(one, count))


async def _wall_and_gap(one: Callable[[], Awaitable[object]], count: int) -> dict[str, float]:
    await one()
    gaps: list[float] = []
    ticker = asyncio.create_task(_tick(gaps))
    await asyncio.sleep(5 * TICK_S)
    gaps.clear()
    started = time.perf_counter()
    await asyncio.gather(*(one() for _ in range(count)))
    wall_ms = (time.perf_counter() - started) * 1e3
    await asyncio.sleep(5 * TICK_S)
    ticker.cancel()
    return {f"together{count}_ms": wall_ms, f"together{count}_gap_ms": max(gaps) * 1e3}


async def _gathered_cpu_ms(one: Callable[[], Awaitable[object]], count: int) -> float:
    await one()
    started = time.process_time()
    await asyncio.gather(*(one() for _ in range(count)))
    return (time.process_time() - started) * 1e3


async def _awaited_us(one: Callable[[], Awaitable[object]], calls: int) -> float:
    await one()
    started = time.process_time()
    for _ in range(calls):
        await one()
    return (time.process_time() - started) / calls * 1e6


async def _tick(gaps: list[float]) -> None:
    last = time.perf_counter()
    while True:
        await asyncio.sleep(TICK_S)
        now = time.perf_counter()
        gaps.append(now - last)
        last = now
