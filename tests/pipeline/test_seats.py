"""So many calls of a tool at once and no more, whoever makes them; nobody waits for ever, or longer than it may."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from handiwork.core.cancel import CancelToken
from handiwork.core.types import Scope, ToolCall, Traits
from handiwork.pipeline.line import Pipeline
from handiwork.pipeline.turn import run_turn

READ = Traits(read_only=True)


class Crowd:
    """Counts who is inside, and the most that ever were."""

    def __init__(self):
        self.lock, self.inside, self.most, self.ran = threading.Lock(), 0, 0, 0

    def __enter__(self):
        with self.lock:
            self.inside += 1
            self.most = max(self.most, self.inside)
            self.ran += 1

    def __exit__(self, *_):
        with self.lock:
            self.inside -= 1


@pytest.fixture
def crowd(add):
    """A tool of each kind under the same limit; both count in the same crowd."""
    crowd = Crowd()

    def stay(args):
        with crowd:
            time.sleep(0.015)
        return "ok"

    async def astay(args):
        with crowd:
            await asyncio.sleep(0.015)
        return "ok"

    add("stay", stay, traits=Traits(read_only=True, most_at_once=2))
    add("astay", astay, is_async=True, traits=Traits(read_only=True, most_at_once=2))
    return crowd


@pytest.mark.parametrize("tool", ["stay", "astay"])
def test_a_turn_keeps_to_the_limit_and_runs_all(pipeline, crowd, tool):
    results = asyncio.run(run_turn(pipeline, [ToolCall(tool, {}, str(n)) for n in range(7)]))
    assert [(r.call.id, r.content) for r in results] == [(str(n), "ok") for n in range(7)]
    assert (crowd.most, crowd.ran) == (2, 7)


@pytest.mark.parametrize("tool", ["stay", "astay"])
def test_threads_and_loops_wait_in_one_line(pipeline, crowd, tool):
    threads = [threading.Thread(target=pipeline.run, args=(ToolCall(tool, {}),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    asyncio.run(run_turn(pipeline, [ToolCall(tool, {}) for _ in range(4)]))
    for thread in threads:
        thread.join(5)
    assert (crowd.most, crowd.ran) == (2, 8)


@pytest.mark.parametrize(("named", "most"), [({"stay": 1}, 1), ({"demo": 3}, 3), ({"stay": 1, "demo": 5}, 1), ({}, 2)])
def test_a_person_may_set_it_by_tool_or_toolset(registry, crowd, named, most):
    pipeline = Pipeline(registry, most_at_once=named)
    asyncio.run(run_turn(pipeline, [ToolCall("stay", {}) for _ in range(6)]))
    assert crowd.most == most


def test_the_limit_of_a_toolset_is_for_all_its_tools_together(registry, crowd):
    pipeline = Pipeline(registry, most_at_once={"demo": 1})
    asyncio.run(run_turn(pipeline, [ToolCall(name, {}) for name in ("stay", "astay") * 3]))
    assert (crowd.most, crowd.ran) == (1, 6)


@pytest.mark.parametrize("driver", ["sync", "async"])
@pytest.mark.parametrize("kind", ["deadline", "cancel"])
def test_whoever_waits_too_long_or_is_cancelled_does_not_run(pipeline, add, driver, kind):
    free, ran = threading.Event(), []

    def hold(args):
        ran.append(1)
        free.wait(5)

    add("hold", hold, traits=Traits(read_only=True, most_at_once=1))
    first = threading.Thread(target=pipeline.run, args=(ToolCall("hold", {}),))
    first.start()
    while not ran:
        time.sleep(0.001)
    token = CancelToken()
    scope = Scope(deadline=time.monotonic() + 0.1) if kind == "deadline" else Scope(cancel=token)
    if kind == "cancel":
        threading.Timer(0.1, token.cancel).start()
    call = ToolCall("hold", {}, scope=scope)
    began = time.perf_counter()
    result = pipeline.run(call) if driver == "sync" else asyncio.run(pipeline.arun(call))
    took = time.perf_counter() - began
    free.set()
    first.join(5)
    assert 0.05 < took < 1 and result.is_error and len(ran) == 1
    assert ("cancelled" if kind == "cancel" else "time was up") in result.content and "not run" in result.content
    assert pipeline.run(ToolCall("hold", {})).status == "ok"  # its place in the line is nobody's


@pytest.mark.parametrize("driver", ["sync", "async"])
@pytest.mark.parametrize("depth", [1, 3])
def test_a_call_inside_one_of_the_same_tool_does_not_wait_for_it(pipeline, add, driver, depth):
    def nest(args, *, scope):
        return scope.call("nest", {"n": args["n"] - 1}) if args["n"] else "the end"

    async def anest(args, *, scope):
        return await scope.acall("anest", {"n": args["n"] - 1}) if args["n"] else "the end"

    traits = Traits(read_only=True, most_at_once=1)
    add("nest", nest, traits=traits, properties={"n": {"type": "integer"}})
    add("anest", anest, is_async=True, traits=traits, properties={"n": {"type": "integer"}})
    for name in ("nest", "anest"):
        call = ToolCall(name, {"n": depth})
        result = pipeline.run(call) if driver == "sync" else asyncio.run(asyncio.wait_for(pipeline.arun(call), 5))
        assert result.content == "the end"


def test_several_calls_inside_one_seat_run_one_after_the_other(pipeline, add):
    crowd = Crowd()

    async def spread(args, *, scope):
        if args.get("leaf"):
            with crowd:
                await asyncio.sleep(0.02)
            return "leaf"
        return list(await asyncio.gather(*(scope.acall("spread", {"leaf": True}) for _ in range(4))))

    traits = Traits(read_only=True, most_at_once=2)
    add("spread", spread, is_async=True, traits=traits, properties={"leaf": {"type": "boolean"}})
    results = asyncio.run(run_turn(pipeline, [ToolCall("spread", {}) for _ in range(2)]))
    assert all(r.content.count("leaf") == 4 for r in results)
    assert (crowd.most, crowd.ran) == (2, 8)


def test_calls_that_would_wait_for_each_other_for_ever_are_told_so(pipeline, add):
    both = threading.Barrier(2, timeout=5)

    def tool(other):
        def handler(args, *, scope):
            if args.get("leaf"):
                return "leaf"
            both.wait()
            return scope.call(other, {"leaf": True})

        return handler

    traits = Traits(read_only=True, most_at_once=1)
    add("left", tool("right"), traits=traits, properties={"leaf": {"type": "boolean"}})
    add("right", tool("left"), traits=traits, properties={"leaf": {"type": "boolean"}})
    calls = [ToolCall("left", {}), ToolCall("right", {})]
    results = asyncio.run(asyncio.wait_for(run_turn(pipeline, calls), 5))
    told = sorted(r.content for r in results)
    assert told[0] == "leaf" and "wait for this one to end" in told[1]


def test_a_limit_that_is_none_is_refused(registry, add):
    add("wrong", traits=Traits(most_at_once=0))
    assert registry.get("wrong") is None


def test_a_hundred_that_wait_block_no_loop(pipeline, add):
    add("slow", lambda args: time.sleep(0.002), traits=Traits(read_only=True, most_at_once=4))

    async def work():
        gaps, last = [], time.perf_counter()
        calls = [ToolCall("slow", {}) for _ in range(100)]
        turn = asyncio.create_task(run_turn(pipeline, calls))
        while not turn.done():
            await asyncio.sleep(0.005)
            gaps.append(time.perf_counter() - last)
            last = time.perf_counter()
        return gaps, await turn

    gaps, results = asyncio.run(work())
    assert all(result.status == "ok" for result in results)
    gaps.sort()
    assert gaps[len(gaps) // 2] < 0.1
