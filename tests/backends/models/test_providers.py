"""Anthropic's and Gemini's own wires: requests in their form, replies as they stream, faults in words."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from handiwork.backends.models.anthropic import AnthropicModel, turns_of
from handiwork.backends.models.exchange import Endpoint, HttpModel
from handiwork.backends.models.gemini import GeminiModel, contents_of
from handiwork.backends.models.history import valid_history
from handiwork.core.errors import ModelError, ModelUnavailableError
from handiwork.core.types import ModelReply, ModelRequest, Usage

pytestmark = pytest.mark.integration  # real processes and servers

KEY = "-".join(("a", "key", "of", "nobody"))
HISTORY = [
    {"role": "system", "content": "Be exact."},
    {"role": "user", "content": "Add."},
    {
        "role": "assistant",
        "content": "I add.",
        "tool_calls": [
            {"id": "c:1", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}},
            {"id": "c2", "type": "function", "function": {"name": "add", "arguments": '{"a": 2,'}},
        ],
    },
    {"role": "tool", "tool_call_id": "c:1", "name": "add", "content": '{"sum": 1}'},
    {"role": "user", "content": "And?"},
]
ANTHROPIC = [
    {"type": "message_start", "message": {"usage": {"input_tokens": 5, "cache_read_input_tokens": 20}}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "ping"},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Let me "}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "see."}},
    {"type": "content_block_stop", "index": 0},
    {"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "t1", "name": "add"}},
    {"type": "content_block_start", "index": 2, "content_block": {"type": "tool_use", "id": "t2", "name": "add"}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": '{"a":'}},
    {"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": '{"a": 2}'}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": " 1}"}},
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 9}},
    {"type": "message_stop"},
]


def candidate(*parts: Any, finish: str | None = None, **more: Any) -> dict[str, Any]:
    return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, "finishReason": finish}], **more}


GEMINI = [
    candidate({"text": "thinking", "thought": True}, {"text": "Let me "}),
    candidate({"text": "see."}, {"functionCall": {"name": "add", "args": {"a": 1}}, "thoughtSignature": "sig"}),
    candidate(
        {"functionCall": {"name": "add", "args": {"a": 2}}},
        finish="STOP",
        usageMetadata={"promptTokenCount": 25, "candidatesTokenCount": 6, "thoughtsTokenCount": 3},
    ),
]
KINDS = {"anthropic": (AnthropicModel, ANTHROPIC), "gemini": (GeminiModel, GEMINI)}


def ask(model: HttpModel, messages: Any = HISTORY, tools: Any = (), on_text: Any = None) -> ModelReply:
    async def run() -> ModelReply:
        try:
            return await model.reply(ModelRequest(messages, tools, on_text))
        finally:
            await model.aclose()

    return asyncio.run(run())


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def model(kind: str, endpoint: Any) -> HttpModel:
    made: HttpModel = KINDS[kind][0](Endpoint(endpoint.base_url, "m1", KEY))
    return made


def test_text_calls_and_usage_come_out_of_the_stream(kind: str, model: HttpModel, endpoint: Any) -> None:
    endpoint.will_stream(*KINDS[kind][1], done=False)
    heard: list[str] = []
    reply = ask(model, on_text=heard.append)
    assert (reply.text, heard) == ("Let me see.", ["Let me ", "see."])
    assert [(c.name, json.loads(c.arguments)) for c in reply.calls] == [("add", {"a": 1}), ("add", {"a": 2})]
    assert (
        (reply.usage.input_tokens, reply.usage.output_tokens) == (25, 9)
        and not reply.cut_off
        and len({c.id for c in reply.calls}) == 2
    )


def test_a_stream_that_breaks_off_is_no_reply(kind: str, model: HttpModel, endpoint: Any) -> None:
    chunks = KINDS[kind][1]
    for end in range(len(chunks)):
        endpoint.answers.clear()
        endpoint.will_stream(*chunks[:end], done=False)
        with pytest.raises(ModelError, match="broke off"):
            ask(model)


def test_a_busy_endpoint_is_asked_again_and_a_wrong_key_is_not(model: HttpModel, endpoint: Any) -> None:
    endpoint.will_answer('{"error": {"message": "bad key"}}', status=401)
    with pytest.raises(ModelUnavailableError, match="bad key") as caught:
        ask(model)
    assert KEY not in str(caught.value) and len(endpoint.bodies) == 1


def test_an_error_inside_the_stream_is_told(model: HttpModel, endpoint: Any) -> None:
    endpoint.will_stream({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, done=False)
    with pytest.raises(ModelError, match="Overloaded"):
        ask(model)


@pytest.mark.parametrize("noise", [{"type": "new_kind", "x": [1]}, {}, {"candidates": []}])
def test_unknown_events_are_passed_over(kind: str, model: HttpModel, endpoint: Any, noise: Any) -> None:
    first, *rest = KINDS[kind][1]
    endpoint.will_stream(first, noise, *rest, done=False)
    assert len(ask(model).calls) == 2


def test_the_length_limit_is_told(endpoint: Any) -> None:
    model = AnthropicModel(Endpoint(endpoint.base_url, "m1", KEY))
    endpoint.will_stream({"type": "message_delta", "delta": {"stop_reason": "max_tokens"}}, {"type": "message_stop"})
    assert ask(model).cut_off
    endpoint.answers.clear()
    endpoint.will_stream(candidate({"text": "x"}, finish="MAX_TOKENS"))
    assert ask(GeminiModel(Endpoint(endpoint.base_url, "m1", KEY))).cut_off


@pytest.mark.parametrize(
    ("kind", "chunks"),
    [
        ("anthropic", [{"type": "message_delta", "delta": {"stop_reason": "refusal"}}, {"type": "message_stop"}]),
        ("gemini", [candidate(finish="SAFETY")]),
        ("gemini", [{"promptFeedback": {"blockReason": "SAFETY"}}]),
        ("gemini", [candidate(finish="MALFORMED_FUNCTION_CALL")]),
    ],
)
def test_a_refusal_is_an_error_with_its_cause(model: HttpModel, endpoint: Any, chunks: Any) -> None:
    endpoint.will_stream(*chunks, done=False)
    with pytest.raises(ModelError):
        ask(model)


def test_anthropics_request(endpoint: Any) -> None:
    endpoint.will_stream(*ANTHROPIC, done=False)
    tools = [{"name": "add", "description": "", "input_schema": {"type": "object"}}]
    ask(AnthropicModel(Endpoint(endpoint.base_url, "m1", KEY)), tools=tools)
    [body] = endpoint.bodies
    assert body["tools"] == tools and body["max_tokens"] > 0 and body["system"][0]["text"] == "Be exact."
    assert endpoint.headers[0]["x-api-key"] == KEY and endpoint.headers[0]["anthropic-version"]
    user, assistant, results = body["messages"]
    assert [m["role"] for m in body["messages"]] == ["user", "assistant", "user"]
    assert [b["type"] for b in assistant["content"]] == ["text", "tool_use", "tool_use"]
    assert assistant["content"][1]["id"] == results["content"][0]["tool_use_id"] == "c_1"
    assert assistant["content"][2]["input"] == {"unreadable": '{"a": 2,'}
    assert [b["type"] for b in results["content"]] == ["tool_result", "tool_result", "text"]
    assert [b.get("is_error") for b in results["content"]] == [False, True, None]
    assert "cache_control" in results["content"][-1] and "cache_control" not in user["content"][0]


def test_geminis_request_gives_signatures_back(endpoint: Any) -> None:
    model = GeminiModel(Endpoint(endpoint.base_url, "m1", KEY))
    endpoint.will_stream(*GEMINI, done=False)
    reply = ask(model, HISTORY[:2], tools=[{"name": "add", "description": ""}])
    calls = [{"id": c.id, "function": {"name": c.name, "arguments": c.arguments}} for c in reply.calls]
    told = [{"role": "tool", "tool_call_id": c.id, "content": "3"} for c in reply.calls]
    ask(model, [*HISTORY[:2], {"role": "assistant", "content": "", "tool_calls": calls}, *told])
    first, second = endpoint.bodies
    assert first["tools"] == [{"functionDeclarations": [{"name": "add", "description": ""}]}]
    assert first["systemInstruction"]["parts"][0]["text"] == "Be exact."
    made = second["contents"][1]["parts"]
    assert [part.get("thoughtSignature") for part in made] == ["sig", None]
    assert second["contents"][2]["parts"][0]["functionResponse"] == {"name": "add", "response": {"result": 3}}


def test_calls_of_another_models_conversation_are_marked_for_gemini() -> None:
    contents = contents_of(valid_history(HISTORY), {})
    assert [c["role"] for c in contents] == ["user", "model", "user"]
    assert contents[1]["parts"][1]["thoughtSignature"] and "thoughtSignature" not in contents[1]["parts"][2]


@pytest.mark.parametrize("text", ["", "   "])
def test_nothing_empty_is_sent(text: str) -> None:
    history = [
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": text},
        {"role": "user", "content": "b"},
    ]
    assert [len(turn["content"]) for turn in turns_of(valid_history(history))] == [2]


def test_the_parts_of_what_was_used_are_told_apart(kind: str, model: HttpModel, endpoint: Any) -> None:
    told: dict[str, tuple[list[dict[str, Any]], Usage]] = {
        "anthropic": (
            [
                {
                    "type": "message_start",
                    "message": {
                        "model": "answered-by",
                        "usage": {
                            "input_tokens": 5,
                            "cache_read_input_tokens": 20,
                            "cache_creation_input_tokens": 7,
                            "output_tokens": 1,
                        },
                    },
                },
                {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "Hi."}},
                {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 9}},
                {"type": "message_stop"},
            ],
            Usage(32, 9, cached_tokens=20, cache_write_tokens=7),
        ),
        "gemini": (
            [
                {
                    "modelVersion": "answered-by",
                    "candidates": [{"content": {"parts": [{"text": "Hi."}]}, "finishReason": "STOP"}],
                    "usageMetadata": {
                        "promptTokenCount": 30,
                        "cachedContentTokenCount": 12,
                        "candidatesTokenCount": 6,
                        "thoughtsTokenCount": 3,
                    },
                }
            ],
            Usage(30, 9, cached_tokens=12, reasoning_tokens=3),
        ),
    }
    chunks, used = told[kind]
    endpoint.will_stream(*chunks, done=False)
    reply = ask(model)
    assert (reply.usage, reply.model, reply.text) == (used, "answered-by", "Hi.")
