"""Points beside those of a call: what is called, with what, and what becomes of answers and failures."""

from __future__ import annotations

import asyncio
import time

import pytest

from handiwork.core.types import Answer, Ask, Forbid, ToolCall, Traits
from handiwork.pipeline.hook_points import POINTS
from handiwork.pipeline.hooks import Hooks
from handiwork.pipeline.turn import run_turn


@pytest.fixture
def fire(pipeline):
    """Fires by either driver, with every keyword of the point."""

    def call(name, driver="sync", **facts):
        keywords = dict.fromkeys(POINTS[name].keywords) | facts
        return pipeline.fire(name, **keywords) if driver == "sync" else asyncio.run(pipeline.afire(name, **keywords))

    return call


@pytest.mark.parametrize("driver", ["sync", "async"])
@pytest.mark.parametrize("name", [n for n, p in POINTS.items() if "tool_name" not in p.keywords])
def test_each_is_called_once_with_its_keywords(pipeline, fire, name, driver):
    seen = []
    pipeline.hooks.register(name, lambda **kw: seen.append(set(kw)))
    fire(name, driver)
    assert seen == [set(POINTS[name].keywords)]


@pytest.mark.parametrize("driver", ["sync", "async"])
def test_context_adds_up_and_a_no_ends_it(pipeline, fire, driver):
    later = []
    for answer in ({"context": "one"}, None, {"action": "allow", "context": "two"}):
        pipeline.hooks.register("user_prompt_submit", lambda answer=answer, **kw: answer)
    assert fire("user_prompt_submit", driver).context == ("one", "two")
    pipeline.hooks.register("user_prompt_submit", lambda prompt: {"action": "block", "message": f"no {prompt}"})
    pipeline.hooks.register("user_prompt_submit", lambda **kw: later.append(1))
    assert (fire("user_prompt_submit", driver, prompt="x").block, later) == ("no x", [])


@pytest.mark.parametrize("answer", [1, [], "words", {}, {"action": "perhaps"}, {"action": "modify", "args": {}}])
def test_a_guard_that_is_not_understood_says_no(pipeline, fire, answer):
    pipeline.hooks.register("user_prompt_submit", lambda **kw: answer, source="plugin:x")
    assert "plugin:x" in fire("user_prompt_submit").block
    assert pipeline.hooks.failures["plugin:x:user_prompt_submit"] == 1


def test_a_guard_that_raises_or_hangs_says_no_and_an_observer_does_not(pipeline, fire, monkeypatch):
    monkeypatch.setattr("handiwork.pipeline.consulting.HOOK_TIMEOUT_S", 0.1)
    for name in ("user_prompt_submit", "pre_model_request"):
        pipeline.hooks.register(name, lambda **kw: 1 / 0, source="raises")
    assert "division" in fire("user_prompt_submit").block and fire("pre_model_request").block == ""
    pipeline.hooks.register("session_end", lambda **kw: time.sleep(5), source="hangs")
    start = time.perf_counter()
    fire("session_end")
    assert time.perf_counter() - start < 3 and pipeline.hooks.failures["hangs:session_end"] == 1


def test_an_answer_that_its_point_does_not_take_is_reported(pipeline, fire):
    pipeline.hooks.register("session_start", lambda **kw: {"action": "block"}, source="x")
    assert fire("session_start").block == "" and pipeline.hooks.failures["x:session_start"] == 1
    pipeline.hooks.register("session_end", lambda **kw: {"action": "block"}, source="x")
    assert fire("session_end").block == "" and pipeline.hooks.failures["x:session_end"] == 0


def test_a_hook_cannot_change_what_the_others_are_told(pipeline, fire):
    seen, messages = [], [{"role": "user"}]
    pipeline.hooks.register("pre_model_request", lambda messages, **kw: messages.clear())
    pipeline.hooks.register("pre_model_request", lambda messages, **kw: seen.append(messages))
    fire("pre_model_request", messages=messages)
    assert seen == [[{"role": "user"}]] and messages == [{"role": "user"}]


def test_a_name_that_nothing_calls_is_told(caplog):
    hooks = Hooks()
    hooks.register("pre_tool_cal", lambda **kw: None, source="plugin:typo")
    hooks.register("stop", lambda **kw: None)
    assert [h.source for h in hooks.never_called()] == ["plugin:typo"] and "pre_tool_cal" in caplog.text


def test_failures_are_recorded():
    heard = []
    hooks = Hooks(lambda who, error: heard.append((who, error)))
    hooks.report(hooks.register("stop", print, source="me"), ValueError("odd"))
    assert heard == [("me:stop", "odd")]


