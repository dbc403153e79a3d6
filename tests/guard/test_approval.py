"""Who may say yes, and what an answer means."""

from __future__ import annotations

import pytest

from handiwork.core.types import EMPTY_SCOPE, Answer, Ask, Ready, ToolCall, ToolEntry
from handiwork.guard import allow_all, deny_all, settle

READY = Ready(ToolCall("t", scope=EMPTY_SCOPE), ToolEntry("t", "s", {"parameters": {}}, lambda args, /, **kw: ""), {})


@pytest.mark.parametrize("said", [None, 1, "yes", "true", [], object(), Answer(1), Answer(True, "for ever")])  # type: ignore[arg-type]
def test_anything_but_a_clear_yes_is_a_no(said: object) -> None:
    assert settle(said).allowed is False


def test_a_clear_yes_is_one() -> None:
    assert settle(True) == Answer(True)
    assert settle(Answer(True, "session", rule="x")) == Answer(True, "session", rule="x")
    assert settle(Answer(False, note="why")) == Answer(False, note="why")


def test_the_two_that_need_no_person() -> None:
    assert allow_all(READY, Ask("x")) is True
    assert deny_all(READY, Ask("x")) is False
