from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("mcp")

from mcp_types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from handiwork.sources.mcp.correspondence import Correspondence
from handiwork.sources.mcp.framing import Garbage, TooLong

NOW = [0.0]


@pytest.fixture
def notes() -> list[str]:
    return []


@pytest.fixture
def letters(notes: list[str]) -> Correspondence:
    NOW[0] = 100.0
    made = Correspondence(notes.append, lambda: NOW[0])
    made.sent(JSONRPCRequest(jsonrpc="2.0", id=1, method="tools/call"))
    return made


def answer(**more: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, **more}


def test_an_answer_is_mended_by_what_was_asked(letters: Correspondence):
    message = letters.read(answer(result={"content": [{"type": "video"}]}))
    assert isinstance(message, JSONRPCResponse)
    assert message.result["content"][0]["type"] == "text"
    assert not letters.waits_for(1)


def test_an_id_may_come_back_as_text(letters: Correspondence):
    message = letters.read({"jsonrpc": "2.0", "id": "1", "result": {}})
    assert isinstance(message, JSONRPCResponse) and message.result == {"content": []}


@pytest.mark.parametrize("result", [None, [], "x", 3])
def test_no_result_is_an_error_at_once(letters: Correspondence, result: Any):
    message = letters.read(answer(result=result))
    assert isinstance(message, JSONRPCError) and message.id == 1


@pytest.mark.parametrize("error", [None, "x", {"code": "x"}, {}])
def test_an_error_that_is_none_is_one_all_the_same(letters: Correspondence, notes: list[str], error: Any):
    message = letters.read(answer(error=error))
    assert isinstance(message, JSONRPCError) and message.id == 1 and notes


def test_what_is_no_message_is_noted(letters: Correspondence, notes: list[str]):
    assert letters.read(Garbage("hello")) is None
    assert letters.read({"jsonrpc": "2.0", "method": 3}) is None
    assert len(notes) == 2 and letters.waits_for(1)


def test_a_message_that_was_too_long_fails_the_call_that_waits_for_it(letters: Correspondence):
    message = letters.read(TooLong(20_000_000, None))  # only one waits
    assert isinstance(message, JSONRPCError) and "20,000,000" in message.error.message
    letters.sent(JSONRPCRequest(jsonrpc="2.0", id=2, method="tools/call"))
    letters.sent(JSONRPCRequest(jsonrpc="2.0", id=3, method="tools/call"))
    assert letters.read(TooLong(20_000_000, None)) is None
    message = letters.read(TooLong(20_000_000, 3))
    assert isinstance(message, JSONRPCError) and message.id == 3 and letters.waits_for(2)


def test_a_flood_of_notices_is_cut_but_not_what_matters(letters: Correspondence, notes: list[str]):
    def notices(count: int, method: str = "notifications/message") -> int:
        raw = {"jsonrpc": "2.0", "method": method, "params": {}}
        return sum(isinstance(letters.read(raw), JSONRPCNotification) for _ in range(count))

    assert notices(1000) == 200
    assert notices(10, "notifications/tools/list_changed") == 10
    NOW[0] += 1
    assert notices(10) == 10 and "800 notices" in notes[-1]


def test_whoever_gives_no_answer_is_answered_for(letters: Correspondence):
    assert letters.give_up(1).error.code == -32601 and not letters.waits_for(1)
