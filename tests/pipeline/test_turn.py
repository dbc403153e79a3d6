"""Turns: waves by footprint, order of results, approvals in order."""

from __future__ import annotations

import asyncio
import json
import time

import pytest

from handiwork.core.types import Ask, Scope, ToolCall, Traits
from handiwork.pipeline.line import Pipeline
from handiwork.pipeline.turn import run_turn, waves

READ = Traits(read_only=True, touches={"path": "path"})
WRITE = Traits(effect="idempotent", touches={"path": "path"})
PATH = {"path": {"type": "string"}}


@pytest.fixture
def tools(add):
    add("read", properties=PATH, traits=READ)
    add("write", properties=PATH, traits=WRITE)
    add("shell", properties={"command": {"type": "string"}}, traits=Traits(touches={"command": "command"}))
    add("look", traits=Traits(read_only=True))
    add("web", traits=Traits(read_only=True, open_world=True))
    add("free", traits=Traits(parallel_safe=True))
    add("plain")


def sizes(pipeline, *calls, cwd=""):
    pairs = [call.partition(":")[::2] for call in calls]
    made = [ToolCall(name, {"path": path} if path else {}, scope=Scope(cwd=cwd)) for name, path in pairs]
    return [len(w) for w in waves(pipeline, made)]


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        (["read:a", "read:a", "read:b", "look", "web"], [5]),
        (["write:a", "write:b", "read:c"], [3]),
        (["write:a", "read:a"], [1, 1]),
        (["read:a", "write:a"], [1, 1]),
        (["write:a", "write:a"], [1, 1]),
        (["write:d/a", "read:d"], [1, 1]),
        (["read:d", "write:d/a"], [1, 1]),
        (["write:d", "write:da"], [2]),
        (["write:./a", "read:x/../a"], [1, 1]),
        (["shell", "read:a"], [1, 1]),
        (["read:a", "read:b", "shell", "read:a"], [2, 1, 1]),
        (["plain", "plain"], [1, 1]),
        (["look", "write:a"], [1, 1]),
        (["web", "write:a", "free"], [3]),
        (["free", "free", "shell", "free"], [2, 1, 1]),
        (["unknown", "unknown"], [2]),
        (["read:a", "write:b\0", "read:c"], [1, 1, 1]),
    ],
)
def test_waves(pipeline, tools, calls, expected):
    assert sizes(pipeline, *calls) == expected


def test_a_link_to_a_file_is_that_file(pipeline, tools, tmp_path):
    (tmp_path / "real").write_text("x")
    (tmp_path / "link").symlink_to("real")
    assert sizes(pipeline, "write:real", "read:link", cwd=str(tmp_path)) == [1, 1]


@pytest.mark.parametrize(
    ("body", "other", "expected"),
    [
        ("*** Update File: real.py\n-a\n+b\n", "read:real.py", [1, 1]),
        ("*** Update File: real.py\n-a\n+b\n", "read:other.py", [2]),
        ("*** Update File: x\n*** Move to: real.py\n", "read:./real.py", [1, 1]),
        ("*** Delete File: link.py\n", "read:real.py", [1, 1]),
        ("*** Add File: d/new\n+x\n", "write:d", [1, 1]),
        ("nothing that can be read\n", "read:other.py", [1, 1]),
    ],
)
def test_the_paths_of_a_patch_are_those_in_its_text(pipeline, tools, add, tmp_path, body, other, expected):
    (tmp_path / "real.py").write_text("a\n")
    (tmp_path / "link.py").symlink_to("real.py")
    traits = Traits(effect="write", touches={"path": "path", "patch": "patch"})
    add("patch", properties={**PATH, "patch": {"type": "string"}}, traits=traits)
    name, _, path = other.partition(":")
    scope = Scope(cwd=str(tmp_path))
    for dummy in ({}, {"path": "dummy"}):
        args = {**dummy, "patch": f"*** Begin Patch\n{body}*** End Patch\n"}
        calls = [ToolCall("patch", args, scope=scope), ToolCall(name, {"path": path}, scope=scope)]
        assert [len(w) for w in waves(pipeline, calls)] == expected


