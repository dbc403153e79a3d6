"""The embedder's object: definitions in the provider's form, tool messages back in order."""

from __future__ import annotations

import asyncio
import contextvars
import json
import threading
import time
from types import SimpleNamespace

import pytest

from handiwork import Toolbox, ToolRegistry
from handiwork.core.errors import UnknownNameError

WHO = contextvars.ContextVar("WHO", default="nobody")


def asked(name, arguments, id):
    """A tool call as the OpenAI library hands it over."""
    return SimpleNamespace(id=id, type="function", function=SimpleNamespace(name=name, arguments=json.dumps(arguments)))


@pytest.fixture
def box(registry, add, tmp_path):
    add("double", lambda args: {"n": args["n"] * 2}, properties={"n": {"type": "integer"}}, required=("n",))
    add("slow", lambda args: time.sleep(0.2) or "slept", toolset="other")
    return Toolbox(registry, cwd=str(tmp_path))


def test_definitions_in_each_dialect(box):
    (double, _) = box.definitions()
    assert double["type"] == "function" and double["function"]["name"] == "double"
    (anthropic, _) = box.definitions("anthropic")
    assert set(anthropic) == {"name", "description", "input_schema"}
    (mcp, _) = box.definitions("mcp")
    assert mcp["inputSchema"] == anthropic["input_schema"] == double["function"]["parameters"]
    assert [d["name"] for d in box.definitions("mcp", toolsets=["other"])] == ["slow"]
    assert [d["name"] for d in box.definitions("mcp", disabled=["other"])] == ["double"]
    with pytest.raises(UnknownNameError, match="opnai") as error:
        box.definitions("opnai")
    assert "openai" in error.value.hint
    with pytest.raises(UnknownNameError, match="othr"):
        box.definitions(toolsets=["othr"])


def test_messages_come_in_the_order_asked_with_their_ids(box):
    calls = [
        asked("slow", {}, "a"),
        asked("double", {"n": "4"}, "b"),
        {"id": "c", "function": {"name": "double", "arguments": "{"}},
    ]
    messages = box.run(calls)
    assert [m["tool_call_id"] for m in messages] == ["a", "b", "c"] and {m["role"] for m in messages} == {"tool"}
    assert messages[0]["content"] == "slept" and json.loads(messages[1]["content"]) == {"n": 8}
    assert "error" in json.loads(messages[2]["content"])
    assert box.run(None) == box.run([]) == []


def test_async_callers_and_callers_with_a_running_loop(box):
    async def main():
        return await box.arun([asked("double", {"n": 1}, "a")]), box.run([asked("double", {"n": 2}, "b")])

    first, second = asyncio.run(main())
    assert [json.loads(m["content"])["n"] for m in (*first, *second)] == [2, 4]


def test_only_what_was_defined_last_can_be_called(box):
    box.definitions(toolsets=["other"])
    assert "not enabled" in box.run([asked("double", {"n": 1}, "a")])[0]["content"]
    box.definitions()
    assert "2" in box.run([asked("double", {"n": 1}, "a")])[0]["content"]


def test_on_ask_decides_and_none_denies(fresh_default, tmp_path):
    box = Toolbox(cwd=str(tmp_path / "here"))
    (tmp_path / "here").mkdir()
    write = [asked("write_file", {"path": str(tmp_path / "outside.txt"), "content": "x"}, "a")]
    assert "approval" in box.run(write)[0]["content"] and not (tmp_path / "outside.txt").exists()
    seen = []
    assert "error" not in box.run(write, on_ask=lambda ready, ask: seen.append(ask.reason) or True)[0]["content"]
    assert seen and (tmp_path / "outside.txt").exists()

    async def no(ready, ask):
        return False

    assert "not approved" in box.run(write, on_ask=no)[0]["content"]


def test_why_is_data(box):
    assert box.why("double").visible and not box.why("doubl").visible
    assert "double" in box.why("doubl").stop.fix


def test_an_empty_registry_is_not_the_default_one():
    assert Toolbox(ToolRegistry()).definitions() == []


def test_what_isnt_a_call_is_told_to_the_caller(box):
    for wrong in ([42], [("double",)], 7):
        with pytest.raises(TypeError, match="not"):
            box.run(wrong)
    assert "Unknown tool" in box.run([{"id": "a", "function": {}}])[0]["content"]


def test_context_variables_travel(registry, add):
    add("who", lambda args: WHO.get())
    WHO.set("Ann")
    assert Toolbox(registry).run([asked("who", {}, "a")])[0]["content"] == "Ann"


def test_eight_threads_share_a_box(box):
    answers, failures = {}, []

    def work(me):
        try:
            for n in range(25):
                ids = [f"{me}-{n}-{k}" for k in range(3)]
                messages = box.run([asked("double", {"n": me * 1000 + n * 10 + k}, ids[k]) for k in range(3)])
                assert [m["tool_call_id"] for m in messages] == ids
                answers[me, n] = [json.loads(m["content"])["n"] for m in messages]
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(me,)) for me in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures and len(answers) == 200
    assert all(got == [2 * (me * 1000 + n * 10 + k) for k in range(3)] for (me, n), got in answers.items())


def test_discover_takes_in_a_package(fresh_default, tmp_path, monkeypatch):
    package = tmp_path / "boxed_tools"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "one.py").write_text(
        'from handiwork import tool\n@tool(toolset="boxed")\ndef boxed_one() -> str:\n    "One."\n    return "1"\n'
    )
    (package / "plain.py").write_text("raise SystemExit('must not be run')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    box = Toolbox.discover("boxed_tools")
    assert [d["name"] for d in box.definitions("mcp", toolsets=["boxed"])] == ["boxed_one"]
    assert box.run([asked("boxed_one", {}, "a")])[0]["content"] == "1"
