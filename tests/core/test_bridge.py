"""The bridge: three callers, refusal on the loop, cancelling, watchdog, nothing left."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from contextvars import ContextVar

import pytest

from handiwork.core.bridge import Bridge, OnLoopError, tools_bridge
from handiwork.core.cancel import CancelToken
from handiwork.core.resident_loop import BridgeTimeoutError, JobCancelledError

VAR: ContextVar[str] = ContextVar("var", default="none")


@pytest.fixture(scope="module")
def bridge():
    return Bridge("test")


async def where():
    return id(asyncio.get_running_loop())


async def forever(ended: threading.Event):
    try:
        await asyncio.sleep(60)
    finally:
        ended.set()


def test_one_loop_for_the_main_thread_a_worker_and_a_running_loop(bridge):
    here = bridge.run(where())
    found = []
    worker = threading.Thread(target=lambda: found.append(bridge.run(where())))
    worker.start()
    worker.join()

    async def inside():
        return bridge.run(where()), await bridge.arun(where())

    assert {here, *found, *asyncio.run(inside())} == {here}


def test_what_it_raises_is_raised_here(bridge):
    async def fail():
        raise LookupError("x")

    with pytest.raises(LookupError):
        bridge.run(fail())
    with pytest.raises(LookupError):
        asyncio.run(bridge.arun(fail()))


def test_waiting_on_the_loop_itself_is_refused_with_advice(bridge):
    async def wrong():
        return bridge.run(where())

    with pytest.raises(OnLoopError) as error:
        bridge.run(wrong())
    assert "scope.acall" in error.value.hint


def test_arun_on_the_loop_itself_runs_there(bridge):
    async def outer():
        return await bridge.arun(where())

    assert bridge.run(outer()) == bridge.run(where())


def test_a_timeout_cancels(bridge):
    ended = threading.Event()
    with pytest.raises(BridgeTimeoutError):
        bridge.run(forever(ended), timeout_s=0.05)
    assert ended.wait(2)
    ended.clear()
    with pytest.raises(BridgeTimeoutError):
        asyncio.run(bridge.arun(forever(ended), timeout_s=0.05))
    assert ended.wait(2)


def test_a_timeout_of_the_coroutines_own_is_not_ours(bridge):
    async def own():
        raise TimeoutError("mine")

    with pytest.raises(TimeoutError, match="mine"):
        bridge.run(own())


def test_a_token_cancels_and_is_told_apart_from_cancelling_the_caller(bridge):
    token, ended = CancelToken(), threading.Event()
    threading.Timer(0.05, token.cancel).start()
    with pytest.raises(JobCancelledError):
        bridge.run(forever(ended), cancel=token)
    assert ended.wait(2)


def test_a_token_that_is_set_already_ends_it_unrun(bridge):
    token, ended = CancelToken(), threading.Event()
    token.cancel()
    with pytest.raises(JobCancelledError):
        bridge.run(forever(ended), cancel=token)


def test_context_variables_travel(bridge):
    async def read():
        return VAR.get()

    VAR.set("here")
    assert bridge.run(read()) == "here"
    assert asyncio.run(bridge.arun(read())) == "here"


def test_after_many_calls_no_thread_and_no_task_is_left(bridge):
    async def noop():
        await asyncio.sleep(0)

    bridge.run(noop())
    before = threading.active_count()
    for _ in range(1_000):
        bridge.run(noop())
    asyncio.run(_many(bridge, noop))
    time.sleep(0.05)
    assert bridge.job_count() == 0 and threading.active_count() <= before


async def _many(bridge, noop):
    await asyncio.gather(*(bridge.arun(noop()) for _ in range(500)))


@pytest.mark.integration
def test_a_handler_that_blocks_is_named_and_gets_a_loop_of_its_own(caplog):
    bridge = Bridge("blocking")

    async def block():
        time.sleep(0.6)
        return id(asyncio.get_running_loop())

    shared = bridge.run(where())
    assert bridge.run(block(), label="bad") == shared
    assert bridge.blockers() == ["bad"] and "'bad' blocked its loop" in caplog.text
    assert bridge.run(block(), label="bad") != shared
    assert bridge.run(where(), label="good") == shared


def test_a_closed_caller_loop_harms_nobody(bridge):
    loop = asyncio.new_event_loop()
    task = loop.create_task(bridge.arun(asyncio.sleep(0.05)))
    loop.run_until_complete(asyncio.sleep(0))
    task.cancel()
    loop.run_until_complete(asyncio.gather(task, return_exceptions=True))
    loop.close()
    time.sleep(0.1)
    assert bridge.run(where())


def test_many_threads_at_once(bridge):
    async def echo(value):
        await asyncio.sleep(0.001)
        return value

    faults = []

    def call(start):
        for i in range(start, start + 100):
            if bridge.run(echo(i)) != i:
                faults.append(i)

    threads = [threading.Thread(target=call, args=(n * 100,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_has_loops_of_its_own():
    tools_bridge.run(where())
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if tools_bridge.run(where(), timeout_s=5) else 1)
        finally:
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize("way", ["run", "arun"])
@pytest.mark.integration
def test_the_smaller_of_the_usual_limit_and_ones_own_wins(bridge, monkeypatch, way):
    monkeypatch.setattr("handiwork.core.bridge.DEFAULT_TIMEOUT_S", 0.1)
    ended = threading.Event()
    began = time.perf_counter()
    with pytest.raises((BridgeTimeoutError, asyncio.TimeoutError)):
        if way == "run":
            bridge.run(forever(ended), timeout_s=30)
        else:
            asyncio.run(asyncio.wait_for(bridge.arun(forever(ended), timeout_s=30), 5))
    assert ended.wait(2) and time.perf_counter() - began < 4


def test_a_token_cancels_for_an_async_caller_too(bridge):
    token, ended = CancelToken(), threading.Event()
    threading.Timer(0.05, token.cancel).start()
    with pytest.raises(JobCancelledError):
        asyncio.run(bridge.arun(forever(ended), cancel=token))
    assert ended.wait(2)


@pytest.mark.parametrize("many", [False, True])
def test_a_cancelled_caller_goes_on_when_the_last_words_are_said(bridge, many):
    said = []

    async def slow_to_end():
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.1)
            said.append("ended")

    async def caller():
        work = bridge.gather([(slow_to_end(), "a"), (slow_to_end(), "b")]) if many else bridge.arun(slow_to_end())
        task = asyncio.ensure_future(work)
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return list(said)

    assert asyncio.run(caller()) == ["ended"] * (2 if many else 1)


def test_who_is_cancelled_twice_still_ends_in_peace(bridge):
    ended, token = threading.Event(), CancelToken()

    async def slow_to_end():
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.1)
            ended.set()

    async def caller():
        task = asyncio.ensure_future(bridge.arun(slow_to_end(), cancel=token))
        await asyncio.sleep(0.05)
        token.cancel()
        task.cancel()
        with pytest.raises((asyncio.CancelledError, JobCancelledError)):
            await task
        return ended.is_set()

    assert asyncio.run(caller())


@pytest.mark.integration
def test_one_that_never_ends_is_not_waited_for(bridge, monkeypatch):
    monkeypatch.setattr("handiwork.core.bridge.LAST_WORDS_S", 0.1)
    release = threading.Event()

    async def stubborn():
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(1.5)
            release.set()

    async def caller():
        task = asyncio.ensure_future(bridge.arun(stubborn()))
        await asyncio.sleep(0.05)
        task.cancel()
        began = time.perf_counter()
        with pytest.raises(asyncio.CancelledError):
            await task
        return time.perf_counter() - began

    assert asyncio.run(caller()) < 1.2 and release.wait(5)
