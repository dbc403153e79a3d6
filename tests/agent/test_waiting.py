"""Calls that wait: what is asked, what counts as an answer, and that a yes lets a call run once."""

from __future__ import annotations

import json

import pytest

from handiwork.agent.session import Session
from handiwork.agent.waiting import answer_body, granting, pick, question_about, questions_in
from handiwork.backends.storage.sqlite import SqliteStore
from handiwork.core.errors import UnknownNameError, UsageError
from handiwork.core.types import Answer, Ask, Entry, Ready, SessionInfo, ToolCall, ToolResult

CALL = ToolCall("t", '{"a": 1}', "c1")


def asked(about="approval", **body):
    return Entry(4, "question", 0, "c1", {"tool": "t", "arguments": "{}", "about": about, "text": "why", **body})


@pytest.mark.parametrize(
    ("result", "about"),
    [
        (ToolResult(CALL, '{"error": "nobody"}', True, "refused", "approval"), "approval"),
        (ToolResult(CALL, '{"needs_input": "n?", "form": {}, "handle": "h"}', status="needs_input"), "input"),
        (ToolResult(CALL, '{"pending": "job", "note": ""}', status="pending"), "job"),
        (ToolResult(CALL, '{"error": "forbidden"}', True, "refused", "guard"), None),
        (ToolResult(CALL, '{"error": "failed"}', True, "error"), None),
        (ToolResult(CALL, "text"), None),
        (ToolResult(CALL, "a hook's words", True, "refused", "approval"), "approval"),
        (ToolResult(CALL, "a hook's words", status="pending"), "job"),
    ],
)
def test_what_waits_and_what_does_not(result, about):
    question = question_about(result)
    assert (question and question["about"]) == about
    if question:
        assert question["tool"] == "t" and question["text"]


@pytest.mark.parametrize(
    ("question", "said", "key", "value"),
    [
        (asked(), "yes", "allowed", True),
        (asked(), "No", "allowed", False),
        (asked("input", form={"type": "integer"}), "3", "value", 3),
        (asked("input", form={"type": "string"}), "3", "value", "3"),
        (asked("input", form={"enum": ["a", "b"]}), "b", "value", "b"),
        (asked("job"), "built", "value", "built"),
    ],
)
def test_an_answer_is_read_by_what_was_asked(question, said, key, value):
    assert answer_body(questions_in([question])[0], said)[key] == value


@pytest.mark.parametrize(
    ("question", "said"),
    [(asked(), "maybe"), (asked(), ""), (asked("input", form={"type": "integer"}), "many")],
)
def test_what_is_no_answer_is_refused(question, said):
    with pytest.raises(UsageError):
        answer_body(questions_in([question])[0], said)


def test_a_question_is_answered_once():
    answer = Entry(5, "answer", 0, "c1", {"question": 4, "allowed": True, "note": ""})
    assert pick(questions_in([asked()]), "c1").seq == 4
    with pytest.raises(UsageError, match="already"):
        pick(questions_in([asked(), answer]), "c1")
    with pytest.raises(UnknownNameError):
        pick(questions_in([asked()]), "c2")


def test_a_yes_is_for_that_call_and_that_reason(registry, add):
    add("t")
    approver = granting(questions_in([asked()]), None)
    ready = Ready(CALL, registry.get("t"), {})
    other = Ready(ToolCall("t", {}, "c2"), registry.get("t"), {})
    assert approver(ready, Ask("why")) == Answer(True)
    assert approver(ready, Ask("something else")) is False and approver(other, Ask("why")) is False
    assert granting(questions_in([asked()]), lambda ready, ask: "asked")(other, Ask("why")) == "asked"


@pytest.mark.parametrize(("begun", "granted"), [(False, True), (True, False)])
def test_a_granted_call_that_was_begun_and_cut_short_does_not_run_again(tmp_path, begun, granted):
    store = SqliteStore(str(tmp_path / "sessions.db"))
    session = Session(store, SessionInfo(""), waits=True)
    session.begin("go")
    call = {"id": "c1", "type": "function", "function": {"name": "t", "arguments": "{}"}}
    session.keep_message({"role": "assistant", "content": "", "tool_calls": [call]}, "reply")
    assert session.hold(ToolResult(ToolCall("t", "{}", "c1"), '{"error": "why"}', True, "refused", "approval"))
    session.close()
    info = store.find(session.id)
    store.append(info.number, info.entries + 1, "answer", call="c1", body=json.dumps({"question": 3, "allowed": True}))
    if begun:
        intent = {"tool": "t", "args": {}, "files": {}}
        store.append(info.number, info.entries + 2, "intent", call="c1", body=json.dumps(intent))
    again = Session.resume(store, store.find(session.id))
    assert bool(again.granted) is granted
    told = [json.loads(m["content"])["state"] for m in again.history if m["role"] == "tool"]
    assert told == ([] if granted else ["unknown"])
    store.close()
