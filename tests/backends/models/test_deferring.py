"""Deferred tools on Anthropic's wire, from an agent to a server that takes down every byte."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from handiwork import ToolRegistry
from handiwork.agent.loop import Agent
from handiwork.agent.session import Unkept
from handiwork.agent.spending import Budget
from handiwork.agent.task import Outcome
from handiwork.apps.agents import Face, build_agent
from handiwork.apps.house import House
from handiwork.backends.models.anthropic import AnthropicModel
from handiwork.backends.models.deferring import references_of, takes_deferred, tools_of
from handiwork.backends.models.exchange import Endpoint
from handiwork.backends.models.fallback import FallbackModel
from handiwork.backends.models.openai import OpenAIModel
from handiwork.core.config import Config
from handiwork.tools import tool_search as shipped

pytestmark = pytest.mark.integration  # real processes and servers

MODEL = "claude-sonnet-4-5"
FOUND = {"type": "tool_reference", "tool_name": "paint"}


def says(*blocks: dict[str, Any]) -> dict[str, Any]:
    """A whole reply of Anthropic's."""
    return {"content": list(blocks), "stop_reason": "end_turn", "usage": {"input_tokens": 1, "output_tokens": 1}}


def calls(id: str, name: str, /, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": name, "input": arguments}


DONE = says({"type": "text", "text": "Done."})
SEARCH = says(calls("s1", "tool_search", query="paint a wall", limit=1))
PAINT = says(calls("p1", "paint", colour="red", coats="2"))


@pytest.fixture
def house(registry: ToolRegistry, add: Callable[..., None]) -> House:
    """A core tool, the tool search, and thirty-one tools that wait."""
    for name in ("tool_search", "tool_describe", "tool_call"):
        entry = shipped.registry.get(name)
        assert entry is not None
        registry.register(name=name, toolset=entry.toolset, schema=entry.schema, handler=entry.handler)
    add("read_file", toolset="file", examples=({"path": "a.txt"},), properties={"path": {"type": "string"}})
    for number in range(30):
        add(f"thing_{number:02}", toolset="many", text="Does a thing of no interest to anybody. " * 3)
    add("paint", lambda args, **_: {"painted": args}, toolset="art", text="Paint a wall. " * 9,
        properties={"colour": {"type": "string"}, "coats": {"type": "integer"}}, required=("colour",),
        traits={"effect": "read", "read_only": True})  # fmt: skip
    return House(registry, config=Config(tools_budget_tokens=320))


@pytest.fixture
def agent(house: House, endpoint: Any, tmp_path: Any) -> Callable[..., Agent]:
    def make(model: Any = None, session: Unkept | None = None) -> Agent:
        model = model or AnthropicModel(Endpoint(endpoint.base_url, MODEL))
        face = Face("test", ("file", "many", "art", "tool_search"))
        return build_agent(house, model, face, cwd=str(tmp_path), budget=Budget(), session=session)

    return make


def run(agent: Agent, *prompts: str) -> Outcome:
    async def work() -> Outcome:
        for prompt in prompts:
            outcome = await agent.run(prompt)
        await agent._model.aclose()  # type: ignore[attr-defined]
        return outcome

    return asyncio.run(work())


def answer(endpoint: Any, *replies: dict[str, Any]) -> None:
    for reply in replies:
        endpoint.will_answer(json.dumps(reply))


def loaded(body: dict[str, Any]) -> list[str]:
    return [tool["name"] for tool in body["tools"] if not tool.get("defer_loading")]


def section(raw: bytes, key: str) -> bytes:
    """The bytes of one of the last keys of a body, which is compact JSON."""
    body = json.loads(raw)
    text = json.dumps(body[key], ensure_ascii=False, separators=(",", ":")).encode()
    assert text in raw
    return text


def test_what_waits_goes_out_deferred_and_a_find_is_a_reference(agent: Callable[..., Agent], endpoint: Any) -> None:
    answer(endpoint, SEARCH, PAINT, DONE)
    outcome = run(agent(), "paint it")
    first, second, third = endpoint.bodies
    assert loaded(first) == ["read_file", "tool_search"]
    waiting = {tool["name"]: tool for tool in first["tools"] if tool.get("defer_loading")}
    assert len(waiting) == 31
    assert waiting["paint"]["input_schema"]["required"] == ["colour"] and "cache_control" not in waiting["paint"]
    [result] = second["messages"][-1]["content"]
    assert result["content"] == [FOUND] and result["tool_use_id"] == "s1" and not result["is_error"]
    assert json.loads(third["messages"][-1]["content"][0]["content"]) == {"painted": {"colour": "red", "coats": 2}}
    assert outcome.answer == "Done."
    assert "anthropic-beta" not in endpoint.headers[0]


def test_the_prompt_keeps_its_bytes_when_something_is_found(agent: Callable[..., Agent], endpoint: Any) -> None:
    answer(endpoint, SEARCH, PAINT, DONE)
    run(agent(), "paint it")
    for key in ("tools", "system"):
        assert len({section(raw, key) for raw in endpoint.raw}) == 1
    marked = b',"cache_control":{"type":"ephemeral"}'
    told = [section(raw, "messages").replace(marked, b"")[:-1] for raw in endpoint.raw]
    assert told[1].startswith(told[0]) and told[2].startswith(told[1])
    assert b"thing_00" not in section(endpoint.raw[0], "system")


def test_only_what_was_granted_can_be_called(agent: Callable[..., Agent], endpoint: Any, house: House) -> None:
    house.registry.register(name="secret", toolset="other", schema={"description": "Paint."}, handler=lambda a, **_: a)
    answer(endpoint, SEARCH, says(calls("x", "secret")), says(calls("y", "tool_call", name="paint")), DONE)
    run(agent(), "paint it")
    assert "secret" not in endpoint.raw[0].decode()
    last = [block for message in endpoint.bodies[-1]["messages"] for block in message["content"]]
    said = [b["content"] for b in last if b["type"] == "tool_result" and b["tool_use_id"] in ("x", "y")]
    assert len(said) == 2 and all("not enabled" in text for text in said)


def test_a_search_without_a_find_is_told_in_words(agent: Callable[..., Agent], endpoint: Any) -> None:
    answer(endpoint, says(calls("s1", "tool_search", query="qqqq zzzz")), DONE)
    run(agent(), "paint it")
    assert "other words" in endpoint.bodies[1]["messages"][-1]["content"][0]["content"]


def test_a_session_that_goes_on_sends_the_same_bytes(agent: Callable[..., Agent], endpoint: Any) -> None:
    answer(endpoint, SEARCH, DONE, DONE)
    before = agent()
    run(before, "paint it")
    session = Unkept()
    session.history = [m for m in before.conversation.messages if m["role"] != "system"]
    run(agent(session=session), "and now?")
    assert section(endpoint.raw[2], "tools") == section(endpoint.raw[0], "tools")
    found = [b for m in endpoint.bodies[2]["messages"] for b in m["content"] if b["type"] == "tool_result"]
    assert found[0]["content"] == [FOUND]


def test_what_was_found_is_loaded_when_its_reference_is_gone(agent: Callable[..., Agent], endpoint: Any) -> None:
    answer(endpoint, SEARCH, DONE, DONE)
    made = agent()
    run(made, "paint it")
    made.conversation.messages[:] = [
        {**m, "content": m["content"][:20] + "..."} if m["role"] == "tool" else m for m in made.conversation.messages
    ]  # as compaction leaves it
    run(made, "and now?")
    assert loaded(endpoint.bodies[1]) == ["read_file", "tool_search"]
    assert loaded(endpoint.bodies[2]) == ["read_file", "tool_search", "paint"]
    assert all("tool_reference" not in json.dumps(m) for m in endpoint.bodies[2]["messages"])


def test_a_server_that_does_not_know_it_is_asked_without(agent: Callable[..., Agent], endpoint: Any) -> None:
    refused = {"type": "error", "error": {"message": "tools.3.defer_loading: Extra inputs are not permitted"}}
    endpoint.will_answer(json.dumps(refused), status=400)
    answer(endpoint, SEARCH, PAINT, DONE)
    run(agent(), "paint it")
    _, first, second, third = endpoint.bodies
    assert [len(b["tools"]) for b in (first, second, third)] == [4, 5, 5]
    assert second["tools"][-1]["name"] == "paint" and loaded(first) == loaded(second)[:-1]
    assert "tool_reference" not in json.dumps(second["messages"])


def test_another_fault_is_not_taken_for_that(agent: Callable[..., Agent], endpoint: Any) -> None:
    endpoint.will_answer('{"error": {"message": "prompt is too long"}}', status=400)
    with pytest.raises(Exception, match="too long"):
        run(agent(), "paint it")
    assert len(endpoint.bodies) == 1


def test_examples_go_along_where_nothing_waits(agent: Callable[..., Agent], endpoint: Any, house: House) -> None:
    answer(endpoint, DONE)
    run(agent(), "paint it")
    house.supply.budget = None
    house.registry.deregister("thing_00")  # the views of this generation are kept
    run(agent(), "paint it")
    examples = [
        [t.get("input_examples") for t in body["tools"] if t["name"] == "read_file"] for body in endpoint.bodies
    ]
    assert examples == [[None], [[{"path": "a.txt"}]]]  # the API refuses examples beside deferred tools


def test_elsewhere_a_find_is_appended_and_nothing_moves(agent: Callable[..., Agent], endpoint: Any) -> None:
    def completion(**message: Any) -> str:
        return json.dumps({"choices": [{"message": {"role": "assistant", **message}, "finish_reason": "stop"}]})

    def asks(id: str, **arguments: Any) -> str:
        function = {"name": "tool_search", "arguments": json.dumps(arguments)}
        return completion(tool_calls=[{"id": id, "type": "function", "function": function}])

    endpoint.will_answer(asks("a", query="thing_07 thing", limit=1))
    endpoint.will_answer(asks("b", query="paint", limit=1))
    endpoint.will_answer(completion(content="Done."))
    model = OpenAIModel(Endpoint(endpoint.base_url, "m"))
    made = agent(model)
    run(made, "paint it")
    tools = [section(raw, "tools")[:-1] for raw in endpoint.raw]
    assert tools[1].startswith(tools[0]) and tools[2].startswith(tools[1])
    names = [d["function"]["name"] for d in endpoint.bodies[2]["tools"]]
    assert names[-2:] == ["thing_07", "paint"] and b"defer_loading" not in endpoint.raw[2]
    session = Unkept()
    session.history = [m for m in made.conversation.messages if m["role"] != "system"]
    run(agent(model, session=session), "and now?")
    assert section(endpoint.raw[3], "tools") == section(endpoint.raw[2], "tools")


def test_the_index_is_made_once_for_all_sessions(agent: Callable[..., Agent], endpoint: Any, house: House) -> None:
    answer(endpoint, SEARCH, DONE)
    run(agent(), "paint it")
    index = house.finder().index
    endpoint.answers.clear()
    answer(endpoint, SEARCH, DONE)
    run(agent(), "paint it")
    assert house.finder().index is index


def test_a_fallback_passes_on_what_its_model_takes(endpoint: Any) -> None:
    for name, takes in ((MODEL, True), ("claude-3-5-haiku-latest", False)):
        assert FallbackModel([lambda name=name: AnthropicModel(Endpoint(endpoint.base_url, name))]).loads_found is takes


@pytest.mark.parametrize(
    ("name", "takes"),
    [
        ("claude-sonnet-4-20250514", True),
        ("claude-opus-4-8", True),
        ("claude-haiku-4-5-20251001", True),
        ("claude-sonnet-5-5", True),
        ("claude-fable-5", True),
        ("claude-mythos-preview", True),
        ("anthropic.claude-opus-4-5-20251101-v1:0", True),
        ("claude-haiku-4-20250514", False),
        ("claude-3-7-sonnet-latest", False),
        ("claude-3-opus-20240229", False),
        ("claude-instant-1.2", False),
        ("glm-5", False),
    ],
)
def test_which_models_take_deferred_tools(name: str, takes: bool) -> None:
    assert takes_deferred(name) is takes


def test_a_reference_names_only_what_is_deferred_now() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "tool_search", "arguments": "{}"}}
    other = {"id": "d", "type": "function", "function": {"name": "read_file", "arguments": "{}"}}
    found = json.dumps({"tools": [{"name": "gone"}, {"name": "open"}, {"name": "waits"}], "note": ""})
    history = [
        {"role": "assistant", "content": "", "tool_calls": [call, other]},
        {"role": "tool", "tool_call_id": "c", "content": found},
        {"role": "tool", "tool_call_id": "d", "content": found},
    ]
    tools = [{"name": "open"}, {"name": "waits", "defer_loading": True}]
    assert references_of(history, tools) == {"c": ["waits"]}
    assert references_of(history, tools[:1]) == {}
    assert tools_of(tools, ["waits"], {"c": ["waits"]}) == tools
    assert tools_of(tools, ["waits"], {}) == [{"name": "open"}, {"name": "waits"}]


@pytest.mark.parametrize("content", ["", "[]", '{"tools": 3}', '{"tools": [3, {"name": 4}]}', '{"tools": [{"na', None])
def test_an_answer_that_cannot_be_read_refers_to_nothing(content: Any) -> None:
    call = {"id": "c", "type": "function", "function": {"name": "tool_search", "arguments": "{}"}}
    history = [{"role": "assistant", "tool_calls": [call]}, {"role": "tool", "tool_call_id": "c", "content": content}]
    assert references_of(history, [{"name": "x", "defer_loading": True}]) == {}
