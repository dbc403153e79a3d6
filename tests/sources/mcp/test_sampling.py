from __future__ import annotations

import pytest

pytest.importorskip("mcp")

from mcp_types import CreateMessageRequestParams, SamplingMessage, TextContent, Tool

from handiwork.core.types import ModelReply, ToolCall
from handiwork.sources.mcp.asking.sampling import Counter, RefusedSamplingError, request_of, result_of


def asked(**more: object) -> CreateMessageRequestParams:
    said = SamplingMessage(role="user", content=TextContent(text="hi"))
    return CreateMessageRequestParams(messages=[said], max_tokens=10, **more)  # type: ignore[arg-type]


def test_the_eleventh_in_a_minute_is_one_too_many():
    now = [0.0]
    counter = Counter(10, lambda: now[0])
    assert [counter.take() for _ in range(11)] == [True] * 10 + [False]
    now[0] = 59.0
    assert not counter.take()
    now[0] = 60.0
    assert counter.take()


def test_a_server_gets_no_more_tokens_than_it_may():
    assert request_of(asked(), 4096).max_tokens == 10
    assert request_of(asked().model_copy(update={"max_tokens": 10**6}), 4096).max_tokens == 4096


def test_why_a_model_stopped_is_said():
    stops = [
        result_of(ModelReply("a"), asked(), "m").stop_reason,
        result_of(ModelReply("a", cut_off=True), asked(), "m").stop_reason,
        result_of(ModelReply("a.b"), asked(stop_sequences=["", "."]), "m").stop_reason,
    ]
    assert stops == ["endTurn", "maxTokens", "stopSequence"]


def test_a_call_that_can_not_be_read_is_no_empty_call():
    tools = [Tool(name="t", input_schema={"type": "object"})]
    reply = ModelReply("", (ToolCall("t", '{"a": ', "c"),))
    with pytest.raises(RefusedSamplingError, match="can't be read"):
        result_of(reply, asked(tools=tools), "m")
    assert result_of(ModelReply("", reply.calls, cut_off=True), asked(tools=tools), "m").stop_reason == "maxTokens"
