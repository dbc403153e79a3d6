"""What exit codes and output of a hook mean, and what several mean together."""

from __future__ import annotations

import json

import pytest

from handiwork.apps.hook_answers import Ruling, merge, ruling_of
from handiwork.apps.hook_config import CommandHook
from handiwork.backends.environment.exchange import Exchanged


def rule(event="PreToolUse", code=0, out="", err="", timed_out=False, **options):
    told = out if isinstance(out, str) else json.dumps(out)
    return ruling_of(CommandHook(event, "./guard.sh", **options), Exchanged(told, err, code, 1.0, timed_out))


def specific(**words):
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **words}}


@pytest.mark.parametrize("out", ["", "all fine", {}, specific(), {"continue": True}, {"suppressOutput": True}])
def test_zero_is_no_opinion(out):
    assert rule(out=out).decision == "" and not rule(out=out).problem


@pytest.mark.parametrize("event", ["PreToolUse", "UserPromptSubmit", "Stop", "PermissionRequest", "pre_tool_call"])
def test_two_blocks_and_says_why(event):
    assert rule(event, 2, err="not today\n") == Ruling("deny", "not today")


def test_two_after_the_fact_is_words_for_the_model():
    assert rule("PostToolUse", 2, err="lint failed") == Ruling(context="lint failed")


@pytest.mark.parametrize("code", [1, 3, 126, 127, 137, None])
@pytest.mark.parametrize("event", ["PreToolUse", "UserPromptSubmit"])
def test_any_other_end_of_a_guard_is_a_no(event, code):
    said = rule(event, code, err="boom", timed_out=code is None)
    assert said.decision == "deny" and "./guard.sh" in said.reason and said.problem
    allowed = rule(event, code, on_error="allow")
    assert allowed.decision == "" and allowed.problem


@pytest.mark.parametrize("event", ["PostToolUse", "Stop", "SessionStart", "SessionEnd", "Notification", "PreCompact"])
def test_any_other_end_of_an_observer_is_only_told(event):
    assert rule(event, 1).decision == "" and "exited with code 1" in rule(event, 1).problem


@pytest.mark.parametrize(
    "out",
    [
        "{not json",
        specific(permissionDecision="perhaps"),
        {"hookSpecificOutput": "deny"},
        specific(updatedInput="ls"),
        {"decision": "maybe"},
    ],
)
def test_a_guard_that_is_not_understood_says_no(out):
    assert rule(out=out).decision == "deny" and rule(out=out).problem


@pytest.mark.parametrize(
    ("out", "said"),
    [
        (specific(permissionDecision="deny", permissionDecisionReason="why"), Ruling("deny", "why")),
        (specific(permissionDecision="ask", permissionDecisionReason="why"), Ruling("ask", "why")),
        (specific(permissionDecision="allow"), Ruling("allow")),
        ({"decision": "block", "reason": "old form"}, Ruling("deny", "old form")),
        ({"decision": "approve"}, Ruling("allow")),
        ({"continue": False, "stopReason": "enough"}, Ruling("deny", "enough")),
        (specific(updatedInput={"command": "ls"}), Ruling(updated={"command": "ls"})),
        (specific(additionalContext="by the way"), Ruling(context="by the way")),
        ({"systemMessage": "for you"}, Ruling(message="for you")),
    ],
)
def test_the_words_of_the_format(out, said):
    assert rule(out=out) == said


def test_a_request_for_permission_can_be_denied():
    out = {"hookSpecificOutput": {"decision": {"behavior": "deny", "message": "no"}}}
    assert rule("PermissionRequest", out=out) == Ruling("deny", "no")


def test_a_stop_that_shall_stop_is_not_sent_on():
    assert rule("Stop", out={"continue": False, "decision": "block", "reason": "more"}).decision == ""
    assert rule("Stop", out={"decision": "block", "reason": "more"}) == Ruling("deny", "more")


@pytest.mark.parametrize("code", [1, 2])
def test_a_notification_refuses_nothing(code):
    assert rule("Notification", code, err="x").decision == "" and rule("Notification", code, err="x").problem


@pytest.mark.parametrize("event", ["UserPromptSubmit", "SessionStart"])
def test_printed_text_is_context_where_it_is_there(event):
    assert rule(event, out="it is Monday\n").context == "it is Monday" and rule(out="it is Monday").context == ""


def test_asking_where_nobody_can_be_asked_is_a_failure():
    assert rule("UserPromptSubmit", out=specific(permissionDecision="ask")).decision == "deny"


D, A, Y, N = Ruling("deny", "d"), Ruling("ask", "a"), Ruling("allow", "y"), Ruling()


@pytest.mark.parametrize(
    ("rulings", "decision", "reason"),
    [
        ([N, Y, A, D], "deny", "d"),
        ([A, Y, N], "ask", "a"),
        ([N, Y], "allow", "y"),
        ([N, N], "", ""),
        ([D, Ruling("deny", "e"), D], "deny", "d\ne"),
        ([], "", ""),
    ],
)
def test_the_strictest_wins(rulings, decision, reason):
    assert (merge(rulings).decision, merge(rulings).reason) == (decision, reason)


def test_later_arguments_win_and_words_add_up():
    said = merge([Ruling(updated={"a": 1, "b": 1}, context="one"), Ruling(updated={"b": 2}, context="two")])
    assert said.updated == {"a": 1, "b": 2} and said.context == "one\ntwo"
