"""The tree of deadlines: what a call does or waits for ends when it must, a child never later than its parent."""

from __future__ import annotations

import asyncio
import time

import pytest

from handiwork.core.types import ALLOW, Ask, Scope, ToolCall, Traits
from handiwork.pipeline.line import Pipeline

READ = Traits(read_only=True)
SOON = 0.05
FAR = 30.0


def sleep_sync(args, **kw):
    time.sleep(2)


async def sleep_async(args, **kw):
    await asyncio.sleep(2)


def gives_a_coroutine(args):
    return sleep_async(args)


@pytest.fixture
def tools(add):
    add("sync", sleep_sync, traits=READ)
    add("async", sleep_async, is_async=True, traits=READ)
    add("awaited", gives_a_coroutine, traits=READ)
    add("bound", sleep_async, is_async=True, traits=READ)
    add("limited", sleep_async, is_async=True, traits=Traits(read_only=True, timeout_s=SOON))
    add("limited_far", sleep_async, is_async=True, traits=Traits(read_only=True, timeout_s=FAR))
    add("inner", lambda args, *, scope: scope.call("async", {}), traits=READ)
    add("inner_limited", lambda args, *, scope: scope.call("async", {}), traits=Traits(read_only=True, timeout_s=SOON))

    async def ainner(args, *, scope):
        return await scope.acall("sync", {})

    add("ainner", ainner, is_async=True, traits=READ)


def run(pipeline, name, driver, scope):
    call = ToolCall(name, {}, "c", scope)
    began = time.perf_counter()
    result = pipeline.run(call) if driver == "sync" else asyncio.run(pipeline.arun(call))
    return result, time.perf_counter() - began


@pytest.mark.parametrize("driver", ["sync", "async"])
@pytest.mark.parametrize(
    ("name", "seconds"),
    [
        ("sync", SOON),
        ("async", SOON),
        ("awaited", SOON),
        ("bound", SOON),
        ("limited", FAR),
        ("limited_far", SOON),
        ("inner", SOON),
        ("inner_limited", FAR),
        ("ainner", SOON),
    ],
)
def test_the_smaller_limit_wins(pipeline, tools, driver, name, seconds):
    bindings = {"bound": sleep_async} if driver == "async" else {}
    result, took = run(pipeline, name, driver, Scope(deadline=time.monotonic() + seconds, bindings=bindings))
    assert took < 1.2, f"{name} took {took:.2f} s"
    assert "no answer within" in result.content or "time" in result.content


@pytest.mark.parametrize(
    ("outer", "inner"),
    [(None, None), (5.0, None), (None, 3.0), (5.0, 3.0), (3.0, 5.0)],
)
def test_a_childs_deadline_is_its_parents_or_earlier(pipeline, add, outer, inner):
    seen = []

    def leaf(args, *, scope):
        seen.append(scope.deadline)

    def parent(args, *, scope):
        seen.append(scope.deadline)
        return scope.call("leaf", {})

    add("leaf", leaf, traits=READ)
    add("parent", parent, traits=Traits(read_only=True, timeout_s=inner))
    began = time.monotonic()
    pipeline.run(ToolCall("parent", {}, scope=Scope(deadline=began + outer if outer else None)))
    mine, child = seen
    least = min((x for x in (outer, inner) if x), default=None)
    if least is None:
        assert mine is None and child is None
    else:
        assert began + least - 0.1 < mine <= began + least + 0.5 and child <= mine


@pytest.mark.parametrize("driver", ["sync", "async"])
@pytest.mark.parametrize("kind", ["sync", "async"])
def test_waiting_for_a_yes_is_bounded_too(registry, add, driver, kind):
    ran = []
    add("t", lambda args: ran.append(1))

    def person(ready, ask):
        time.sleep(1)
        return True

    async def aperson(ready, ask):
        await asyncio.sleep(1)
        return True

    pipeline = Pipeline(registry, judge=lambda ready: Ask("sure?"))
    scope = Scope(deadline=time.monotonic() + SOON, approver=person if kind == "sync" else aperson)
    result, took = run(pipeline, "t", driver, scope)
    assert took < 0.9 and result.by == "approval" and "time was up" in result.content and not ran


@pytest.mark.parametrize("driver", ["sync", "async"])
def test_a_call_whose_time_is_up_does_not_begin(registry, add, driver):
    ran = []
    add("t", lambda args: ran.append(1))
    pipeline = Pipeline(registry, judge=lambda ready: ALLOW)
    result, _ = run(pipeline, "t", driver, Scope(deadline=time.monotonic() - 1))
    assert result.status == "error" and "before it began" in result.content and not ran
