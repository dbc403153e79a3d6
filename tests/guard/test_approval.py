"""Answers, and what a session remembers of them."""

from __future__ import annotations

import pytest

from handiwork.core.types import Answer, Ask, Ready, ToolCall, ToolEntry
from handiwork.guard import Approvals, allow_all, deny_all, settle

ASK = Ask("it writes", ("path:write:/w/a", "path:write:/w/b"))


@pytest.mark.parametrize("answer", [None, 1, "yes", "true", [], {"allowed": True}, object(), Answer(1), False])  # type: ignore[arg-type]
def test_anything_but_a_clear_yes_is_a_no(answer: object) -> None:
    assert settle(answer).allowed is False


def test_a_clear_yes_is_a_yes_and_a_no_keeps_its_note() -> None:
    assert settle(True) == Answer(True)
    assert settle(Answer(True, "session")) == Answer(True, "session")
    assert settle(Answer(True, "ever")) == Answer(False)  # type: ignore[arg-type]
    assert settle(Answer(False, note="not now")).note == "not now"


def test_a_yes_covers_exactly_its_keys() -> None:
    kept = Approvals()
    kept.remember(ASK, Answer(True, "once"))
    assert not kept.covers(ASK)
    kept.remember(ASK, Answer(False, "always"))
    assert not kept.covers(ASK)
    kept.remember(ASK, Answer(True, "session"))
    assert kept.covers(ASK)
    assert kept.covers(Ask("", ("path:write:/w/a",)))
    assert not kept.covers(Ask("", ("path:write:/w/a", "path:write:/w/c")))
    assert not kept.covers(Ask("no keys"))


def test_a_yes_can_be_taken_back() -> None:
    kept = Approvals(["a", "b"])
    kept.forget("a")
    assert kept.keys() == ["b"]
    kept.forget()
    assert kept.keys() == []


def test_the_two_plain_approvers() -> None:
    entry = ToolEntry("x", "t", {"parameters": {}}, lambda args, /, **kw: "")
    ready = Ready(ToolCall("x"), entry, {})
    assert settle(deny_all(ready, ASK)).allowed is False
    assert settle(allow_all(ready, ASK)).allowed is True
