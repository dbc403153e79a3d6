"""A call inside another one that must be asked about: the outer one waits, and goes on without doing anything twice."""

from __future__ import annotations

import json

import pytest

OUTER = """
import asyncio, json, os
from pathlib import Path
from handiwork import registry

def note(word):
    with open("log.txt", "a") as log:
        log.write(word + "\\n")

def steps(args, *, scope):
    note("outer")
    told = []
    for path in args["paths"]:
        told.append(json.loads(scope.call("write_file", {"path": path, "content": "x\\n"})))
        scope.call("count", {})
    return {"told": told}

async def asteps(args, *, scope):
    note("outer")
    told = [await scope.acall("write_file", {"path": path, "content": "x\\n"}) for path in args["paths"]]
    return {"told": [json.loads(one) for one in told]}

async def together(args, *, scope):
    note("outer")
    calls = (scope.acall("write_file", {"path": p, "content": "x\\n"}) for p in args["paths"])
    return {"told": [json.loads(one) for one in await asyncio.gather(*calls)]}

async def grouped(args, *, scope):
    note("outer")
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(scope.acall("write_file", {"path": p, "content": "x\\n"})) for p in args["paths"]]
    return {"told": [json.loads(task.result()) for task in tasks]}

def stubborn(args, *, scope):
    note("outer")
    try:
        return scope.call("write_file", {"path": args["paths"][0], "content": "x\\n"})
    except Exception:
        return "swallowed"

def nested(args, *, scope):
    note("outer")
    return scope.call("steps", args)

def count(args):
    if Path("die").exists():
        os._exit(9)
    with open("count.txt", "a") as file:
        file.write("1")
    return "counted"

NOTHING = {"type": "object", "properties": {}}
PATHS = {**NOTHING, "properties": {"paths": {"type": "array", "items": {"type": "string"}}}, "required": ["paths"]}

registry.register(name="count", toolset="outer", handler=count, traits={"effect": "write"},
    schema={"name": "count", "description": "Counts.", "parameters": NOTHING})
reads = [(made.__name__, made, True) for made in (steps, asteps, together, grouped, stubborn, nested)]
for name, handler, read_only in (*reads, ("effects", steps, False)):
    registry.register(name=name, toolset="outer", handler=handler, is_async=asyncio.iscoroutinefunction(handler),
        schema={"name": name, "description": name, "parameters": PATHS}, traits={"read_only": read_only})
"""


def calls(tool, id, **arguments):
    return {"calls": [{"name": tool, "arguments": arguments, "id": id}]}


@pytest.fixture
def begin(cli, script, plugin):
    """Runs a task of one call, which may wait."""
    plugin("outer", OUTER)

    def run(name, **arguments):
        return cli(
            "run", "x", "--wait", "--toolsets", "outer,file", "--model", script(calls(name, "o1", **arguments), "ok")
        )

    return run


@pytest.fixture
def lines(tmp_path):
    """How often something was noted."""

    def count(name):
        path = tmp_path / "work" / name
        return path.read_text() if path.exists() else ""

    return count


def pending(cli):
    return cli("sessions", "pending", "--json").document["pending"]


@pytest.mark.parametrize("name", ["steps", "asteps", "together", "grouped", "stubborn", "nested"])
def test_it_waits_is_listed_and_goes_on(cli, script, begin, tmp_path, lines, name):
    outside = tmp_path / "outside.txt"
    ran = begin(name, paths=[str(outside)])
    assert ran.code == 1 and "waiting" in ran.err and not outside.exists()
    (asked,) = pending(cli)
    assert (asked["call"], asked["about"], asked["tool"]) == ("o1", "approval", name)
    assert "write_file" in asked["text"] and str(outside) in asked["text"]
    assert cli("sessions", "answer", "last", "o1", "yes").code == 0
    ran = cli("sessions", "resume", "last", "--wait", "--json", "--model", script("done"))
    assert ran.code == 0 and outside.read_text() == "x\n"
    assert [c["status"] for c in ran.document["calls"]] == ["ok"]
    assert pending(cli) == [] and lines("log.txt").count("outer") == (2 if name != "nested" else 4)


@pytest.mark.parametrize("name", ["steps", "asteps"])
def test_what_was_done_before_is_not_done_again(cli, script, begin, tmp_path, lines, name):
    inside, one, two = tmp_path / "work" / "in.txt", tmp_path / "one.txt", tmp_path / "two.txt"
    assert begin(name, paths=["in.txt", str(one), str(two)]).code == 1
    written = inside.stat().st_mtime_ns, inside.stat().st_ino
    for path in (one, two):
        (asked,) = pending(cli)
        assert str(path) in asked["text"] and not path.exists()
        assert cli("sessions", "answer", "last", "o1", "yes").code == 0
        ran = cli("sessions", "resume", "last", "--wait", "--json", "--model", script("done"))
    assert ran.code == 0 and one.exists() and two.exists()
    assert (inside.stat().st_mtime_ns, inside.stat().st_ino) == written
    told = json.loads(cli("show", "last/o1", "--json").document["result"])["told"]
    assert [t.get("created") for t in told] == [True, True, True]  # a second write would have found a file
    assert lines("count.txt") == ("111" if name == "steps" else "")


