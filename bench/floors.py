"""What the bars are measured against, in plain Python: `python floors.py` prints the figures."""

from __future__ import annotations

import asyncio
import json
import threading

import samples
import timing
import together


def call_us() -> float:
    """Parse four fields, look a function up, call it."""
    table = {"tool": lambda args: args}
    return timing.cpu_us(lambda: table["tool"](json.loads(samples.ARGUMENTS_TEXT)), calls=20_000)


def hops() -> dict[str, float]:
    """`run_coroutine_threadsafe(...).result()` to a loop on a thread of its own, from three places."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()

    def hop() -> str:
        return asyncio.run_coroutine_threadsafe(samples.answer_async({}), loop).result()

    return together.from_everywhere("hop", hop)


def gather1000_ms() -> float:
    """1,000 bare naps in one loop."""
    return together.gathered_cpu_ms(lambda: samples.nap({}), 1_000)


if __name__ == "__main__":
    print(json.dumps({"call_us": call_us(), "gather1000_ms": gather1000_ms(), **hops()}))
