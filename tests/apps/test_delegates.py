"""Agents that work for the agent of the command line: less than it has, below its session, no deeper than allowed."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import threading
import time

import pytest

from handiwork.agent.delegate import WHAT_IT_IS
from handiwork.agent.spending import Budget
from handiwork.apps.agents import Face, build_agent
from handiwork.apps.house import default
from handiwork.core.delegation import DELEGATION_LIMITS, depth_of
from handiwork.core.types import ModelReply, ToolCall, Traits
from handiwork.guard.approval import allow_all


def call(name, **arguments):
    return {"calls": [{"name": name, "arguments": arguments}]}


def delegate(task="do it", *tools):
    return call("delegate_task", tasks=[{"task": task, "tools": list(tools)}])


def results(ran, number=0):
    return json.loads(ran.document["calls"][number]["content"])["results"]


def test_a_delegate_works_in_the_same_place_and_names_its_files(cli, script, tmp_path):
    model = script(
        delegate("write the file"), call("write_file", path="a/b.txt", content="x"), "It is in a/b.txt.", "Done."
    )
    ran = cli("run", "x", "--json", "--model", model)
    (report,) = results(ran)
    assert report["state"] == "done" and report["answer"] == "It is in a/b.txt."
    assert report["files"] == [str(tmp_path / "work" / "a" / "b.txt")] and (tmp_path / "work" / "a" / "b.txt").exists()
    assert ran.document["result"] == "Done." and "d1: write_file" in ran.err


def test_it_has_only_what_it_was_given(cli, script):
    model = script(
        delegate("x", "utility"),
        call("write_file", path="a.txt", content="x"),
        call("calculate", expression="6*7"),
        "42",
        "Done.",
    )
    cli("run", "x", "--json", "--model", model)
    child = cli("sessions", "list", "--json").document["sessions"][0]
    entries = cli("sessions", "show", child["id"], "--json").document["entries"]
    said = [json.loads(e["body"]["message"]["content"]) for e in entries if e["kind"] == "result"]
    assert "not enabled" in said[0]["error"] and said[1]["result"] == 42


def test_it_never_has_more_than_its_principal(cli, script):
    for tools in (["terminal"], ["memory"], ["clarify"]):
        ran = cli("run", "x", "--json", "--disable", "terminal", "--model", script(delegate("x", *tools), "no"))
        assert "isn't among the tools" in ran.document["calls"][0]["content"]
    ran = cli("run", "x", "--json", "--model", script(delegate("x", "flying"), "no"))
    assert "unknown toolset" in ran.document["calls"][0]["content"]
    model = script(delegate("x"), call("terminal", command="true"), call("memory", action="list"), "no", "no")
    cli("run", "x", "--json", "--disable", "terminal", "--model", model)
    shown = cli("sessions", "show", cli("sessions", "list", "--json").document["sessions"][0]["id"]).out
    assert shown.count("is not enabled here") == 2


def test_its_session_stands_below_that_of_its_principal(cli, script, home):
    cli("run", "the principal's task", "--model", script(delegate("its own task"), "yes", "Done."))
    with sqlite3.connect(home / "sessions.db") as db:
        rows = db.execute("SELECT id, parent, platform, title, state FROM sessions ORDER BY number").fetchall()
    (ours, *_), (_, parent, platform, title, state) = rows
    assert (parent, platform, title, state) == (ours, "delegate", "its own task", "answered")
    assert "the principal's task" in cli("sessions", "show", "last").out
    assert "↳ its own task" in cli("sessions", "list").out
    assert "principal" not in json.dumps(cli("sessions", "show", rows[1][0], "--json").document["entries"])


def test_what_would_ask_asks_the_same_person(cli, script, tmp_path):
    outside = str(tmp_path / "outside.txt")
    replies = [delegate(), call("write_file", path=outside, content="x"), "tried", "Done."]
    cli("run", "x", "--deny", "--model", script(*replies))
    assert not (tmp_path / "outside.txt").exists()
    cli("run", "x", "--yes", "--model", script(*replies))
    assert (tmp_path / "outside.txt").exists()
    child, ours = (row["id"] for row in cli("sessions", "list", "--json").document["sessions"][:2])
    kinds = [{e["kind"] for e in cli("sessions", "show", s, "--json").document["entries"]} for s in (child, ours)]
    assert "decision" in kinds[0] and "decision" not in kinds[1]


def test_two_levels_and_no_more(cli, script):
    model = script(delegate("one"), delegate("two"), delegate("three"), "deep", "middle", "top")
    ran = cli("run", "x", "--json", "--model", model)
    assert ran.document["result"] == "top" and results(ran)[0]["answer"] == "middle"
    deepest = cli("sessions", "list", "--json").document["sessions"][0]["id"]
    assert "'delegate_task' is not enabled here" in cli("sessions", "show", deepest).out


def test_commands_know_how_deep_they_are(cli, script):
    show = call("terminal", command="echo depth=$HANDIWORK_DEPTH")
    model = script(show, delegate(), show, show, "ok", "Done.")
    ran = cli("run", "x", "--json", "--yes", "--model", model)
    assert "depth=1" in ran.document["calls"][0]["content"]
    child = cli("sessions", "list", "--json").document["sessions"][0]["id"]
    assert cli("sessions", "show", child).out.count("depth=2\\n") == 2


@pytest.mark.parametrize("depth", ["3", "17"])
def test_an_agent_below_too_many_others_does_not_begin(cli, script, monkeypatch, depth):
    monkeypatch.setenv("HANDIWORK_DEPTH", depth)
    ran = cli("run", "x", "--model", script("hello"))
    assert ran.code == 4 and ran.out == "" and f"{depth} deep" in ran.err and "limit is 2" in ran.err


@pytest.mark.parametrize("depth", ["0", "2", "", "-1", "x", "²"])
def test_others_begin_and_the_last_has_no_delegates(cli, script, monkeypatch, depth):
    monkeypatch.setenv("HANDIWORK_DEPTH", depth)
    ran = cli("run", "x", "--json", "--model", script(delegate(), "hello", "hello"))
    assert ran.code == 0
    refused = "not enabled" in ran.document["calls"][0]["content"]
    assert refused == (depth_of({"HANDIWORK_DEPTH": depth}) >= DELEGATION_LIMITS.depth)


def test_the_schema_tells_the_limits_that_hold(cli):
    text = json.dumps(cli("tools", "show", "delegate_task", "--json").document)
    assert f"At most {DELEGATION_LIMITS.tasks} tasks" in text and f"{DELEGATION_LIMITS.steps} steps" in text


class Team:
    """A model that is its principal or a delegate, by whom it is asked for."""

    name = "team"

    def __init__(self, principal, delegate):
        self.principal, self.delegate = iter(principal), delegate
        self.asked = []

    async def reply(self, request):
        if WHAT_IT_IS in request.messages[0]["content"]:
            return await self.delegate(request)
        self.asked.append(request.messages)
        said = next(self.principal)
        return ModelReply(said) if isinstance(said, str) else ModelReply(calls=(said,))


def work(model, tmp_path, **face):
    agent = build_agent(
        default(), model, Face("python", ("handiwork-cli",), **face), cwd=str(tmp_path), budget=Budget(max_seconds=20)
    )
    outcome = asyncio.run(agent.run("lead them"))
    agent.close()
    return outcome


def test_a_result_from_the_background_comes_as_a_notice_with_the_next_step(fresh_default, tmp_path):
    begun = threading.Event()

    async def delegate(request):
        begun.set()
        return ModelReply("The answer is 42.")

    def wait(args):
        begun.wait(5)
        time.sleep(0.2)
        return "waited"

    default().registry.register(
        name="pause", toolset="utility", handler=wait, override=True, traits=Traits(read_only=True),
        schema={"name": "pause", "description": "Waits.", "parameters": {"type": "object", "properties": {}}},
    )  # fmt: skip
    start = ToolCall("delegate_task", '{"tasks": [{"task": "find it"}], "background": true}', "c1")
    model = Team([start, ToolCall("pause", "{}", "c2"), "Done."], delegate)
    try:
        assert work(model, tmp_path).answer == "Done."
    finally:
        default().registry.deregister("pause")
    assert '"state": "running"' in model.asked[1][-1]["content"]
    notice = model.asked[2][-1]
    assert notice["role"] == "user" and notice["content"].startswith("[background: d1 has ended")
    assert "The answer is 42." in notice["content"]


def test_the_end_of_the_work_ends_what_is_in_the_background(fresh_default, tmp_path, living):
    async def delegate(request):
        if any(m["role"] == "tool" for m in request.messages):
            return ModelReply("never")
        return ModelReply(calls=(ToolCall("terminal", '{"command": "sleep 300"}', "c9"),))

    start = ToolCall("delegate_task", '{"tasks": [{"task": "sleep"}], "background": true}', "c1")
    look = ToolCall("terminal", '{"command": "sleep 0.3"}', "c2")
    model = Team([start, look, "Done."], delegate)
    began = time.monotonic()
    assert work(model, tmp_path, approver=allow_all).answer == "Done."
    assert living(5) == [] and time.monotonic() - began < 10
