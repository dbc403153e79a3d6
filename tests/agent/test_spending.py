"""What is counted against a budget: our own requests, those of delegates, and nothing that was before."""

from __future__ import annotations

import asyncio

import pytest

from handiwork.agent.loop import Agent
from handiwork.agent.spending import Budget, Left, Tally, unpriced
from handiwork.backends.models.prices import PriceList
from handiwork.catalog.supply import Supply
from handiwork.catalog.toolsets import Toolsets
from handiwork.core.types import ModelReply, Scope, ToolCall, Traits, Usage
from handiwork.testing import ScriptedModel

PRICES = {"scripted": {"input": 1000.0, "output": 0.0}}  # a tenth of a cent a token


def test_what_others_take_counts_above_too():
    person = Tally(Budget(max_tokens=100))
    helper = Tally(Budget(max_tokens=50), above=person)
    helpers_helper = Tally(Budget(), above=helper)
    person.add(Usage(10, 5))
    helpers_helper.add(Usage(20, 10))
    assert (person.task.tokens, helper.task.tokens, helpers_helper.task.tokens) == (45, 30, 30)
    assert (person.left().tokens, helper.left().tokens) == (55, 20) and not helper.over()
    helper.add(Usage(20, 0))
    assert "50 tokens" in helper.over() and not person.over()


def test_a_task_begins_with_a_whole_budget():
    tally = Tally(Budget(max_tokens=10))
    tally.add(Usage(20))
    assert tally.over()
    tally.begin_task()
    assert not tally.over() and tally.left().tokens == 10 and tally.total.tokens == 20


def test_money_is_limited_and_only_where_every_price_is_known():
    tally = Tally(Budget(max_cost=0.5))
    tally.add(Usage(10, usd=0.3))
    assert not tally.over() and tally.left() == Left(None, 0.2)
    tally.add(Usage(10, unpriced=1))
    assert "no price is known" in tally.over()
    tally.begin_task()
    tally.add(Usage(10, usd=0.5))
    assert tally.over() == "the limit of $0.5 is reached"


def test_what_is_left_is_shared():
    assert Left(10, 1.0).shared(4) == Left(2, 0.25) and Left().shared(3) == Left()
    assert Left(0).is_nothing and Left(usd=0.0).is_nothing and not Left(1, 0.1).is_nothing and not Left().is_nothing


@pytest.fixture
def run(registry, pipeline, add):
    add("step", traits=Traits(effect="write"))

    def run_agent(*usages, budget, price):
        replies = [
            ModelReply(calls=(ToolCall("step", f'{{"n": {n}}}', f"c{n}"),), usage=u) for n, u in enumerate(usages)
        ]
        supply = Supply(registry, Toolsets(registry))
        model = ScriptedModel([*replies, "Done."])
        make = {"supply": lambda: supply.definitions(None), "budget": budget, "price": price}
        return asyncio.run(Agent(model, pipeline, Scope(cwd="/"), **make).run("go"))

    return run_agent


def test_an_agent_stops_where_its_money_is_spent(run):
    outcome = run(*[Usage(100, 5)] * 9, budget=Budget(max_cost=0.25), price=PriceList(PRICES).priced)
    assert (outcome.ending, outcome.reason) == ("limit", "the limit of $0.25 is reached")
    assert outcome.steps == 3 and outcome.usage.usd == pytest.approx(0.3) and not outcome.usage.unpriced


def test_an_agent_without_prices_says_that_it_knows_none(run):
    outcome = run(Usage(100, 5), budget=Budget(), price=unpriced)
    assert outcome.ending == "answered" and outcome.usage == Usage(100, 5, unpriced=2)
