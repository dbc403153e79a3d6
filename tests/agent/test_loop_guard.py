"""The loop guard: circles stop, work goes on, polling may repeat."""

from __future__ import annotations

import json

import pytest

from handiwork.agent.loop_guard import LoopGuard
from handiwork.core.types import Ready, Refusal, ToolCall, ToolResult, Traits

KINDS = {"r": Traits(read_only=True), "w": Traits(effect="write"), "p": Traits(read_only=True, polls=True)}


class Model:
    """Makes calls `tool:argument=answer`, one a turn; an answer that begins with "!" is an error."""

    def __init__(self, registry):
        self.registry, self.clock = registry, 0.0
        self.guard = LoopGuard(lambda: self.clock)

    def turn(self, word):
        self.clock += 1
        name, _, rest = word.partition(":")
        argument, _, answer = rest.partition("=")
        call = ToolCall(name, json.dumps({"v": argument}), id="c")
        said = self.guard(Ready(call, self.registry.get(name), {"v": argument}))
        if isinstance(said, Refusal):
            result = ToolResult(call, json.dumps({"error": said.reason}), True, "refused", said.by)
        else:
            result = ToolResult(call, answer, answer.startswith("!"))
        (heard,) = self.guard.heard([result], lambda n: KINDS[n[0]].read_only)
        return "no" if isinstance(said, Refusal) else "warned" if heard.text != result.text else "ok"

    def calls(self, *words):
        return [self.turn(word) for word in words]

    @property
    def stuck(self):
        return self.guard.stuck


@pytest.fixture
def model(add, registry):
    for kind, traits in KINDS.items():
        for n in range(6):
            add(f"{kind}{n}", traits=traits)
    return Model(registry)


@pytest.mark.parametrize(
    ("calls", "noes"),
    [
        ("r0 r0 r0", 0),
        ("r0 r0 r0 r0", 1),
        ("w0 w0 w0 w0", 1),
        ("r0 r0 r0 w0 r0 r0 r0", 0),
        ("r0:a r0:b r0:c r0:d r0:e", 0),
        ("p0 p0 p0 p0 p0 p0 p0", 0),
        ("r0 r1 r0 r1 r0 r1 r0", 1),
        ("r0 w0 r0 w0 r0 w0 r0 w0 r0", 0),
        ("r0 w0:=!no r0 w0:=!no r0 w0:=!no r0", 1),
        ("r0 r1 r2 r0 r1 r2 r0 r1 r2 r0", 1),
        ("r0 r1 r2 r3 r0 r1 r2 r3 r0 r1 r2 r3 r0", 1),
        ("r0 r1 r2 r3 r4 r0 r1 r2 r3 r4 r0 r1 r2 r3 r4 r0", 1),
        ("r0 r1 r2 r3 r4 r5 r0 r1 r2 r3 r4 r5 r0 r1 r2 r3 r4 r5 r0", 0),
    ],
)
def test_circles(model, calls, noes):
    verdicts = model.calls(*calls.split())
    assert verdicts.count("no") == noes and verdicts[: len(verdicts) - noes] == ["ok"] * (len(verdicts) - noes)
    assert not model.stuck


def test_a_warning_then_a_stop_by_the_fifth_that_says_what_was_tried(model):
    assert model.calls("r0:a", "r0:a", "r0:a", "r0:a") == ["ok", "ok", "ok", "no"] and not model.stuck
    assert model.turn("r0:a") == "no"
    assert "3 times" in model.stuck and 'r0({"v": "a"})' in model.stuck


def test_another_way_of_writing_the_same_arguments_is_the_same_call(model, registry):
    for written in ('{"v": 1}', '{"v":1}', '{ "v" : 1 }'):
        call = ToolCall("r0", written, id="c")
        assert not isinstance(model.guard(Ready(call, registry.get("r0"), {})), Refusal)
        model.guard.heard([ToolResult(call, "x")], lambda _: True)
    assert isinstance(model.guard(Ready(ToolCall("r0", '{"v":  1}', id="c"), registry.get("r0"), {})), Refusal)


def test_a_cycle_that_goes_on_after_the_warning_is_stopped(model):
    cycle = ["r0:=a", "r1:=b"] * 12
    for word in cycle:
        model.turn(word)
        if model.stuck:
            break
    assert model.stuck


