"""Compaction: what is shown fits, stays valid and stable, and tells what was left out."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handiwork.agent.compaction import HIGH, Context, _cost
from handiwork.backends.models.history import valid_history

START = [{"role": "system", "content": "You are an agent."}, {"role": "user", "content": "Count the lines."}]


def step(n, size=400, name="read_file", error=False):
    call = {"id": f"c{n}", "type": "function", "function": {"name": name, "arguments": json.dumps({"path": f"f{n}"})}}
    text = json.dumps({"error": "no such file"}) if error else f"file {n} " + "word " * (size // 5)
    return [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{n}", "name": name, "content": text},
    ]


def conversation(steps, **more):
    return [*START, *(message for n in range(steps) for message in step(n, **more))]


def cost(messages):
    return sum(map(_cost, messages))


def is_paired(messages):
    return valid_history(messages) == [
        {
            k: v
            for k, v in {**m, "content": m["content"] or (None if m.get("tool_calls") else "")}.items()
            if k != "name"
        }
        for m in messages
    ]


def test_without_a_limit_or_below_it_nothing_changes():
    messages = conversation(20)
    assert Context(None).shown(messages) == messages and Context(100_000).shown(messages) == messages


@pytest.mark.parametrize("tokens", [2_000, 8_000, pytest.param(32_000, marks=pytest.mark.integration)])
def test_what_is_shown_always_fits_and_is_paired(tokens):
    context, messages = Context(tokens), list(START)
    for n in range(200):
        messages += step(n, size=tokens // 4)
        shown = context.shown(messages)
        assert cost(shown) <= HIGH * tokens and is_paired(shown)
        assert shown[:2] == START and shown[-2:] == messages[-2:]
    assert context.left_out > 0


def test_long_results_go_before_steps_do():
    context, messages = Context(8_000), conversation(12, size=2_500)
    shown = context.shown(messages)
    assert context.left_out == 0 and len(shown) == len(messages)
    assert "left out to make room" in shown[3]["content"] and shown[-1] == messages[-1]


def test_the_digest_tells_calls_failures_words_and_what_is_still_to_do():
    messages = [*conversation(10, size=500), {"role": "user", "content": "Only in src, please."}]
    messages += [m for n in range(10, 100) for m in step(n, size=500, error=n in (66, 68, 70))]
    context = Context(8_000, pinned=lambda: "[ ] write the report")
    shown = context.shown(messages)
    digest = shown[2]["content"]
    assert '- read_file {"path": "f67"} -> ' in digest and "failed: " in digest
    assert "Only in src, please." in digest and "[ ] write the report" in digest


def test_between_two_cuts_the_first_bytes_stay():
    context, messages, cuts, before = Context(8_000), list(START), 0, []
    for n in range(120):
        messages += step(n, size=1_000)
        shown = context.shown(messages)
        if before and shown[: len(before)] != before:
            cuts += 1
        before = shown
    assert 0 < cuts <= 12


def test_a_very_long_task_has_a_bounded_digest():
    context, messages = Context(8_000), list(START)
    for n in range(2_000):
        messages += step(n, size=100)
    shown = context.shown(messages)
    assert cost(shown) <= HIGH * 8_000 and "not listed" in shown[2]["content"]


@pytest.mark.integration
def test_its_own_cost_a_turn_stays_flat():
    context, messages, spent = Context(16_000), list(START), []
    for n in range(400):
        messages += step(n, size=600)
        started = time.process_time()
        context.shown(messages)
        spent.append(time.process_time() - started)
    assert sorted(spent)[len(spent) // 2] < 0.005


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.sampled_from(["step", "say", "fail"]), st.integers(0, 4_000)), max_size=60),
    st.integers(1_500, 9_000),
)
def test_any_conversation_is_shown_paired_and_with_its_end(parts, tokens):
    context, messages = Context(tokens), list(START)
    for n, (kind, size) in enumerate(parts):
        messages += (
            [{"role": "user", "content": "x" * (size % 300)}] if kind == "say" else step(n, size, error=kind == "fail")
        )
        shown = context.shown(messages)
        assert is_paired(shown) and shown[:2] == START and shown[-1]["role"] == messages[-1]["role"]
