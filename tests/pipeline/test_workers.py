"""Workers: time limits for sync handlers, held tools, nothing left behind."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from contextvars import ContextVar

import pytest

from handiwork.core.cancel import CancelToken
from handiwork.core.types import Scope, ToolCall, Traits

VAR: ContextVar[str] = ContextVar("var", default="none")


@pytest.fixture
def slow_tool(add):
    """Registers an async tool that takes long, and gives the event that is set when it ends."""

    def make(**traits):
        ended = threading.Event()

        async def slow(args):
            try:
                await asyncio.sleep(20)
            finally:
                ended.set()

        add("slow", slow, is_async=True, traits=Traits(**traits))
        return ended

    return make


def error(result):
    return json.loads(result.content)["error"]


@pytest.mark.parametrize("driver", ["sync", "async"])
def test_a_handler_that_hangs_is_left_behind_and_its_tool_held(add, pipeline, driver):
    release = threading.Event()
    add("hang", lambda args: release.wait(20) and None, traits=Traits(timeout_s=0.1))

    def call():
        call = ToolCall("hang", {})
        return pipeline.run(call) if driver == "sync" else asyncio.run(pipeline.arun(call))

    start = time.perf_counter()
    assert "outcome is unknown" in error(call())
    assert time.perf_counter() - start < 2
    assert pipeline.workers.held() == ["hang"]
    assert "still busy" in error(call())
    release.set()
    time.sleep(0.1)
    assert pipeline.workers.held() == [] and call().status == "ok"


def test_the_deadline_of_the_scope_counts_too(add, pipeline):
    add("slow", lambda args: time.sleep(1))
    result = pipeline.run(ToolCall("slow", {}, scope=Scope(deadline=time.monotonic() + 0.1)))
    assert "unknown" in error(result)


def test_an_async_handler_that_takes_too_long_is_cancelled(slow_tool, pipeline):
    ended = slow_tool(timeout_s=0.1)
    assert "no answer within 0.1 s" in error(pipeline.run(ToolCall("slow", {})))
    assert ended.wait(2)


def test_cancelling_the_scope_cancels_an_async_handler(slow_tool, pipeline):
    ended = slow_tool()
    token = CancelToken()
    threading.Timer(0.1, token.cancel).start()
    assert error(pipeline.run(ToolCall("slow", {}, scope=Scope(cancel=token)))) == "cancelled"
    assert ended.wait(2)


def test_cancelling_the_caller_cancels_the_handler(slow_tool, pipeline):
    ended = slow_tool()

    async def main():
        work = asyncio.ensure_future(pipeline.arun(ToolCall("slow", {})))
        await asyncio.sleep(0.05)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work

    asyncio.run(main())
    assert ended.wait(2)


@pytest.mark.parametrize("driver", ["sync", "async"])
@pytest.mark.parametrize("kind", ["sync", "async"])
def test_context_variables_travel(add, pipeline, driver, kind):
    async def aread(args):
        return VAR.get()

    add("read", aread if kind == "async" else lambda args: VAR.get(), traits=Traits(timeout_s=5))
    VAR.set("here")
    call = ToolCall("read", {})
    result = pipeline.run(call) if driver == "sync" else asyncio.run(pipeline.arun(call))
    assert result.content == "here"


def test_no_thread_is_left_after_many_calls(add, pipeline):
    add("t", traits=Traits(timeout_s=5))
    pipeline.run(ToolCall("t", {}))
    before = threading.active_count()

    async def main():
        for _ in range(50):
            await asyncio.gather(*(pipeline.arun(ToolCall("t", {})) for _ in range(4)))

    asyncio.run(main())
    time.sleep(0.1)
    assert threading.active_count() <= before