def test_work_in_vain_is_a_circle_too(model):
    answers = (json.dumps({"output": "3", "duration_ms": n}) for n in range(5))
    rounds = [word for answer in answers for word in (f"w0:={answer}", "r0:=!no")]
    assert set(model.calls(*rounds)) == {"ok"}
    assert model.turn("w0:=3") == "no" and not model.stuck


def test_work_that_answers_something_new_is_none(model):
    assert set(model.calls(*(w for c in "abcdefgh" for w in (f"w0:=made {c}", "r0:=same")))) == {"ok"}


def test_many_equal_calls_in_one_turn(model, registry):
    calls = [ToolCall("r0", "{}", id=str(n)) for n in range(6)]
    said = [model.guard(Ready(call, registry.get("r0"), {})) for call in calls]
    assert [isinstance(s, Refusal) for s in said] == [False] * 3 + [True] * 3 and model.stuck


def test_calls_that_tools_make_are_not_the_models(model, registry):
    ready = Ready(ToolCall("r0", "{}"), registry.get("r0"), {})
    assert all(model.guard(ready) is ready for _ in range(20))


def test_the_same_failure_to_the_same_call_also_where_it_never_ran(model):
    call = ToolCall("r0", "{}", id="c")
    missing = ToolResult(call, '{"error": "v is missing"}', True, "error", "hook")
    texts = [model.guard.heard([missing], lambda _: True)[0].text for _ in range(5)]
    assert [t == missing.content for t in texts] == [True, True, True, False, False]
    assert "ends the task" in texts[3] and model.stuck


@pytest.mark.parametrize(
    "answer",
    [
        "!not found: PAGE (request 8213N)",
        "not here: PAGE " * 40 + "at 2026-01-0N 10:00:0N",
        "data:image/png;base64," + "iVBORNw0" * 60,
    ],
)
def test_one_answer_to_ever_new_arguments(model, answer):
    words = [
        f"r0:page-{c}=" + answer.replace("PAGE", f"page-{c}").replace("N", str(n)) for n, c in enumerate("abcdefgh")
    ]
    verdicts = model.calls(*words[:6])
    assert verdicts[:5] == ["ok", "ok", "ok", "ok", "warned"] and model.stuck


def test_short_equal_answers_of_a_search_are_exploring(model):
    assert set(model.calls(*(f"r0:word{c}=" + '{"total": 0}' for c in "abcdefghij"))) == {"ok"} and not model.stuck


def test_pages_of_numbers_are_news(model):
    pages = (f"r0:{c}=" + "\n".join(f"{n * k},{k},0.{n}" for k in range(90)) for n, c in enumerate("abcdefghijkl"))
    assert set(model.calls(*pages)) == {"ok"} and not model.stuck


def test_progress_in_between_forgives(model):
    assert model.calls("r0", "r0", "r0", "r0")[-1] == "no"
    assert model.calls("w0:=done", "r0:=new", "r0:=new", "r0:=new") == ["ok"] * 4
    assert model.turn("r0:=new") == "no" and not model.stuck


def test_polling_without_news_ends_after_minutes_not_after_calls(model):
    assert set(model.calls(*["p0:=running"] * 60)) == {"ok"}
    model.clock += 300
    assert model.turn("p0:=running") == "no" and not model.stuck
    assert model.turn("p0:=running") == "no" and model.stuck


def test_polling_with_news_and_long_waits_may_go_on(model):
    for n in range(100):
        model.clock += 30
        assert model.turn(f"p0:=line {'abcdefghij'[n % 10]}") == "ok"
    for _ in range(15):
        model.clock += 600
        assert model.turn("p1:=running") == "ok"


@pytest.mark.parametrize("by", ["resolve", "supply", "repair"])
def test_three_turns_of_calls_that_could_not_run(model, by):
    for n in range(3):
        assert not model.stuck
        refused = [ToolResult(ToolCall(f"x{n}", "{}", id="c"), "{}", True, "refused", by)]
        model.guard.heard(refused, lambda _: False)
    assert "3 turns" in model.stuck and "x1" in model.stuck


def test_one_call_that_ran_is_no_useless_turn(model):
    refused = ToolResult(ToolCall("x", "{}", id="c"), "{}", True, "refused", "resolve")
    for n in range(8):
        model.guard.heard([refused, ToolResult(ToolCall("r0", str(n), id="d"), f"{'abcdefgh'[n]}")], lambda _: True)
        refused = ToolResult(ToolCall(f"x{n}", "{}", id="c"), f"{'abcdefgh'[n]}", True, "refused", "resolve")
    assert not model.stuck
