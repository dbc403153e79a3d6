"""Hooks: fired once, with their keywords; block, ask, modify; fail closed before, open after."""

from __future__ import annotations

import asyncio
import json
import time

import pytest

from handiwork.core.types import Ask, Scope, ToolCall
from handiwork.pipeline import effects
from handiwork.pipeline.line import Pipeline

BEFORE = {"tool_name", "args", "task_id", "session_id", "tool_call_id", "cwd"}
AFTER = BEFORE | {"result", "duration_ms", "status"}


@pytest.fixture
def hooks(pipeline):
    return pipeline.hooks


@pytest.mark.parametrize("driver", ["sync", "async"])
def test_each_fires_exactly_once_with_the_contract_keywords(add, pipeline, hooks, driver):
    seen = []
    for name in ("pre_tool_call", "post_tool_call", "transform_tool_result"):
        hooks.register(name, lambda name=name, **kw: seen.append((name, set(kw), kw.get("status"))))
    add("t")
    call = ToolCall("t", {}, "c1", Scope(task_id="t1", session_id="s1"))
    pipeline.run(call) if driver == "sync" else asyncio.run(pipeline.arun(call))
    assert seen == [
        ("pre_tool_call", BEFORE, None),
        ("post_tool_call", AFTER, "ok"),
        ("transform_tool_result", AFTER, "ok"),
    ]


def test_observers_hear_of_refusals_and_errors_too(add, run, hooks):
    seen = []
    hooks.register("post_tool_call", lambda tool_name, status: seen.append((tool_name, status)))
    add("boom", lambda args: 1 / 0)
    run("boom")
    run("unknown")
    assert seen == [("boom", "error"), ("unknown", "refused")]


def test_block(add, run, hooks):
    ran = []
    add("t", lambda args: ran.append(1))
    hooks.register("pre_tool_call", lambda **kw: {"action": "block", "message": "not today"})
    result = run("t")
    assert (result.by, ran) == ("pre_tool_call", []) and "not today" in result.content


def test_modify_is_validated_and_judged_again(registry, add):
    judged = []
    pipeline = Pipeline(registry, judge=lambda ready: judged.append(ready.args) or Ask("x"))
    add("t", properties={"n": {"type": "integer"}})
    pipeline.hooks.register("pre_tool_call", lambda args, **kw: {"action": "modify", "args": {"n": "7"}})
    scope = Scope(approver=lambda ready, ask: True)
    assert json.loads(pipeline.run(ToolCall("t", {"n": 1}, scope=scope)).content) == {"n": 7}
    assert judged == [{"n": 7}]


def test_a_bad_modification_is_refused(add, run, hooks):
    add("t", properties={"n": {"type": "integer"}})
    hooks.register("pre_tool_call", lambda **kw: {"action": "modify", "args": {"n": "seven"}})
    assert run("t", {"n": 1}).by == "pre_tool_call"


def test_ask(add, run, hooks):
    add("t")
    hooks.register("pre_tool_call", lambda **kw: {"action": "ask", "message": "sure?"})
    asked = []
    assert run("t").by == "approval"
    assert run("t", approver=lambda ready, ask: asked.append(ask.reason) or True).status == "ok"
    assert asked == ["sure?"]


@pytest.mark.parametrize("answer", ["no", 1, True, {"action": "perhaps"}, {"action": "modify"}, {"args": {}}, []])
def test_nonsense_before_a_call_is_a_no(add, run, hooks, answer):
    add("t")
    hooks.register("pre_tool_call", lambda **kw: answer)
    assert run("t").by == "pre_tool_call"


@pytest.mark.parametrize("answer", [None, {"action": "allow"}, {"action": "continue"}])
def test_no_opinion(add, run, hooks, answer):
    add("t")
    hooks.register("pre_tool_call", lambda **kw: answer)
    assert run("t").status == "ok"


def test_a_hook_that_raises_or_hangs_before_a_call_is_a_no(add, run, hooks, monkeypatch):
    monkeypatch.setattr("handiwork.pipeline.consulting.HOOK_TIMEOUT_S", 0.1)
    add("t")
    raising = hooks.register("pre_tool_call", lambda **kw: 1 / 0, source="plugin:x")
    assert run("t").by == "pre_tool_call" and hooks.failures["plugin:x:pre_tool_call"] == 1
    hooks.remove(raising)
    hooks.register("pre_tool_call", lambda **kw: time.sleep(5))
    start = time.perf_counter()
    assert run("t").by == "pre_tool_call" and time.perf_counter() - start < 3


def test_observers_that_fail_are_counted_and_the_call_goes_on(add, run, hooks, caplog):
    add("t")
    hooks.register("post_tool_call", lambda **kw: 1 / 0, source="plugin:x")
    hooks.register("transform_tool_result", lambda **kw: 7, source="plugin:y")
    assert run("t").status == "ok"
    assert hooks.failures == {"plugin:x:post_tool_call": 1, "plugin:y:transform_tool_result": 1}


def test_transform_replaces_the_text(add, run, hooks):
    add("t")
    hooks.register("transform_tool_result", lambda result: result.upper())
    hooks.register("transform_tool_result", lambda **kw: None)
    assert run("t", {"a": "x"}).content == '{"A": "X"}'


def test_async_hooks(add, run, hooks):
    async def before(**kw):
        await asyncio.sleep(0)
        return {"action": "block", "message": "async no"}

    add("t")
    hooks.register("pre_tool_call", before)
    assert "async no" in run("t").content


def test_a_hook_cannot_change_arguments_behind_the_guards_back(add, run, hooks):
    add("t", properties={"a": {"type": "array", "items": {"type": "string"}}})
    hooks.register("pre_tool_call", lambda args, **kw: args["a"].append("smuggled"))
    assert json.loads(run("t", {"a": ["x"]}).content) == {"a": ["x"]}


def test_the_limit_on_hooks_is_bounded():
    assert 0 < effects.HOOK_TIMEOUT_S <= 60
