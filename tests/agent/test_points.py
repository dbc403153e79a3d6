"""The hooks of a conversation: each called once, at its time, and what their answers do."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from handiwork.agent.compaction import Context
from handiwork.agent.loop import Agent
from handiwork.agent.spending import Budget
from handiwork.catalog.supply import Supply
from handiwork.catalog.toolsets import Toolsets
from handiwork.core.cancel import CancelToken
from handiwork.core.types import Scope
from handiwork.pipeline.hook_points import POINTS
from handiwork.testing import ScriptedModel


@pytest.fixture
def make(pipeline, registry):
    supply = Supply(registry, Toolsets(registry))

    def build(*replies, **options):
        scope = Scope(session_id="s1", cwd="/", platform="test")
        return Agent(ScriptedModel(replies), pipeline, scope, supply=lambda: supply.definitions(None), **options)

    return build


@pytest.fixture
def told(pipeline):
    """Every call of a hook, in order."""
    seen = []
    for name in POINTS:
        pipeline.hooks.register(name, lambda name=name, **kw: seen.append((name, kw)))
    return seen


def run(agent, prompt="do it"):
    return asyncio.run(agent.run(prompt))


def said(agent):
    return [m["content"] for m in agent.conversation.messages if m["role"] == "user"]


def test_a_conversation_is_told_in_order_and_once(make, told, add):
    add("t", lambda args: "fine")
    agent = make({"calls": [{"name": "t", "arguments": {}}]}, "done", "again done")
    run(agent)
    run(agent, "again")
    agent.close()
    agent.close()
    names = [name for name, _ in told]
    one = ["pre_model_request", "post_model_request"]
    call = ["pre_tool_call", "post_tool_call", "transform_tool_result"]
    assert names == [
        "user_prompt_submit", "session_start", *one, *call, *one, "stop",
        "user_prompt_submit", *one, "stop", "session_end",
    ]  # fmt: skip
    assert all(set(kw) == set(POINTS[name].keywords) and kw["session_id"] == "s1" for name, kw in told)


def test_what_the_model_is_asked_and_replies_is_told(make, told):
    run(make("hi"))
    facts = dict(told)
    assert facts["user_prompt_submit"]["prompt"] == "do it" and facts["user_prompt_submit"]["messages"] == []
    assert facts["pre_model_request"]["messages"][-1]["content"] == "do it"
    assert facts["post_model_request"]["text"] == "hi" and facts["post_model_request"]["duration_ms"] > 0
    assert (facts["stop"]["ending"], facts["stop"]["answer"], facts["stop"]["again"]) == ("answered", "hi", False)


def test_a_blocked_prompt_reaches_neither_model_nor_store(make, pipeline):
    class Store:
        history, granted, problem, id = (), (), "", "kept"

        def __getattr__(self, name):
            raise AssertionError(f"the session was told: {name}")

    pipeline.hooks.register("user_prompt_submit", lambda prompt: {"action": "block", "message": "no secrets"})
    agent = make("never", session=Store())
    outcome = run(agent)
    assert (outcome.ending, outcome.reason, outcome.steps) == ("denied", "no secrets", 0)
    assert agent.conversation.messages == []


def test_cancelled_while_a_hook_thinks_about_the_prompt_nothing_begins(make, told, pipeline):
    cancel = CancelToken()
    pipeline.hooks.register("user_prompt_submit", lambda **kw: cancel.cancel())
    agent = make("never")
    assert asyncio.run(agent.run("do it", cancel=cancel)).ending == "cancelled"
    assert agent.conversation.messages == [] and [name for name, _ in told] == ["user_prompt_submit"]


def test_context_follows_the_prompt_and_is_recorded(make, pipeline):
    pipeline.hooks.register("session_start", lambda **kw: {"context": "it is Monday"})
    pipeline.hooks.register("user_prompt_submit", lambda **kw: {"context": "be brief"})
    pipeline.hooks.register("pre_model_request", lambda step, **kw: {"context": f"step {step}"})
    kept = []

    class Session:
        history, granted, problem, id = (), (), "", "kept"

        def keep_message(self, message, kind, usage=None):
            kept.append((kind, message["content"]))

        def within(self, scope):
            return scope

        def __getattr__(self, name):
            return lambda *a, **kw: None

    agent = make("ok", session=Session())
    run(agent)
    assert said(agent) == ["do it", "it is Monday", "be brief", "step 1"]
    assert kept[:4] == [("prompt", "do it"), ("nudge", "it is Monday"), ("nudge", "be brief"), ("nudge", "step 1")]


def test_a_stop_hook_has_the_model_go_on_a_few_times(make, pipeline):
    seen = []

    def stop(again, answer):
        seen.append((again, answer))
        return {"action": "block", "message": "run the tests first"}

    pipeline.hooks.register("stop", stop)
    agent = make("a", "b", "c", "d", "never")
    assert run(agent).answer == "d"
    assert seen == [(False, "a"), (True, "b"), (True, "c"), (True, "d")]
    assert said(agent).count("run the tests first") == 3


def test_a_stop_that_is_no_answer_is_told_and_cannot_be_undone(make, pipeline, add):
    add("t")
    seen = []
    pipeline.hooks.register("stop", lambda ending, **kw: seen.append(ending) or {"action": "block"})
    agent = make(*[{"calls": [{"name": "t", "arguments": {"n": n}}]} for n in range(5)], budget=Budget(max_steps=2))
    assert run(agent).ending == "limit" and seen == ["limit"]


def test_compaction_is_told_only_when_it_happens(make, told):
    agent = make("x " * 800, "y " * 800, "z", "end", context=Context(1500))
    for _ in range(4):
        run(agent, "word " * 100)
    compactions = [kw for name, kw in told if name == "before_compaction"]
    assert agent._context.left_out and 1 <= len(compactions) <= 2
    assert compactions[0]["context_tokens"] == 1500 and compactions[0]["trigger"] == "auto"


def test_without_a_beginning_no_end_is_told(make, told):
    make("x").close()
    assert told == []


def test_failing_observers_cost_nothing(make, pipeline):
    for name in ("session_start", "pre_model_request", "post_model_request", "stop", "session_end"):
        pipeline.hooks.register(name, lambda **kw: 1 / 0)
    agent = make("fine")
    assert run(agent).answer == "fine"
    agent.close()
    assert Counter(pipeline.hooks.failures.values()) == {1: 5}
