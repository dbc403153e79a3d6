"""Reported of other agents: a broken call ended the turn in silence, or every later request."""

from __future__ import annotations

import asyncio
import json

import pytest

from handiwork.agent.loop import Agent
from handiwork.backends.models.history import valid_history
from handiwork.catalog.supply import Supply
from handiwork.catalog.toolsets import Toolsets
from handiwork.core.types import ModelReply, Progress, Scope, ToolCall
from handiwork.testing import ScriptedModel


@pytest.fixture
def make(registry, pipeline):
    def build(*replies):
        supply = Supply(registry, Toolsets(registry))
        return Agent(ScriptedModel(replies), pipeline, Scope(cwd="/"), supply=lambda: supply.definitions(None))

    return build


@pytest.mark.parametrize("raw", ['{"city": "Par', "not json", "[1]", '{"city": NaN}', '{"city": "a"} {"city": "b"}'])
def test_a_turn_of_broken_calls_goes_on_with_their_errors(make, add, raw):
    ran = []
    add("weather", ran.append, properties={"city": {"type": "string"}}, required=("city",))
    agent = make(ModelReply(calls=(ToolCall("weather", raw, "c1"),)), "I could not.")
    outcome = asyncio.run(agent.run("weather in Paris?"))
    assert (outcome.ending, outcome.answer, ran) == ("answered", "I could not.", [])
    answers = [m for m in agent.conversation.messages if m["role"] == "tool"]
    assert [m["tool_call_id"] for m in answers] == ["c1"]
    assert '"city"' in json.loads(answers[0]["content"])["error"]  # the one line that shows a right call
    for message in valid_history(agent.conversation.messages):
        for call in message.get("tool_calls", ()):
            assert isinstance(json.loads(call["function"]["arguments"]), dict)


def test_progress_never_stands_in_what_the_model_reads_of_itself(make, add):
    def work(args):
        yield Progress("half way")
        return {"ok": True}

    add("work", work)
    calls = {"calls": [{"name": "work", "arguments": {}}]}
    agent = make({"text": "I begin.", **calls}, {"text": "", **calls}, "Done.")
    asyncio.run(agent.run("go"))
    said = [m.get("content") or "" for m in agent.conversation.messages if m["role"] == "assistant"]
    assert said == ["I begin.", "", "Done."]
    assert "half way" not in json.dumps(agent.conversation.messages)
