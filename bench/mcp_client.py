"""What a call of an MCP tool costs over the SDK alone, how long servers take to start, and how long answers to read.

    python bench/mcp_client.py [CALLS]

The server is `tests/integration/mcp/faulty_peer.py`, which has no SDK. Sides take turns within a round. The SDK's
side is one call of its `Client` after the other, on a loop of its own; ours is a whole call through the pipeline
from a thread, with guard, repair, fence and both loops.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from mcp import Client, StdioServerParameters

from handiwork.catalog.store import ToolRegistry
from handiwork.core.types import ToolCall
from handiwork.guard.policies import policy
from handiwork.pipeline.limits import Limits
from handiwork.pipeline.line import Pipeline
from handiwork.sources.mcp.asking.callers import Caller
from handiwork.sources.mcp.exchange import Call, carry_out
from handiwork.sources.mcp.host import Host
from handiwork.sources.mcp.loop import mcp_bridge
from handiwork.sources.mcp.settings import read_servers

SERVER = str(Path(__file__).parents[1] / "tests" / "integration" / "mcp" / "faulty_peer.py")
ROUNDS = 5


class Ours:
    """A host with one server for each mode, and the pipeline around it."""

    def __init__(self, home: str, modes: list[str]) -> None:
        registry = ToolRegistry()
        servers = {f"{m}{i}": {"command": sys.executable, "args": [SERVER, m]} for i, m in enumerate(modes)}
        self.host = Host(registry, read_servers(servers), home=home)
        self.pipeline = Pipeline(registry, judge=policy(), limits=Limits(folder=os.path.join(home, "results")))

    def start(self) -> float:
        began = time.perf_counter()
        self.host.check(self.host.servers)
        return time.perf_counter() - began

    def host_only(self, server: str) -> object:
        """A call without the pipeline around it."""
        (definition,) = self.host.offering.shelf(server).offered.values()
        call = Call(definition, {}, time.monotonic() + 60, Caller(ToolCall(definition.name, {})))
        return mcp_bridge.run(carry_out(self.host.supervisor(server), call))

    def call(self, server: str) -> str:
        return self.pipeline.run(ToolCall(f"mcp__{server}__go", {})).content


def per_call_ms(call: Callable[[], object], calls: int) -> float:
    began = time.perf_counter()
    for _ in range(calls):
        call()
    return (time.perf_counter() - began) / calls * 1000


async def sdk_ms(client: Client, calls: int) -> float:
    began = time.perf_counter()
    for _ in range(calls):
        await client.call_tool("go", {})
    return (time.perf_counter() - began) / calls * 1000


async def overhead(calls: int, home: str) -> None:
    ours = Ours(home, ["plain"])
    ours.start()
    alone, whole, cpu = [], [], []
    async with Client(StdioServerParameters(command=sys.executable, args=[SERVER, "plain"]), mode="legacy") as client:
        for _ in range(ROUNDS):
            began = time.process_time()
            alone.append(await sdk_ms(client, calls))
            middle = time.process_time()
            whole.append(await asyncio.to_thread(per_call_ms, lambda: ours.call("plain0"), calls))
            cpu.append(((middle - began) / calls * 1000, (time.process_time() - middle) / calls * 1000))
    ours.host.close()
    sdk, all_ = statistics.median(alone), statistics.median(whole)
    sdk_cpu, all_cpu = (statistics.median(side) for side in zip(*cpu, strict=True))
    print(f"a call       SDK alone {sdk:.2f} ms ({sdk_cpu:.2f} CPU)   whole call {all_:.2f} ms ({all_cpu:.2f} CPU)")
    print(f"             over the SDK {all_ - sdk:+.2f} ms   goal <= +0.50")


def starting(home: str) -> None:
    one = Ours(home, ["slow_start"])
    alone = one.start()
    one.host.close()
    eight = Ours(os.path.join(home, "eight"), ["slow_start"] * 8)
    began = time.perf_counter()
    eight.host.begin()
    waited = time.perf_counter() - began
    together = eight.start()
    eight.host.close()
    print(f"starting     one slow server {alone:.2f} s   eight of them {together:.2f} s   begin {waited * 1000:.1f} ms")


def reading(home: str) -> None:
    ours = Ours(os.path.join(home, "long"), ["ten", "huge"])
    ours.start()
    ten = statistics.median(per_call_ms(lambda: ours.host_only("ten0"), 1) for _ in range(ROUNDS))
    whole = statistics.median(per_call_ms(lambda: ours.call("ten0"), 1) for _ in range(3))
    fifty = statistics.median(per_call_ms(lambda: ours.call("huge1"), 1) for _ in range(3))
    after = per_call_ms(lambda: ours.host_only("ten0"), 1)
    ours.host.close()
    print(f"long answers 10 MB {ten / 1000:.2f} s, goal <= 0.5   50 MB refused {fifty / 1000:.2f} s, goal <= 2")
    print(f"             10 MB after that {after / 1000:.2f} s   with masking, fence and file {whole / 1000:.2f} s")


def main() -> None:
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    with tempfile.TemporaryDirectory() as home:
        asyncio.run(overhead(calls, home))
        reading(home)
        starting(home)


if __name__ == "__main__":
    main()
