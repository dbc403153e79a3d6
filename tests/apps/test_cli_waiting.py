"""A run that waits for somebody: listed, answered once by another process, gone on with by a third."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest


def call(name, id="", **arguments):
    return {"calls": [{"name": name, "arguments": arguments, **({"id": id} if id else {})}]}


@pytest.fixture
def outside(tmp_path):
    return tmp_path / "outside.txt"


@pytest.fixture
def waiting(cli, script, outside):
    """A session that waits to be allowed to write outside its workspace."""
    model = script(call("write_file", "w1", path=str(outside), content="x"), "Written.")
    ran = cli("run", "Write it", "--wait", "--model", model)
    assert ran.code == 1 and "waiting" in ran.err and not outside.exists()
    (asked,) = cli("sessions", "pending", "--json").document["pending"]
    return asked


def test_nobody_there_means_no_unless_it_may_wait(cli, script, outside):
    model = script(call("write_file", path=str(outside), content="x"), "I was not allowed.")
    assert cli("run", "x", "--model", model).code == 5
    assert cli("sessions", "pending").out == "nothing waits\n"


def test_what_waits_is_listed(cli, waiting, outside):
    assert (waiting["call"], waiting["about"], waiting["tool"]) == ("w1", "approval", "write_file")
    assert "outside" in waiting["text"] and "w1" in cli("sessions", "pending").out
    (row,) = cli("sessions", "list", "--json").document["sessions"]
    assert row["state"] == "waiting"
    ran = cli("sessions", "resume", waiting["session"])
    assert ran.code == 2 and "sessions answer" in ran.err
    assert cli("sessions", "list", "--json").document["sessions"][0]["state"] == "waiting"


def test_a_yes_lets_that_call_run_once(cli, script, waiting, outside):
    name = waiting["session"]
    assert cli("sessions", "answer", name, "w1", "yes").code == 0
    ran = cli("sessions", "answer", name, "w1", "no")
    assert ran.code == 2 and "already" in ran.err
    assert cli("sessions", "pending", "--json").document == {"pending": []}
    again = call("write_file", "w2", path=str(outside) + ".2", content="y")
    ran = cli("sessions", "resume", name, "--json", "--model", script(again, "Written."))
    assert outside.read_text() == "x" and ran.document["result"] == "Written."
    assert [(c["name"], c["status"]) for c in ran.document["calls"]] == [
        ("write_file", "ok"),
        ("write_file", "refused"),
    ]
    outside.unlink()
    cli("sessions", "resume", name, "--model", script("Nothing more."))
    assert not outside.exists()
    roles = [e["body"]["message"]["role"] for e in cli("sessions", "show", name, "--json").document["entries"]
             if "message" in e["body"]]  # fmt: skip
    assert roles[:5] == ["user", "assistant", "tool", "user", "assistant"]


def test_a_no_is_told_to_the_model_with_its_note(cli, script, waiting, outside):
    assert cli("sessions", "answer", waiting["session"], "w1", "no", "--note", "write it inside").code == 0
    assert cli("sessions", "resume", waiting["session"], "--model", script("Understood.")).out == "Understood.\n"
    told = json.loads(cli("show", f"{waiting['session']}/w1", "--json").document["result"])
    assert "write it inside" in told["error"] and told["refused_by"] == "approval" and not outside.exists()


def test_what_is_no_answer_is_refused(cli, waiting):
    name = waiting["session"]
    for words in ([name, "w1", "perhaps"], [name, "w9", "yes"], ["nosuch", "w1", "yes"]):
        assert cli("sessions", "answer", *words).code == 2
    assert len(cli("sessions", "pending", "--json").document["pending"]) == 1


def test_a_question_is_answered_later(cli, script):
    model = script(call("clarify", "q1", question="Which one?", choices=["a", "b"]), "b it is.")
    assert cli("run", "x", "--wait", "--model", model).code == 1
    (asked,) = cli("sessions", "pending", "--json").document["pending"]
    assert asked["about"] == "input" and asked["text"] == "Which one? (a, b)"
    assert cli("sessions", "answer", "last", "q1", "b").code == 0
    assert cli("sessions", "resume", "last", "--model", script("b it is.")).code == 0
    assert json.loads(cli("show", "last/q1", "--json").document["result"]) == {"answer": "b"}


JOBS = """
from handiwork import registry
from handiwork.core.types import NeedsInput, Pending

def begin(args, **kw):
    return Pending("job-7", "a build")

