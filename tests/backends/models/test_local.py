from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from handiwork.backends.models.local import LocalModel
from handiwork.core.errors import ModelError, ModelUnavailableError
from handiwork.core.types import ModelReply, ModelRequest

pytestmark = pytest.mark.model
ADD = {
    "type": "function",
    "function": {
        "name": "add",
        "description": "Add two numbers.",
        "parameters": {
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
            "required": ["a", "b"],
        },
    },
}
ASKED = [{"role": "user", "content": "Use the tool to add 17 and 25, then tell me the sum."}]


@pytest.fixture(scope="module")
def model(weights: Callable[[str], Path]) -> Iterator[LocalModel]:
    model = LocalModel(weights("qwen2.5-coder-0.5b"))
    yield model
    model.close()


def ask(model: LocalModel, request: ModelRequest) -> ModelReply:
    return asyncio.run(model.reply(request))


def test_it_calls_the_tool_by_its_schema_and_answers_from_the_result(model: LocalModel) -> None:
    messages, heard = list(ASKED), []
    for _ in range(4):  # the smallest model may repeat itself once; then the tool is taken away
        heard.clear()
        reply = ask(model, ModelRequest(messages, [ADD], heard.append))
        if not reply.calls:
            break
        [call] = reply.calls
        assert (call.name, json.loads(call.arguments)) == ("add", {"a": 17, "b": 25})
        said = {"id": call.id, "type": "function", "function": {"name": "add", "arguments": call.arguments}}
        messages.append({"role": "assistant", "content": reply.text, "tool_calls": [said]})
        messages.append({"role": "tool", "tool_call_id": call.id, "name": "add", "content": '{"sum": 42}'})
    assert len(messages) > len(ASKED)
    assert not reply.calls
    assert "42" in reply.text
    assert "".join(heard) == reply.text
    assert reply.usage.output_tokens > 5


def test_without_tools_it_talks_and_streams(model: LocalModel) -> None:
    heard: list[str] = []
    reply = ask(model, ModelRequest([{"role": "user", "content": "Say hi."}], on_text=heard.append, max_tokens=12))
    assert reply.text
    assert "".join(heard) == reply.text


def test_length_means_cut_off(model: LocalModel) -> None:
    assert ask(model, ModelRequest([{"role": "user", "content": "Count to 100."}], max_tokens=3)).cut_off


def test_the_loop_goes_on_and_cancelling_stops_the_generation(model: LocalModel) -> None:
    async def run() -> tuple[int, float]:
        ticks = 0
        long = ModelRequest([{"role": "user", "content": "word " * 1500 + "Write a long story."}], max_tokens=600)
        task = asyncio.create_task(model.reply(long))
        for _ in range(20):
            await asyncio.sleep(0.02)
            ticks += 1
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        begin = time.monotonic()
        await model.reply(ModelRequest([{"role": "user", "content": "Hi"}], max_tokens=1))
        return ticks, time.monotonic() - begin

    ticks, wait_s = asyncio.run(run())
    assert ticks == 20
    assert wait_s < 30  # 600 tokens would take longer than that on a busy machine


def test_a_conversation_that_is_too_long_is_told(model: LocalModel) -> None:
    with pytest.raises(ModelError, match="context size") as caught:
        ask(model, ModelRequest([{"role": "user", "content": "word " * 9000}]))
    assert "new session" in caught.value.hint


def test_a_schema_without_a_grammar_still_gives_a_call(model: LocalModel) -> None:
    odd = json.loads(json.dumps(ADD))
    odd["function"]["parameters"]["properties"]["a"] = {"$ref": "#/$defs/nowhere"}
    assert ask(model, ModelRequest(ASKED, [odd])).calls[0].name == "add"


def test_a_process_that_ends_in_the_middle_ends_cleanly(weights: Callable[[str], Path]) -> None:
    code = f"""
import asyncio
from pathlib import Path
from handiwork.backends.models.local import LocalModel
from handiwork.core.types import ModelRequest
async def main():
    model = LocalModel(Path({str(weights("qwen2.5-coder-0.5b"))!r}))
    request = ModelRequest([{{"role": "user", "content": "Tell a story."}}], max_tokens=500)
    task = asyncio.create_task(model.reply(request))
    await asyncio.sleep(3)
asyncio.run(main())
"""
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=90, env=os.environ, check=False
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


def test_a_file_that_is_no_model_is_told(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp")
    (tmp_path / "x.gguf").write_bytes(b"not it")
    with pytest.raises(ModelUnavailableError, match="not a GGUF file"):
        LocalModel(tmp_path / "x.gguf")
    with pytest.raises(ModelUnavailableError, match="can't read"):
        LocalModel(tmp_path / "none.gguf")


def test_a_missing_package_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModelUnavailableError) as caught:
        LocalModel(tmp_path / "x.gguf")
    assert "pip install 'handiwork[local]'" in caught.value.hint
