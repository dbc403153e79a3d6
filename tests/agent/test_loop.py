"""The agent loop: answers, limits, denials, cancelling, a history that stays valid."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from types import SimpleNamespace

import pytest

from handiwork.agent.compaction import Context
from handiwork.agent.loop import Agent
from handiwork.agent.spending import Budget
from handiwork.catalog.supply import Supply
from handiwork.catalog.toolsets import Toolsets
from handiwork.core.cancel import CancelToken
from handiwork.core.errors import ModelError
from handiwork.core.events import (
    CallFinished,
    CallProgress,
    CallStarted,
    Compacted,
    MessageTaken,
    StepFinished,
    TextDelta,
)
from handiwork.core.types import ALLOW, Ask, ModelReply, Progress, Scope, ToolCall, Traits, Usage
from handiwork.pipeline.line import Pipeline
from handiwork.testing import ScriptedModel


def call(name, *, id="", **arguments):
    return {"name": name, "arguments": arguments, **({"id": id} if id else {})}


@pytest.fixture
def make(registry, pipeline):
    def build(*replies, budget=None, **options):
        supply = Supply(registry, Toolsets(registry))
        options.setdefault("supply", lambda: supply.definitions(None))
        scope = options.pop("scope", Scope(cwd="/"))
        model = options.pop("model", None) or ScriptedModel(replies)
        return Agent(model, options.pop("pipeline", pipeline), scope, budget=budget, **options)

    return build


def run(agent, prompt="do it", **options):
    return asyncio.run(agent.run(prompt, **options))


def check_history(messages):
    """Every call has exactly one answer, right after it."""
    waiting = []
    for message in messages:
        if message["role"] == "tool":
            waiting.remove(message["tool_call_id"])
        else:
            assert not waiting, f"unanswered: {waiting}"
            waiting = [c["id"] for c in message.get("tool_calls", ())]
            assert all(isinstance(c["function"]["arguments"], str) for c in message.get("tool_calls", ()))
    assert not waiting


def test_calls_are_run_and_told_until_there_is_an_answer(make, add):
    add("add", lambda args: {"sum": args["a"] + args["b"]}, properties={k: {"type": "integer"} for k in "ab"})
    agent = make({"text": "I add", "calls": [call("add", a="2", b=3)]}, "It is 5.")
    outcome = run(agent)
    assert (outcome.ending, outcome.answer, outcome.steps) == ("answered", "It is 5.", 2)
    messages = agent.conversation.messages
    assert [m["role"] for m in messages] == ["system", "user", "assistant", "tool", "assistant"]
    assert json.loads(messages[3]["content"]) == {"sum": 5}
    check_history(messages)


def test_several_calls_come_back_in_order(make, add):
    add("echo", properties={"n": {"type": "integer"}}, traits=Traits(read_only=True))
    agent = make({"calls": [call("echo", n=i, id=f"c{i}") for i in range(5)]}, "done")
    run(agent)
    tools = [m for m in agent.conversation.messages if m["role"] == "tool"]
    assert [m["tool_call_id"] for m in tools] == [f"c{i}" for i in range(5)]


def test_the_conversation_goes_on(make, add):
    agent = make("one", "two")
    assert run(agent).answer == "one" and run(agent, "and?").answer == "two"
    assert [m["role"] for m in agent.conversation.messages].count("system") == 1


class News:
    """A background of which something is told when the test says so."""

    def __init__(self, *told):
        self.waiting, self.ended_turns = list(told), 0

    def of(self, _session):
        return self

    def notices(self):
        told, self.waiting = self.waiting, []
        return told

    def end_turn(self):
        self.ended_turns += 1


def test_news_of_the_background_is_told_once_with_the_next_request(make, add):
    news = News("bg1 has ended")
    add("work", lambda _: news.waiting.append("bg2 has ended") or "done")
    agent = make(
        {"calls": [call("work", id="c1"), call("work", id="c2")]}, "I see", "again", background=lambda _session: news
    )
    run(agent, "go")
    messages = agent.conversation.messages
    assert [m["role"] for m in messages] == ["system", "user", "assistant", "tool", "tool", "user", "assistant"]
    assert messages[1]["content"] == "go\n\n[background: bg1 has ended]"
    assert messages[5]["content"] == "[background: bg2 has ended]\n[background: bg2 has ended]"
    check_history(messages)
    run(agent, "and?")
    assert messages[-2]["content"] == "and?" and news.ended_turns == 2


def test_a_turn_that_is_cut_short_ends_what_was_to_live_as_long(make, add):
    news, token = News(), CancelToken()
    add("stop", lambda _: token.cancel() or "stopped")
    assert run(make({"calls": [call("stop")]}, "never", background=news.of), cancel=token).ending == "cancelled"
    assert news.ended_turns == 1


def test_a_long_task_stays_within_the_models_context(make, add):
    add(
        "read",
        lambda args: f"line {args['n']} " * 300,
        properties={"n": {"type": "integer"}},
        traits=Traits(read_only=True),
    )
    told, asked = [], []

    class Counting(ScriptedModel):
        async def reply(self, request):
            asked.append(sum(len(str(m)) for m in request.messages))
            return await super().reply(request)

    model = Counting([*({"calls": [call("read", n=i)]} for i in range(60)), "done"])
    agent = make(model=model, context=Context(6_000), budget=Budget(max_steps=99), watch=told.append)
    assert run(agent).answer == "done"
    assert max(asked) < 6_000 * 5 and any(isinstance(event, Compacted) for event in told)
    assert len(agent.conversation.messages) == 2 + 2 * 60 + 1  # the record keeps everything


def test_limits_on_steps_tokens_and_time(make, add):
    add("t", properties={"n": {"type": "integer"}})
    replies = [{"calls": [call("t", n=i)]} for i in range(9)]
    assert run(make(*replies, budget=Budget(max_steps=3))).steps == 3
    used = [ModelReply(calls=(ToolCall("t", {"n": i}, f"c{i}"),), usage=Usage(80, 20)) for i in range(9)]
    outcome = run(make(*used, budget=Budget(max_tokens=250)))
    assert (outcome.ending, outcome.steps) == ("limit", 3) and "250 tokens" in outcome.reason

    async def slow(args):
        await asyncio.sleep(20)

    add("slow", slow, is_async=True)
    agent = make({"calls": [call("slow")]}, budget=Budget(max_seconds=0.2))
    start = time.perf_counter()
    outcome = run(agent)
    assert outcome.ending == "limit" and time.perf_counter() - start < 3
    check_history(agent.conversation.messages)


def test_cancelling_ends_the_turn_and_keeps_a_valid_history(make, add):
    ended = []

    async def slow(args):
        try:
            await asyncio.sleep(20)
        finally:
            ended.append(True)

    add("slow", slow, is_async=True)
    add("quick", traits=Traits(read_only=True))
    agent = make({"calls": [call("quick", id="a"), call("slow", id="b")]}, "after")
    token = CancelToken()

    async def main():
        asyncio.get_running_loop().call_later(0.2, token.cancel)
        return await agent.run("go", cancel=token)

    assert asyncio.run(main()).ending == "cancelled"
    time.sleep(0.1)
    assert ended == [True]
    check_history(agent.conversation.messages)
    assert run(agent, "again").answer == "after"
    check_history(agent.conversation.messages)


def test_a_cancelled_caller_is_not_swallowed(make, add):
    class Slow:
        name = "slow"

        async def reply(self, request):
            await asyncio.sleep(20)

    async def main():
        work = asyncio.ensure_future(make(model=Slow()).run("go"))
        await asyncio.sleep(0.05)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work

    asyncio.run(main())


def test_a_denial_that_ends_the_work_is_told_apart(registry, make, add):
    add("risky")
    pipeline = Pipeline(registry, judge=lambda ready: Ask("it is risky"))
    outcome = run(make({"calls": [call("risky")]}, "I could not.", pipeline=pipeline))
    assert (outcome.ending, outcome.answer) == ("denied", "I could not.") and "it is risky" in outcome.reason


def test_work_that_found_another_way_is_answered(registry, make, add):
    add("risky")
    add("safe")
    pipeline = Pipeline(registry, judge=lambda ready: Ask("?") if ready.entry.name == "risky" else ALLOW)
    agent = make({"calls": [call("risky")]}, {"calls": [call("safe")]}, "done", pipeline=pipeline)
    assert run(agent).ending == "answered"


def test_only_what_was_shown_can_be_called(make, add):
    add("a")
    add("b")
    agent = make({"calls": [call("b")]}, "done", supply=list)
    run(agent)
    assert "not enabled" in agent.conversation.messages[3]["content"]


def test_bound_tools_and_nested_calls(make, add):
    add("todo", lambda args: '{"error": "needs an agent"}')
    agent = make({"calls": [call("todo")]}, "done", bindings={"todo": lambda args, **_: {"mine": True}})
    run(agent)
    assert json.loads(agent.conversation.messages[3]["content"]) == {"mine": True}


def test_a_reply_that_was_cut_off_runs_nothing(make, add):
    ran = []
    add("t", lambda args: ran.append(1))
    agent = make(ModelReply(calls=(ToolCall("t", '{"a": "hal', "c1"),), cut_off=True), "whole")
    assert run(agent).answer == "whole" and not ran
    check_history(agent.conversation.messages)


def test_empty_replies_are_asked_again_and_then_an_error(make):
    assert run(make("", "now")).answer == "now"
    with pytest.raises(ModelError):
        run(make("", "", "", ""))


def test_a_model_that_fails_leaves_a_valid_history(make, add):
    add("t")
    agent = make({"calls": [call("t")]})
    with pytest.raises(ModelError):
        run(agent)
    check_history(agent.conversation.messages)


def test_watchers_hear_everything(make, add):
    def work(args):
        yield Progress("half")
        return {"ok": True}

    seen = []
    add("work", work)
    run(make({"text": "I work", "calls": [call("work")]}, "done", watch=seen.append))
    kinds = [type(e) for e in seen if not isinstance(e, TextDelta)]
    assert kinds == [StepFinished, CallStarted, CallProgress, CallFinished, StepFinished]


def test_a_model_in_a_circle_is_stopped(make, add):
    ran = []
    add("look", lambda args: ran.append(1) or "same", traits=Traits(read_only=True))
    outcome = run(make(*[{"calls": [call("look")]}] * 20))
    assert outcome.ending == "stuck" and len(ran) == 3 and outcome.steps <= 6


# ------------------------------------------------------------------------------ what is said meanwhile


@pytest.fixture
def hold(add):
    """A call during which *agent* is told something by another thread."""
    holding = SimpleNamespace(agent=None, says=[])

    async def handler(args):
        threads = [threading.Thread(target=holding.agent.say, args=(text,)) for text in holding.says]
        for thread in threads:
            thread.start()
            thread.join()
        return "held"

    add("hold", handler, is_async=True, traits=Traits(read_only=True))
    return holding


def users(agent):
    return [m["content"] for m in agent.conversation.messages if m["role"] == "user"]


def test_what_is_said_while_it_works_is_heard_before_the_model_is_asked_again(make, hold):
    events = []
    hold.says = ["first", "  ", "second"]
    hold.agent = agent = make({"calls": [call("hold")]}, "done", watch=events.append)
    assert run(agent, "work").answer == "done"
    roles = [m["role"] for m in agent.conversation.messages]
    assert roles == ["system", "user", "assistant", "tool", "user", "user", "assistant"]
    assert users(agent) == ["work", "first", "second"] and agent.unheard() == []
    assert [e.text for e in events if isinstance(e, MessageTaken)] == ["first", "second"]
    check_history(agent.conversation.messages)


def test_what_comes_too_late_is_the_callers_or_follows_the_next_prompt(make, hold):
    agent = make("one", "two")
    run(agent, "a")
    agent.say("late")
    assert agent.unheard() == ["late"] and agent.unheard() == []
    agent.say("later")
    run(agent, "b")
    assert users(agent) == ["a", "b", "later"]


def test_a_message_is_asked_about_as_a_prompt_is(make, hold, pipeline):
    def guard(prompt):
        if "secret" in prompt:
            return {"action": "block", "message": "no secrets"}
        return {"action": "rewrite", "prompt": f"{prompt}, please", "context": "be kind"}

    pipeline.hooks.register("user_prompt_submit", guard)
    events = []
    hold.says = ["the secret", "more"]
    hold.agent = agent = make({"calls": [call("hold")]}, "done", watch=events.append)
    run(agent, "work")
    assert users(agent) == ["work, please", "be kind", "more, please", "be kind"]
    assert [(e.text, e.block) for e in events if isinstance(e, MessageTaken)] == [
        ("the secret", "no secrets"),
        ("more", ""),
    ]


def test_who_is_cancelled_while_hooks_are_asked_about_a_message_has_not_lost_it(make, hold, pipeline):
    token = CancelToken()

    async def slow(prompt):
        if prompt == "keep me":
            token.cancel()
            await asyncio.sleep(5)

    pipeline.hooks.register("user_prompt_submit", slow)
    hold.says = ["keep me"]
    hold.agent = agent = make({"calls": [call("hold")]}, "never")
    assert run(agent, "work", cancel=token).ending == "cancelled"
    assert agent.unheard() == ["keep me"] and users(agent) == ["work"]


# ------------------------------------------------------------------------------ deadlines, useless calls


@pytest.mark.parametrize(("seconds", "outer"), [(None, 0.1), (5, 0.1), (0.1, 5)])
def test_a_task_ends_with_its_budget_or_with_what_it_is_part_of(make, add, seconds, outer):
    seen = []

    async def hold(args, *, scope):
        seen.append(scope.deadline)
        await asyncio.sleep(5)

    add("hold", hold, is_async=True)
    until = time.monotonic() + outer
    agent = make(
        {"calls": [call("hold")]}, "?", budget=Budget(max_seconds=seconds), scope=Scope(cwd="/", deadline=until)
    )
    began = time.perf_counter()
    outcome = run(agent)
    assert outcome.ending == "limit" and time.perf_counter() - began < 3 and seen[0] <= until
    check_history(agent.conversation.messages)


UNREADABLE = {"name": "echo", "arguments": '{"n": '}


@pytest.mark.parametrize(
    "calls",
    [
        [call("nosuch"), call("neither"), call("nor_this")],
        [UNREADABLE] * 3,
        [call("nosuch"), UNREADABLE, call("echo", n="many")],
    ],
)
def test_three_calls_in_a_row_that_could_not_run_end_the_task(make, add, calls):
    ran = []
    add("echo", ran.append, properties={"n": {"type": "integer"}}, required=("n",))
    agent = make(*({"calls": [one]} for one in calls), "never asked")
    outcome = run(agent)
    assert (outcome.ending, outcome.steps, ran) == ("stuck", 3, [])
    check_history(agent.conversation.messages)


def test_with_fail_fast_an_error_ends_its_turn_and_the_task_goes_on(make, add):
    ran = []
    add("boom", lambda args: 1 / 0, traits=Traits(read_only=True))
    add("write", lambda args: ran.append(1))
    calls = {"calls": [call("boom"), call("write")]}
    for fail_fast in (True, False):
        assert run(make(calls, "I see", fail_fast=fail_fast)).answer == "I see"
        assert len(ran) == (0 if fail_fast else 1)
