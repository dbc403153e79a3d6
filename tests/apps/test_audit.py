"""The audit of a house: every call has its line, whichever way it goes."""

from __future__ import annotations

import asyncio
import json

import pytest

from handiwork import Toolbox, ToolRegistry
from handiwork.apps.house import House
from handiwork.backends.audit.checking import check_audit
from handiwork.backends.audit.reading import entries_of, lines_in
from handiwork.core.config import Config
from handiwork.core.types import Answer, ToolCall, Traits
from handiwork.guard import accounts, raters
from handiwork.pipeline.turn import run_turn

READS = Traits(read_only=True)


@pytest.fixture
def open_house(registry, tmp_path, add):
    opened = []

    def open_one(**config):
        house = House(registry, home=str(tmp_path / "home"), config=Config(**config))
        opened.append(house)
        return house

    add("look", lambda args, **_: "seen", properties={"n": {"type": "integer"}}, traits=READS)
    add("change", lambda args, **_: "done", properties={"n": {"type": "integer"}})
    add(
        "run_it", lambda args, **_: "ran", properties={"c": {"type": "string"}}, traits=Traits(touches={"c": "command"})
    )
    add("break", lambda args, **_: 1 / 0)
    yield open_one
    for house in opened:
        house.close()


def told(house):
    house.audit.close()
    assert not check_audit(house.home).faults
    return list(entries_of(lines_in(house.home)))


def call(house, name, args=None, **scope):
    return house.pipeline.run(ToolCall(name, args or {}, "c1", house.scope(**scope)))


def test_a_call_that_reads_has_one_line_one_that_changes_has_two(open_house):
    house = open_house()
    call(house, "look", {"n": "1"}, session_id="s1")
    call(house, "change", {"n": 2})
    house.audit.close()
    events = [line.said["event"] for line in lines_in(house.home)]
    assert events == ["segment", "call", "begin", "end", "closed"]
    look, change = told(house)
    assert look["session"] == "s1" and look["args"] == {"n": 1} and look["repairs"] and look["status"] == "ok"
    assert change["tool"] == "change" and change["verdict"] == "allow" and change["status"] == "ok"


def test_it_stands_there_before_the_change_is_made(open_house, registry, add):
    house = open_house()
    seen = []
    add("look_at_it", lambda args, **_: seen.extend(entries_of(lines_in(house.home))) or "ok")
    call(house, "look_at_it")
    assert [(e["tool"], e["status"]) for e in seen] == [("look_at_it", "no end")]


def test_refusals_and_failures(open_house):
    house = open_house()
    results = [
        call(house, "nothing_like_it", {"x": 1}),
        call(house, "look", {"n": "many"}),
        call(house, "look", supplied=frozenset({"change"})),
        call(house, "run_it", {"c": "rm -rf /"}),
        call(house, "run_it", {"c": "git push --force"}),
        call(house, "break"),
    ]
    assert all(r.is_error for r in results)
    entries = told(house)
    assert [(e["verdict"], e.get("by")) for e in entries] == [
        ("refused", "resolve"),
        ("refused", "repair"),
        ("refused", "supply"),
        ("forbid", "guard"),
        ("ask", "approval"),
        ("allow", None),
    ]
    assert entries[3]["args"]["c"] == "rm -rf /" and entries[3]["effects"] and "deletes" in entries[3]["reason"]
    assert entries[-1]["status"] == "error"


def test_who_said_what(open_house):
    house = open_house()

    def yes(ready, ask):
        return Answer(True, "session", rule="git push --force here")

    def no(ready, ask):
        return Answer(False, note="not on a Friday")

    call(house, "run_it", {"c": "git push --force"}, approver=yes)
    call(house, "run_it", {"c": "git push --force"}, approver=no)
    first, second = told(house)
    assert first["answers"] == [{"allowed": True, "keep": "session", "covers": "git push --force here"}]
    assert first["reasons"] and first["approver"].endswith("yes") and first["status"] == "ok"
    assert second["answer"] == {"allowed": False, "keep": "once", "note": "not on a Friday"}


def test_a_command_is_judged_once_for_verdict_and_record(open_house, monkeypatch):
    house = open_house()
    judged = []
    judge = raters.commands.judge_command

    def spy(text, **known):
        judged.append(text)
        return judge(text, **known)

    for judging in (raters, accounts):
        monkeypatch.setattr(judging.commands, "judge_command", spy)
    call(house, "run_it", {"c": "ls docs"})
    call(house, "run_it", {"c": "git push --force"}, approver=lambda ready, ask: True)
    assert judged == ["ls docs", "git push --force"]
    assert told(house)[1]["effects"]


