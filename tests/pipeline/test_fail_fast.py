"""A turn that the first error ends: what runs is cancelled, what doesn't run yet never does, all have answers."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from handiwork.core.cancel import CancelToken
from handiwork.core.types import ALLOW, Forbid, Scope, ToolCall, Traits
from handiwork.pipeline.line import Pipeline
from handiwork.pipeline.turn import run_turn

READ = Traits(read_only=True)


@pytest.fixture
def log(add):
    log = []

    async def long(args):
        log.append("long")
        try:
            await asyncio.sleep(5)
        finally:
            log.append("cancelled")

    def watchful(args, *, scope):
        stopped = threading.Event()
        scope.cancel.on_cancel(stopped.set)
        return "stopped" if stopped.wait(5) else "not stopped"

    async def boom(args):
        await asyncio.sleep(0.05)
        raise ValueError("boom")

    add("long", long, is_async=True, traits=READ)
    add("watchful", watchful, traits=READ)
    add("boom", boom, is_async=True, traits=READ)
    add("said", lambda args: {"error": "no"}, traits=READ)
    add("quick", lambda args: log.append("quick") or "ok", traits=READ)
    add("write", lambda args: log.append("write") or "ok")
    return log


def turn(pipeline, *names, scope=None, fail_fast=True):
    calls = [ToolCall(name, {}, f"c{n}", scope or Scope()) for n, name in enumerate(names)]
    results = asyncio.run(asyncio.wait_for(run_turn(pipeline, calls, fail_fast=fail_fast), 4))
    assert [r.call.id for r in results] == [c.id for c in calls]
    return [(r.status, r.content) for r in results]


def test_the_first_error_cancels_its_wave_and_the_rest_is_not_run(pipeline, log):
    started = time.perf_counter()
    long, watchful, boom, write = turn(pipeline, "long", "watchful", "boom", "write")
    assert time.perf_counter() - started < 2
    assert long[0] == "error" and "boom, failed" in long[1] and "unknown" in long[1]
    assert watchful == ("ok", "stopped")  # its own words
    assert boom[0] == "error" and "ValueError" in boom[1]
    assert write[0] == "refused" and "not run" in write[1]
    assert log == ["long", "cancelled"]


def test_an_error_that_a_tool_says_is_one_too(pipeline, log):
    assert [s for s, _ in turn(pipeline, "said", "write", "quick")] == ["error", "refused", "refused"]
    assert log == []


def test_what_is_refused_lets_nothing_of_its_wave_run(registry, log):
    pipeline = Pipeline(registry, judge=lambda ready: Forbid("no") if ready.entry.name == "said" else ALLOW)
    assert [s for s, _ in turn(pipeline, "quick", "said", "quick")] == ["error", "refused", "refused"]
    assert [s for s, _ in turn(pipeline, "quick", "nosuch", "quick")] == ["error", "refused", "refused"]
    assert log == []


def test_without_it_nobody_is_stopped(pipeline, log):
    assert [s for s, _ in turn(pipeline, "boom", "quick", "write", fail_fast=False)] == ["error", "ok", "ok"]
    assert [s for s, _ in turn(pipeline, "quick", "write")] == ["ok", "ok"]  # and with it where nothing fails


def test_observers_hear_of_each_call_once(pipeline, log):
    heard = []
    pipeline.hooks.register("post_tool_call", lambda tool_call_id, status: heard.append((tool_call_id, status)))
    turn(pipeline, "boom", "long", "write")
    assert sorted(heard) == [("c0", "error"), ("c1", "error"), ("c2", "refused")]


def test_whoever_cancels_the_turn_cancels_its_calls(pipeline, log):
    token = CancelToken()
    threading.Timer(0.1, token.cancel).start()
    assert turn(pipeline, "watchful", scope=Scope(cancel=token)) == [("ok", "stopped")]


def test_a_call_that_does_not_hear_is_left_behind(pipeline, log, add, monkeypatch):
    monkeypatch.setattr("handiwork.pipeline.fail_fast.GRACE_S", 0.1)
    free = threading.Event()
    add("deaf", lambda args: free.wait(3), traits=READ)
    deaf, boom = turn(pipeline, "deaf", "boom")
    free.set()
    assert deaf[0] == "error" and "unknown" in deaf[1] and boom[0] == "error"


def test_an_error_of_its_own_is_told_as_its_own(pipeline, log, add):
    async def touchy(args):
        try:
            await asyncio.sleep(5)
        except asyncio.CancelledError:
            raise RuntimeError("half written") from None

    add("touchy", touchy, is_async=True, traits=READ)
    touchy, _ = turn(pipeline, "touchy", "boom")
    assert touchy[0] == "error" and "half written" in touchy[1]
