from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from typing import Any

import pytest

from handiwork.backends.models.openai import Endpoint, OpenAIModel
from handiwork.backends.models.retry import Retry
from handiwork.core.errors import HandiworkError, ModelError, ModelUnavailableError, UsageError
from handiwork.core.types import ModelReply, ModelRequest, Usage

pytestmark = pytest.mark.integration  # real processes and servers

TOOLS = [{"type": "function", "function": {"name": "add", "description": "", "parameters": {"type": "object"}}}]
KEY = "-".join(("a", "key", "of", "nobody"))


class Sleeps(list[float]):
    """Remembers how long it was asked to sleep, and doesn't."""

    async def __call__(self, seconds: float) -> None:
        self.append(seconds)


def delta(finish: str | None = None, **fields: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": fields, "finish_reason": finish}]}


def call(name: str = "add", arguments: str = "", **fields: Any) -> dict[str, Any]:
    return delta(tool_calls=[{"function": {"name": name, "arguments": arguments}, **fields}])


def ask(base_url: str, *, tools: Any = (), sleep: Any = None, on_text: Any = None, **fields: Any) -> ModelReply:
    async def run() -> ModelReply:
        model = OpenAIModel(Endpoint(base_url, "m1", KEY, **fields), sleep=Sleeps() if sleep is None else sleep)
        try:
            return await model.reply(ModelRequest([{"role": "user", "content": "hi"}], tools, on_text, 99))
        finally:
            await model.aclose()

    return asyncio.run(run())


def fault_of(base_url: str, kind: type[HandiworkError] = ModelError, **fields: Any) -> str:
    with pytest.raises(HandiworkError) as caught:
        ask(base_url, **fields)
    message = str(caught.value)
    assert type(caught.value) is kind
    assert "\n" not in message
    assert len(message) < 500
    assert caught.value.hint
    assert KEY not in message + caught.value.hint
    return message


def test_text_streams_and_usage_is_counted(endpoint: Any) -> None:
    usage = {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 2}}
    endpoint.will_stream(
        delta(role="assistant", content=""), delta(content="Hel"), delta(content="lo"), delta("stop"), usage
    )
    heard: list[str] = []
    assert ask(endpoint.base_url, on_text=heard.append) == ModelReply("Hello", (), Usage(7, 2))
    assert heard == ["Hel", "lo"]
    [body] = endpoint.bodies
    assert (body["model"], body["stream"], body["max_tokens"]) == ("m1", True, 99)
    assert "tools" not in body
    assert endpoint.headers[0]["authorization"] == f"Bearer {KEY}"


def test_calls_keep_raw_arguments_and_get_ids(endpoint: Any) -> None:
    endpoint.will_stream(call(arguments='{"a": 1'), delta("tool_calls"))
    reply = ask(endpoint.base_url, tools=TOOLS)
    assert [(c.name, c.arguments, c.id) for c in reply.calls] == [("add", '{"a": 1', "call_1")]
    assert not reply.cut_off
    assert endpoint.bodies[0]["tools"] == TOOLS


def test_a_call_written_as_text_is_a_call_and_is_not_shown(endpoint: Any) -> None:
    endpoint.will_stream(
        delta(content="I add.\n```json\n"), delta(content='{"name":"add","arguments":{"a":1}}\n```'), delta("stop")
    )
    heard: list[str] = []
    reply = ask(endpoint.base_url, tools=TOOLS, on_text=heard.append)
    assert (reply.text, reply.calls[0].arguments) == ("I add.", '{"a": 1}')
    assert "".join(heard).strip() == "I add."


def test_length_means_cut_off(endpoint: Any) -> None:
    endpoint.will_stream(call(arguments='{"a": '), delta("length"))
    reply = ask(endpoint.base_url, tools=TOOLS)
    assert reply.cut_off
    assert reply.calls[0].arguments == '{"a": '