def test_a_secret_that_leaves_the_environment_before_the_line_is_written(open_house, monkeypatch):
    house, value = open_house(), "-".join(("zebra", "quiet", "91"))
    monkeypatch.setenv("SERVICE_TOKEN", value)
    call(house, "look", {"n": 1, "text": f"say {value}"})
    monkeypatch.delenv("SERVICE_TOKEN")
    (entry,) = told(house)
    assert value not in str(entry) and "***" in str(entry)


def test_what_waits_for_a_disk_is_masked_already(open_house, tmp_path):
    house, value = open_house(), "-".join(("zebra", "quiet", "92"))
    (tmp_path / "home").write_text("no folder")
    call(house, "look", {"n": 1, "password": value})
    house.audit.flush()
    (tmp_path / "home").unlink()
    house.audit._writer._failed = 0.0
    (entry,) = told(house)
    assert entry["args"]["password"] == "***"


def test_a_turn_and_async_calls(open_house):
    house = open_house()
    scope = house.scope()
    calls = [ToolCall(name, {"n": n}, f"c{n}", scope) for n, name in enumerate(("look", "change", "look"))]
    asyncio.run(run_turn(house.pipeline, calls))
    asyncio.run(house.pipeline.arun(calls[0]))
    assert sorted(e["call"] for e in told(house)) == ["c0", "c0", "c1", "c2"]


def test_a_call_that_a_tool_makes_has_its_own_line(open_house, add):
    house = open_house()
    add("outer", lambda args, scope: scope.call("look", {"n": 7}))
    call(house, "outer")
    assert sorted(e["tool"] for e in told(house)) == ["look", "outer"]


def test_a_call_that_would_wait_for_itself_is_on_record_too(open_house, add):
    house = open_house()

    async def outer(args, scope):
        return scope.call("look", {"n": 7})

    add("outer", outer, is_async=True)
    call(house, "outer")
    assert [(e["tool"], e.get("by")) for e in told(house)] == [("outer", None), ("look", "bridge")]


def test_what_a_handler_does_to_its_arguments_is_not_what_it_was_asked(open_house, add):
    house = open_house()
    add("eats", lambda args, **_: args.clear() or "ok", properties={"n": {"type": "integer"}}, traits=READS)
    call(house, "eats", {"n": 3})
    (entry,) = told(house)
    assert entry["args"] == {"n": 3}


def test_required_keeps_from_running_what_cant_be_recorded(open_house, tmp_path, registry, add):
    ran = []
    add("note", lambda args, **_: ran.append(1) or "ok", traits=READS)
    (tmp_path / "home").write_text("no folder")
    result = call(open_house(audit="required"), "note")
    assert not ran and result.is_error and json.loads(result.content)["refused_by"] == "audit"
    assert not call(open_house(), "note").is_error and ran


def test_required_writes_reads_before_they_run_too(open_house, add):
    house = open_house(audit="required")
    call(house, "look", {"n": 1})
    house.audit.close()
    assert [line.said["event"] for line in lines_in(house.home)] == ["segment", "begin", "end", "closed"]


def test_none_where_none_is_wanted(open_house, tmp_path, registry):
    assert open_house(audit=False).audit is None
    assert House(ToolRegistry()).audit is None


def test_an_embedder_may_want_one(registry, add, tmp_path):
    add("look", lambda args, **_: "seen", traits=READS)
    box = Toolbox(registry, audit=str(tmp_path / "mine"))
    box.definitions()
    box.run([{"id": "c9", "function": {"name": "look", "arguments": "{}"}}])
    box._house.close()
    (entry,) = entries_of(lines_in(str(tmp_path / "mine")))
    assert entry["call"] == "c9" and entry["status"] == "ok"


def test_a_changed_setting_shows_in_the_next_segment(open_house):
    segments = []
    for mode in ("accept-edits", "ask"):
        house = open_house(mode=mode)
        call(house, "look")
        house.audit.close()
        segments = [line.said for line in lines_in(house.home) if line.said["event"] == "segment"]
    assert [s["mode"] for s in segments] == ["accept-edits", "ask"]
    assert segments[0]["config"] != segments[1]["config"]
