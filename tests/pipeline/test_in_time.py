"""Whoever takes too long to answer has said no, and doesn't hold up the next question."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from handiwork.core.types import Answer, Ask, Ready, ToolCall, ToolEntry
from handiwork.pipeline.in_time import InTime

READY = Ready(ToolCall("t"), ToolEntry("t", "s", {"parameters": {}}, lambda args, /, **kw: ""), {})
LATE = Answer(False, note="nobody answered within 0.05 s")


def slow(ready: Ready, ask: Ask, /) -> bool:
    time.sleep(0.3)
    return True


async def slow_coroutine(ready: Ready, ask: Ask, /) -> bool:
    await asyncio.sleep(5)
    return True


async def quick_coroutine(ready: Ready, ask: Ask, /) -> bool:
    return True


@pytest.mark.parametrize(
    ("approver", "said"),
    [(slow, LATE), (slow_coroutine, LATE), (quick_coroutine, True), (lambda ready, ask: Answer(True), Answer(True))],
)
def test_an_answer_counts_in_time(approver: Any, said: Any) -> None:
    async def ask() -> Any:
        found = InTime(approver, 0.05)(READY, Ask("why"))
        return await found if hasattr(found, "__await__") else found

    assert asyncio.run(ask()) == said


def test_one_that_hangs_does_not_hold_the_next() -> None:
    timed = InTime(slow, 0.05)
    began = time.monotonic()
    assert [timed(READY, Ask("why")) for _ in range(3)] == [LATE] * 3
    assert time.monotonic() - began < 1


def test_what_it_raises_is_raised() -> None:
    def broken(ready: Ready, ask: Ask, /) -> bool:
        raise RuntimeError("x")

    with pytest.raises(RuntimeError):
        InTime(broken, 1)(READY, Ask("why"))