def test_a_no_says_what_was_done_already(cli, script, begin, tmp_path, lines):
    outside = tmp_path / "outside.txt"
    assert begin("steps", paths=["in.txt", str(outside)]).code == 1
    assert cli("sessions", "answer", "last", "o1", "no", "--note", "stay inside").code == 0
    assert cli("sessions", "resume", "last", "--model", script("understood")).code in (0, 5)
    told = json.loads(cli("show", "last/o1", "--json").document["result"])
    assert "stay inside" in told["error"] and not outside.exists()
    assert any("in.txt" in line and line.endswith("done") for line in told["done_within"])
    assert lines("log.txt").count("outer") == 1


def test_a_yes_is_for_one_of_two_calls_that_are_alike(cli, script, begin, tmp_path):
    outside = tmp_path / "outside.txt"
    assert begin("steps", paths=[str(outside), str(outside)]).code == 1
    assert cli("sessions", "answer", "last", "o1", "yes").code == 0
    assert cli("sessions", "resume", "last", "--wait", "--model", script("done")).code == 1
    assert outside.exists() and len(pending(cli)) == 1
    assert cli("sessions", "answer", "last", "o1", "yes").code == 0
    assert cli("sessions", "resume", "last", "--model", script("done")).code == 0
    told = json.loads(cli("show", "last/o1", "--json").document["result"])["told"]
    assert [t["created"] for t in told] == [True, False]


def test_one_with_effects_of_its_own_is_told_no_and_why(cli, begin, tmp_path, lines):
    outside = tmp_path / "outside.txt"
    assert begin("effects", paths=[str(outside)]).code == 0
    assert pending(cli) == [] and not outside.exists() and lines("log.txt").count("outer") == 1
    (told,) = json.loads(cli("show", "last/o1", "--json").document["result"])["told"]
    assert told["refused_by"] == "approval" and "effects can't wait for an answer" in told["hint"]
    assert "call write_file by itself" in told["hint"]


def test_a_deferred_tool_waits_too(cli, script, configure, tmp_path):
    configure("tools_budget_tokens: 200\n")
    outside = tmp_path / "outside.txt"
    call = calls("tool_call", "o1", name="write_file", arguments={"path": str(outside), "content": "x"})
    ran = cli("run", "x", "--wait", "--model", script(call, "ok"))
    assert ran.code == 1, ran.out + ran.err
    (asked,) = pending(cli)
    assert asked["call"] == "o1" and "write_file" in asked["text"]
    assert cli("sessions", "answer", "last", "o1", "yes").code == 0
    assert cli("sessions", "resume", "last", "--model", script("done")).code == 0
    assert outside.read_text() == "x"


def test_a_delegate_is_told_no_and_runs_once(cli, script, tmp_path):
    outside = tmp_path / "outside.txt"
    order = calls("delegate_task", "o1", tasks=[{"task": "write it", "tools": ["file"]}])
    ran = cli("run", "x", "--wait", "--model", script(order, calls("write_file", "w1", path=str(outside), content="x"),
                                                      "I was not allowed.", "So be it."))  # fmt: skip
    assert ran.code == 5 and pending(cli) == [] and not outside.exists()


@pytest.mark.integration
def test_in_processes_of_their_own(command, script, plugin, tmp_path):
    plugin("outer", OUTER)
    (tmp_path / "work").mkdir()
    outside = tmp_path / "outside.txt"
    model = script(calls("steps", "o1", paths=["in.txt", str(outside)]), "ok")
    words = ("--toolsets", "outer,file", "--cwd", str(tmp_path / "work"))
    assert command("run", "x", "--wait", *words, "--model", model, cwd=tmp_path / "work").code == 1
    assert command("sessions", "pending").out.count("o1") == 1
    assert command("sessions", "answer", "last", "o1", "yes").code == 0
    ran = command("sessions", "resume", "last", "--json", "--model", script("done"), cwd=tmp_path / "work")
    assert ran.code == 0 and outside.exists() and (tmp_path / "work" / "count.txt").read_text() == "11"


@pytest.mark.integration
def test_one_that_dies_when_it_goes_on_is_told_truly_and_not_run_again(command, script, plugin, tmp_path):
    plugin("outer", OUTER)
    work, outside = tmp_path / "work", tmp_path / "outside.txt"
    work.mkdir()
    model = script(calls("steps", "o1", paths=["in.txt", str(outside)]), "ok")
    words = ("--toolsets", "outer,file", "--cwd", str(work))
    assert command("run", "x", "--wait", *words, "--model", model, cwd=work).code == 1
    assert command("sessions", "answer", "last", "o1", "yes").code == 0
    (work / "die").touch()  # after the write that was allowed, in the call that follows it
    assert command("sessions", "resume", "last", "--model", script("never"), cwd=work).code == 9 and outside.exists()
    (work / "die").unlink()
    ran = command("sessions", "resume", "last", "--json", "--model", script("I see"), cwd=work)
    assert ran.code == 0 and ran.document["calls"] == []
    told = json.loads(command("show", "last/o1", "--json").document["result"])
    assert told["state"] == "partly done"
    within = {line.split(" ")[0] + line.rpartition(":")[2] for line in told["within"]}
    assert within == {"write_file done", "count done", "count unknown"}
    assert (work / "count.txt").read_text() == "1" and (work / "log.txt").read_text() == "outer\n" * 2