def count(args, **kw):
    return NeedsInput("How many?", {"type": "integer", "minimum": 1}, "form-1")

registry.register(name="begin", toolset="jobs", handler=begin,
    schema={"name": "begin", "description": "Begins a build.", "parameters": {"type": "object", "properties": {}}})
registry.register(name="count", toolset="jobs", handler=count,
    schema={"name": "count", "description": "Counts.", "parameters": {"type": "object", "properties": {}}})
"""


def test_a_job_and_a_form_are_answered_each_once_in_any_order(cli, script, plugin):
    plugin("jobs", JOBS)
    both = {"calls": [{"name": "begin", "arguments": {}, "id": "j"}, {"name": "count", "arguments": {}, "id": "n"}]}
    assert cli("run", "x", "--wait", "--toolsets", "jobs", "--model", script(both, "done")).code == 1
    asked = cli("sessions", "pending", "--json").document["pending"]
    assert [(a["about"], a["handle"]) for a in asked] == [("job", "job-7"), ("input", "form-1")]
    assert cli("sessions", "answer", "last", "n", "many").code == 2
    assert cli("sessions", "answer", "last", "n", "3", "--json").document["still_pending"] == 1
    assert cli("sessions", "resume", "last", "--model", script("done")).code == 2
    assert cli("sessions", "answer", "last", "j", "built").code == 0
    assert cli("sessions", "resume", "last", "--toolsets", "jobs", "--model", script("done")).out == "done\n"
    results = [json.loads(cli("show", f"last/{c}", "--json").document["result"]) for c in "jn"]
    assert results == [{"answer": "built"}, {"answer": 3}]


# --------------------------------------------------------------------------- the same facts as at a terminal


def test_what_waits_has_the_facts_of_the_question(cli, waiting, outside):
    facts = waiting["facts"]
    assert facts["effects"] == [["write", str(outside)]] and facts["origin"] and facts["cwd"]
    assert facts["changes"] == [{"path": str(outside), "diff": "+x", "note": "is new"}]
    assert [breadth for breadth, _, _ in facts["offers"]] == ["exact", "path"]
    shown = cli("sessions", "pending").out
    assert "│ +x" in shown and "--keep session|project|always --breadth path: write_file(" in shown


@pytest.mark.parametrize(("keep", "breadth"), [("always", "exact"), ("always", "path"), ("session", "path")])
def test_an_answer_may_be_kept(cli, script, waiting, outside, keep, breadth):
    name = waiting["session"]
    ran = cli("sessions", "answer", name, "w1", "yes", "--keep", keep, "--breadth", breadth, "--json")
    assert ran.code == 0 and ("config.yaml:" in (ran.document["kept_in"] or "")) is (keep == "always")
    other = outside.with_name("other.txt") if breadth == "path" else outside
    again = call("write_file", "w2", path=str(other), content="y")
    ran = cli("sessions", "resume", name, "--json", "--model", script(again, "Written."))
    assert [c["status"] for c in ran.document["calls"]] == ["ok", "ok"] and other.read_text() == "y"


def test_a_breadth_that_was_not_offered_is_refused_and_nothing_is_answered(cli, waiting):
    ran = cli("sessions", "answer", waiting["session"], "w1", "yes", "--keep", "always", "--breadth", "prefix")
    assert ran.code == 2 and "exact" in ran.err and "path" in ran.err
    assert len(cli("sessions", "pending", "--json").document["pending"]) == 1


def test_what_changed_since_the_question_is_asked_about_anew(cli, script, waiting, outside):
    outside.write_text("somebody else's")
    assert cli("sessions", "answer", waiting["session"], "w1", "yes").code == 0
    ran = cli("sessions", "resume", waiting["session"], "--json", "--model", script("Not written."))
    assert [c["status"] for c in ran.document["calls"]] == ["refused"] and outside.read_text() == "somebody else's"


@pytest.mark.integration
def test_of_two_who_answer_at_once_one_is_heard(cli, waiting, surroundings):
    words = [sys.executable, "-m", "handiwork", "sessions", "answer", waiting["session"], "w1"]
    both = [subprocess.Popen([*words, said], env=surroundings, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
            for said in ("yes", "no", "yes", "no")]  # fmt: skip
    codes = sorted(child.wait(30) for child in both)
    assert codes[0] == 0 and all(codes[1:]), codes
    assert cli("sessions", "pending", "--json").document == {"pending": []}