@pytest.mark.parametrize("kind", ["application/json", "text/plain"])
def test_a_whole_document_is_understood(endpoint: Any, kind: str) -> None:
    message = {"role": "assistant", "content": None, "tool_calls": [
        {"id": "x", "type": "function", "function": {"name": "add", "arguments": '{"a":1}'}},
        {"id": "y", "type": "function", "function": {"name": "add", "arguments": '{"a":2}'}},
    ]}  # fmt: skip
    document = {"choices": [{"message": message, "finish_reason": "tool_calls"}], "usage": {"prompt_tokens": 3}}
    endpoint.will_answer(json.dumps(document), headers={"content-type": kind})
    reply = ask(endpoint.base_url, tools=TOOLS)
    assert [(c.id, c.arguments) for c in reply.calls] == [("x", '{"a":1}'), ("y", '{"a":2}')]
    assert reply.usage == Usage(3, 0)


def test_a_stream_under_a_wrong_content_type_is_understood(endpoint: Any) -> None:
    endpoint.will_answer(f"data: {json.dumps(delta('stop', content='hi'))}\n\n", headers={"content-type": "text/plain"})
    assert ask(endpoint.base_url).text == "hi"


def test_comments_and_blank_lines_in_the_stream_are_left_out(endpoint: Any) -> None:
    body = f": keep-alive\n\n\n\nevent: x\ndata: {json.dumps(delta('stop', content='hi'))}\n\n: end\n\ndata: [DONE]\n\n"
    endpoint.will_answer(body, headers={"content-type": "text/event-stream"})
    assert ask(endpoint.base_url).text == "hi"


def test_connection_refused(closed_port: int) -> None:
    assert "can't be reached" in fault_of(f"http://127.0.0.1:{closed_port}/v1")


def test_silence_before_and_between_words(endpoint: Any) -> None:
    endpoint.will_stream(delta(content="a"), delta(content="b"), pause_s=0.6)
    assert "was silent for 0.2 s" in fault_of(endpoint.base_url, idle_s=0.2)


@pytest.mark.parametrize("status", [401, 403])
def test_a_key_that_is_not_taken(endpoint: Any, status: int) -> None:
    endpoint.will_answer('{"error": {"message": "Incorrect API key"}}', status=status)
    assert f"{status}: Incorrect API key" in fault_of(endpoint.base_url, ModelUnavailableError)


def test_the_servers_message_is_shown_trimmed(endpoint: Any) -> None:
    endpoint.will_answer(json.dumps({"error": {"message": "model 'm1' not found\n" + "x" * 5000}}), status=404)
    assert "answered 404: model 'm1' not found xxx" in fault_of(endpoint.base_url)
    assert len(endpoint.bodies) == 1


def test_html_instead_of_json(endpoint: Any) -> None:
    endpoint.will_answer("<html><head><title>t</title></head><body><h1>Welcome</h1></body></html>")
    assert fault_of(endpoint.base_url).endswith("answered something that isn't JSON: Welcome")


@pytest.mark.parametrize("body", ["", "null", "[]", '"text"', "{", '{"choices": []}', '{"choices": null}', "{}"])
def test_nonsense_documents(endpoint: Any, body: str) -> None:
    endpoint.will_answer(body, headers={"content-type": "application/json"})
    assert "answered" in fault_of(endpoint.base_url)


def test_garbage_inside_a_stream(endpoint: Any) -> None:
    endpoint.will_answer(b'data: {"choi\n\n', headers={"content-type": "text/event-stream"})
    assert "isn't JSON" in fault_of(endpoint.base_url)


def test_an_error_inside_a_stream(endpoint: Any) -> None:
    endpoint.will_stream(delta(content="a"), {"error": {"message": "out of memory"}})
    assert "reported an error: out of memory" in fault_of(endpoint.base_url)


def test_a_content_filter_is_an_error(endpoint: Any) -> None:
    endpoint.will_stream(delta(content="a"), delta("content_filter"))
    assert "content filter" in fault_of(endpoint.base_url)


def test_a_stream_cut_at_every_chunk_never_gives_a_call(endpoint: Any) -> None:
    chunks = [delta(content="I add."), call(arguments=""), call("", '{"a":'), call("", " 1}")]
    for end in range(len(chunks) + 1):
        for cut in (False, True):
            endpoint.answers.clear()
            endpoint.will_stream(*chunks[:end], done=False, cut=cut)
            assert "broke" in fault_of(endpoint.base_url, tools=TOOLS)