# --------------------------------------------------------------------------------------------- approvals


@pytest.mark.parametrize("driver", ["sync", "async"])
def test_approvals_are_told_once_each(add, pipeline, driver):
    seen = []
    pipeline.hooks.register("approval_asked", lambda **kw: seen.append(kw))
    pipeline.hooks.register("approval_answered", lambda **kw: seen.append(kw))
    pipeline.hooks.register("pre_tool_call", lambda **kw: {"action": "ask", "message": "sure?"})
    add("t")
    pipeline.approver = lambda ready, ask: Answer(False, note="not now")
    call = ToolCall("t", {"a": 1}, "c1")
    pipeline.run(call) if driver == "sync" else asyncio.run(pipeline.arun(call))
    asked, answered = seen
    assert set(asked) == set(POINTS["approval_asked"].keywords) and asked["args"] == {"a": 1}
    assert set(answered) == set(POINTS["approval_answered"].keywords)
    assert (answered["reason"], answered["allowed"], answered["note"]) == ("sure?", False, "not now")


def test_a_hook_may_refuse_what_would_be_asked_and_never_allow_it(add, pipeline):
    asked = []
    pipeline.judge = lambda ready: Ask("risky")
    pipeline.approver = lambda ready, ask: bool(asked.append(ask))
    add("t")
    allows = pipeline.hooks.register("approval_asked", lambda **kw: {"action": "allow"})
    assert pipeline.run(ToolCall("t", {})).by == "approval" and len(asked) == 1
    pipeline.hooks.remove(allows)
    pipeline.hooks.register("approval_asked", lambda **kw: {"action": "block", "message": "never"})
    result = pipeline.run(ToolCall("t", {}))
    assert "never" in result.content and result.by == "approval" and len(asked) == 1


# ----------------------------------------------------------------------------- answers of pre_tool_call


def test_a_note_stands_below_the_result(add, run, pipeline):
    add("t", lambda args: "the result")
    pipeline.hooks.register("pre_tool_call", lambda **kw: {"context": "mind the gap"})
    assert run("t").content == "the result\n\nmind the gap"


def test_a_hook_may_answer_for_a_tool_that_only_reads_and_the_guard_still_judges(add, run, pipeline):
    ran = []
    add("read", lambda args: ran.append(1) or "fresh", traits=Traits(read_only=True))
    add("write", lambda args: ran.append(1) or "done", traits=Traits(effect="write"))
    pipeline.hooks.register("pre_tool_call", lambda **kw: {"action": "answer", "result": "kept"})
    result = run("read")
    assert (result.content, result.status, ran) == ("kept", "ok", []) and result.labels[0].integrity == "outside"
    assert run("write").by == "pre_tool_call" and ran == []
    pipeline.judge = lambda ready: Forbid("not that")
    assert run("read").by == "guard"


def test_answered_calls_of_a_turn_keep_their_places(add, pipeline):
    add("read", lambda args: "fresh", properties={"n": {"type": "integer"}}, traits=Traits(read_only=True))
    pipeline.hooks.register(
        "pre_tool_call", lambda args: {"action": "answer", "result": "kept"} if args["n"] == 1 else None
    )
    results = asyncio.run(run_turn(pipeline, [ToolCall("read", {"n": n}, f"c{n}") for n in range(3)]))
    assert [r.content for r in results] == ["fresh", "kept", "fresh"]


def test_one_hook_may_change_the_arguments_and_ask(add, run, pipeline):
    add("t", properties={"n": {"type": "integer"}})
    pipeline.hooks.register("pre_tool_call", lambda **kw: {"action": "ask", "message": "so?", "args": {"n": "8"}})
    asked = []
    assert run("t", {"n": 1}, approver=lambda ready, ask: asked.append(ready.args) or True).content == '{"n": 8}'
    assert asked == [{"n": 8}]


def test_a_yes_for_the_session_is_for_one_question_of_a_hook(add, run, pipeline):
    add("t", properties={"n": {"type": "integer"}})
    pipeline.hooks.register("pre_tool_call", lambda args: {"action": "ask", "message": f"number {args['n']}?"})
    keys = []
    for n in (1, 2):
        run("t", {"n": n}, approver=lambda ready, ask: keys.append(ask.keys) or True)
    assert keys[0] != keys[1]


def test_a_refusal_is_not_transformed(run, pipeline):
    seen = []
    pipeline.hooks.register("transform_tool_result", lambda **kw: seen.append(kw) or "x")
    assert run("nosuch").status == "refused" and seen == []
