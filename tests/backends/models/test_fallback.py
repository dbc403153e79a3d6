"""Models to fall back on: the task goes on with the next one, and that is said."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from handiwork.agent.loop import Agent
from handiwork.backends.models.fallback import FallbackModel
from handiwork.core.errors import ModelError, ModelUnavailableError
from handiwork.core.events import ModelSwitched
from handiwork.core.types import ModelReply, ModelRequest, Scope
from handiwork.testing import ScriptedModel


class Broken:
    name, dialect = "broken", "anthropic"

    async def reply(self, request: ModelRequest, /) -> ModelReply:
        raise ModelError("it is down")


def without_key() -> Any:
    raise ModelUnavailableError("no API key")


def run(pipeline: Any, *openers: Any) -> tuple[str, list[Any], list[str]]:
    model, told, dialects = FallbackModel(openers), [], []

    def supply() -> list[Any]:
        dialects.append(model.dialect)
        return []

    agent = Agent(model, pipeline, Scope(cwd="/"), supply=supply, watch=told.append)
    return asyncio.run(agent.run("hi")).answer, told, dialects


def test_the_next_one_goes_on_in_its_own_dialect(pipeline: Any) -> None:
    answer, told, dialects = run(pipeline, Broken, without_key, lambda: ScriptedModel(["from the third"]))
    assert answer == "from the third" and dialects == ["anthropic", "openai"]
    [switched] = [event for event in told if isinstance(event, ModelSwitched)]
    assert "it is down; going on with" in switched.what


@pytest.mark.parametrize("others", [[], [Broken], [without_key]])
def test_where_all_fail_the_last_failure_is_told(pipeline: Any, others: list[Any]) -> None:
    with pytest.raises(ModelError, match="it is down"):
        run(pipeline, Broken, *others)