def test_done_without_a_finish_reason_is_complete(endpoint: Any) -> None:
    endpoint.will_stream(delta(content="hi"))
    assert ask(endpoint.base_url).text == "hi"


def test_a_busy_endpoint_is_asked_again_as_it_says(endpoint: Any) -> None:
    endpoint.will_answer("slow down", status=429, headers={"retry-after": "2"})
    endpoint.will_answer("slow down", status=429, headers={"retry-after": "4000"})
    endpoint.will_answer("oops", status=503)
    endpoint.will_stream(delta("stop", content="hi"))
    sleeps = Sleeps()
    assert ask(endpoint.base_url, sleep=sleeps).text == "hi"
    assert sleeps == [2.0, 30.0, 4.0]


def test_retries_are_bounded(endpoint: Any) -> None:
    endpoint.will_answer("broken", status=500)
    sleeps = Sleeps()
    assert "answered 500: broken" in fault_of(endpoint.base_url, sleep=sleeps)
    assert sleeps == [1.0, 2.0, 4.0]
    assert len(endpoint.bodies) == 4


def test_retry_after_as_a_date_and_as_nonsense() -> None:
    retry = Retry()
    date = {"retry-after": "Thu, 01 Jan 1970 00:00:09 GMT"}
    assert retry.wait_s(429, 1, date, now=2.0) == 7.0
    assert retry.wait_s(429, 2, {"retry-after": "soon"}, now=0.0) == 2.0
    assert retry.wait_s(400, 1, {}, now=0.0) is None


@pytest.mark.integration
def test_one_model_serves_several_loops_and_can_be_cancelled(endpoint: Any) -> None:
    endpoint.will_stream(delta(content="a"), delta("stop", content="b"), pause_s=0.3)
    model = OpenAIModel(Endpoint(endpoint.base_url, "m1"))
    request = ModelRequest([{"role": "user", "content": "hi"}])

    async def impatient() -> None:
        await asyncio.wait_for(model.reply(request), 0.1)

    with pytest.raises(TimeoutError):
        asyncio.run(impatient())
    for _ in range(2):
        assert asyncio.run(model.reply(request)).text == "ab"


def test_a_proxy_for_the_outside_does_not_get_loopback(
    endpoint: Any, monkeypatch: pytest.MonkeyPatch, closed_port: int
) -> None:
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{closed_port}")
    endpoint.will_stream(delta("stop", content="hi"))
    assert ask(endpoint.base_url).text == "hi"


def test_a_base_url_that_is_none_is_told() -> None:
    with pytest.raises(UsageError, match="not a base URL"):
        Endpoint("localhost:11434", "m")


def test_importing_it_costs_no_http_library() -> None:
    code = "import sys, handiwork.backends.models.table; print('httpx' in sys.modules, 'asyncio' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["False", "False"]
    code = "import sys, handiwork.backends.models.openai; print('httpx' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
        == "False"
    )


@pytest.mark.parametrize(
    ("told", "used"),
    [
        (
            {
                "prompt_tokens": 50,
                "completion_tokens": 9,
                "prompt_tokens_details": {"cached_tokens": 40, "cache_write_tokens": 5},
                "completion_tokens_details": {"reasoning_tokens": 4},
            },
            Usage(50, 9, cached_tokens=40, cache_write_tokens=5, reasoning_tokens=4),
        ),
        ({"prompt_tokens": 50, "completion_tokens": 9, "prompt_tokens_details": None}, Usage(50, 9)),
        ({"prompt_tokens": 50, "prompt_tokens_details": [1], "completion_tokens_details": "x"}, Usage(50)),
        ({"prompt_tokens": -5, "completion_tokens": "many"}, Usage()),
    ],
)
def test_the_parts_of_what_was_used_are_told_apart(endpoint: Any, told: dict[str, Any], used: Usage) -> None:
    usage = {"choices": [], "model": "answered-by", "usage": told}
    endpoint.will_stream(delta(role="assistant", content="Hi."), delta("stop"), usage)
    reply = ask(endpoint.base_url)
    assert (reply.usage, reply.model) == (used, "answered-by")