@pytest.mark.integration
def test_eight_independent_calls_take_the_time_of_one(pipeline, add):
    async def nap(args):
        await asyncio.sleep(0.2)

    add("nap", nap, is_async=True, traits=Traits(read_only=True))
    add("sync_nap", lambda args: time.sleep(0.2), traits=Traits(read_only=True))
    for name in ("nap", "sync_nap"):
        one, eight = (_seconds(pipeline, [ToolCall(name, {}) for _ in range(n)]) for n in (1, 8))
        assert eight < 3 * one  # on a quiet machine 1.03


def _seconds(pipeline, calls):
    start = time.perf_counter()
    asyncio.run(run_turn(pipeline, calls))
    return time.perf_counter() - start


def test_results_come_in_the_order_asked_and_a_failure_stops_nobody(pipeline, add):
    async def late(args):
        await asyncio.sleep(args["s"])
        return args

    add("late", late, is_async=True, traits=Traits(read_only=True), properties={"s": {"type": "number"}})
    add("boom", lambda args: 1 / 0, traits=Traits(read_only=True))
    calls = [ToolCall("late", {"s": 0.1}, "a"), ToolCall("boom", {}, "b"), ToolCall("late", {"s": 0}, "c")]
    results = asyncio.run(run_turn(pipeline, [*calls, ToolCall("nope", {}, "d")]))
    assert [(r.call.id, r.status) for r in results] == [("a", "ok"), ("b", "error"), ("c", "ok"), ("d", "refused")]


def test_a_call_is_judged_on_the_world_its_predecessors_left(registry, add, tmp_path):
    log = []
    pipeline = Pipeline(registry, judge=lambda ready: log.append(("judged", ready.entry.name)) or Ask("?"))
    for name in ("one", "two"):
        add(name, lambda args, name=name: log.append(("ran", name)))
    scope = Scope(approver=lambda ready, ask: True)
    asyncio.run(run_turn(pipeline, [ToolCall("one", {}, scope=scope), ToolCall("two", {}, scope=scope)]))
    assert log == [("judged", "one"), ("ran", "one"), ("judged", "two"), ("ran", "two")]


def test_approvals_of_a_wave_are_asked_in_order_before_it_runs(registry, add):
    log = []
    pipeline = Pipeline(registry, judge=lambda ready: Ask("?"))
    add("r", lambda args: log.append("ran"), traits=Traits(read_only=True), properties={"n": {"type": "integer"}})
    scope = Scope(approver=lambda ready, ask: log.append(ready.args["n"]) or ready.args["n"] != 1)
    calls = [ToolCall("r", {"n": i}, scope=scope) for i in range(3)]
    results = asyncio.run(run_turn(pipeline, calls))
    assert log[:3] == [0, 1, 2] and log[3:] == ["ran", "ran"]
    assert [r.status for r in results] == ["ok", "refused", "ok"]


def test_a_thousand_readers_make_one_wave_quickly(pipeline, tools):
    start = time.process_time()
    assert sizes(pipeline, *["look"] * 1000) == [1000]
    assert time.process_time() - start < 0.5


def test_same_file_in_all_pairs_keeps_the_models_order(pipeline, add, tmp_path):
    path = tmp_path / "f"

    def write(args):
        before = path.read_text()
        time.sleep(0.002)
        path.write_text(before + args["text"])

    add("write", write, properties={**PATH, "text": {"type": "string"}}, traits=WRITE)
    add("read", lambda args: path.read_text(), properties=PATH, traits=READ)
    for _ in range(5):
        path.write_text("")
        calls = []
        for i in range(6):
            calls += [ToolCall("write", {"path": str(path), "text": str(i)}), ToolCall("read", {"path": str(path)})]
        results = asyncio.run(run_turn(pipeline, calls))
        assert [r.content for r in results[1::2]] == ["012345"[: i + 1] for i in range(6)]


def test_results_are_json(pipeline, tools):
    results = asyncio.run(run_turn(pipeline, [ToolCall("look", {"a": 1})]))
    assert json.loads(results[0].content) == {"a": 1}
