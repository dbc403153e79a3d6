from __future__ import annotations

import asyncio
import contextvars
import time
from typing import Any

import pytest

from handiwork.core.types import Scope, ToolCall
from handiwork.sources.mcp.asking.callers import Caller, Callers, Patience


def yes(*_: Any) -> bool:
    return True


def caller(approver: Any = None) -> Caller:
    return Caller(ToolCall("t", {}, scope=Scope(approver=approver)))


def test_a_question_is_for_whoever_calls():
    async def ask() -> None:
        callers, patience = Callers(), Patience(1, time.monotonic() + 9)
        assert callers.asked() is None
        one, other = caller(yes), caller()
        with callers.calling(one, patience):
            with callers.calling(other, patience):
                assert callers.asked() is other
            assert callers.asked() is one

    asyncio.run(ask())


def test_a_question_that_does_not_say_for_whom_is_for_nobody_where_people_differ():
    outside = contextvars.copy_context()

    async def ask() -> None:
        callers, patience = Callers(), Patience(1, time.monotonic() + 9)
        one, same, other = caller(yes), caller(yes), caller()
        with callers.calling(one, patience), callers.calling(same, patience):
            assert outside.run(callers.asked) is same
            with callers.calling(other, patience):
                assert outside.run(callers.asked) is None

    asyncio.run(ask())


def test_a_question_stops_the_clock_but_not_the_deadline():
    async def wait(question_s: float, deadline_s: float) -> None:
        async with Patience(0.05, time.monotonic() + deadline_s) as patience:
            with patience.question():
                await asyncio.sleep(question_s)

    asyncio.run(wait(0.15, 5))
    with pytest.raises(TimeoutError):
        asyncio.run(wait(2, 0.1))


def test_silence_ends_a_call_and_signs_of_life_keep_it():
    async def wait(signs: int) -> None:
        async with Patience(0.2, time.monotonic() + 5) as patience:
            for _ in range(signs):
                await asyncio.sleep(0.06)
                patience.sign()
            await asyncio.sleep(1)

    began = time.monotonic()
    with pytest.raises(TimeoutError):
        asyncio.run(wait(4))
    assert time.monotonic() - began > 0.4
