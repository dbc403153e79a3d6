"""What models cost: the table, a person's own prices, and nothing where nobody knows."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from types import SimpleNamespace

import pytest

from handiwork.backends.models.openai import open_at_url, open_ollama, open_openai, open_openrouter
from handiwork.backends.models.prices import PriceList
from handiwork.backends.models.table import Place
from handiwork.core.config import problem_with
from handiwork.core.prices import Rate
from handiwork.core.types import ModelReply, Usage

ENTRIES = json.loads(files("handiwork.backends.models").joinpath("prices.json").read_text("utf-8"))


def model(name, provider=""):
    return SimpleNamespace(name=name, provider=provider)


def cost(prices, what, **usage):
    priced = prices.priced(what, ModelReply(usage=Usage(**usage))).usage
    return None if priced.unpriced else priced.usd


def test_every_entry_says_of_which_day_it_is_and_what_it_needs():
    seen = set()
    for entry in ENTRIES:
        assert re.fullmatch(r"20\d\d-\d\d-\d\d", entry["as_of"]) and entry["names"] and entry["rates"], entry
        assert not seen & {(entry["provider"], n) for n in entry["names"]}, entry
        seen |= {(entry["provider"], n) for n in entry["names"]}
        for rate in (Rate(**r) for r in entry["rates"]):
            assert 0 < rate.input <= rate.output, entry
            assert rate.cached_input is None or 0 < rate.cached_input <= rate.input, entry
            assert rate.cache_write is None or rate.cache_write >= rate.input, entry
    assert {provider for provider, _ in seen} == {"openai", "anthropic", "gcp.gemini"}


def test_parts_of_a_request_have_their_own_prices():
    rate = Rate(input=3, output=15, cached_input=0.3, cache_write=3.75)
    used = Usage(1_000_000, 100_000, cached_tokens=600_000, cache_write_tokens=200_000, reasoning_tokens=50_000)
    assert rate.cost(used) == pytest.approx(0.2 * 3 + 0.6 * 0.3 + 0.2 * 3.75 + 0.1 * 15)
    assert Rate(3, 15).cost(used) == pytest.approx(3 + 1.5)  # without a price of its own it is input


def test_the_name_of_a_snapshot_is_that_of_its_model_and_nothing_else_is_guessed():
    prices = PriceList()
    known = prices.rate(model("claude-haiku-4-5", "anthropic"))
    assert known and known.as_of and prices.rate(model("claude-haiku-4-5-20251001", "anthropic")) == known
    assert prices.rate(model("gpt-5-2025-08-07", "openai")) == prices.rate(model("gpt-5", "openai"))
    for name in ("claude-haiku-4-5-turbo", "my-gpt-5", "gpt-5-preview", "claude-haiku-4", ""):
        assert prices.rate(model(name, "anthropic")) is None and prices.rate(model(name, "openai")) is None
    assert prices.rate(model("claude-haiku-4-5", "openrouter")) is None
    assert prices.rate(model("claude-haiku-4-5")) is None


def test_a_long_request_costs_more_from_its_first_token_on():
    prices, pro = PriceList(), model("gemini-2.5-pro", "gcp.gemini")
    assert cost(prices, pro, input_tokens=200_000) == pytest.approx(0.2 * 1.25)
    assert cost(prices, pro, input_tokens=200_001) == pytest.approx(0.200001 * 2.5)


def test_a_price_that_is_known_to_change_changes_on_its_day(monkeypatch):
    prices, flash = PriceList(), model("gemini-3.6-flash", "gcp.gemini")
    monkeypatch.setattr("time.strftime", lambda _: "2026-12-31")
    before = prices.rate(flash)
    monkeypatch.setattr("time.strftime", lambda _: "2027-01-01")
    assert before.input == 0.75 and prices.rate(flash).input == 1.5


def test_a_persons_own_prices_go_first():
    own = PriceList({"gpt-5": {"input": 1, "output": 2}, "ollama/qwen3": {"input": 5, "output": 5}})
    assert cost(own, model("gpt-5", "openai"), input_tokens=10**6) == 1
    assert cost(own, model("gpt-5", ""), input_tokens=10**6) == 1
    assert cost(own, model("qwen3", "ollama"), input_tokens=10**6) == 5
    assert cost(own, model("qwen3", "local"), input_tokens=10**6) == 0


def test_what_no_server_counts_has_no_price_unless_it_is_free():
    prices = PriceList()
    assert cost(prices, model("gpt-5", "openai")) is None
    assert cost(prices, model("x", "local")) == 0 and cost(prices, model("x", "scripted")) == 0


@pytest.mark.parametrize(
    ("made", "provider"),
    [
        (lambda env: open_openai("gpt-5", Place("", env)), "openai"),
        (lambda env: open_openai("gpt-5", Place("", env, "http://127.0.0.1:1/v1")), ""),
        (lambda env: open_openrouter("x/y", Place("", env)), "openrouter"),
        (lambda env: open_ollama("qwen3:8b", Place("", env)), "ollama"),
        (lambda env: open_ollama("gpt-oss:120b-cloud", Place("", env)), ""),
        (lambda env: open_ollama("qwen3:8b", Place("", env, "http://192.0.2.1:11434/v1")), ""),
        (lambda env: open_at_url("http://127.0.0.1:1/v1#gpt-5", Place("", env)), ""),
    ],
)
def test_whose_prices_hold_is_told_by_where_a_model_is_asked(made, provider):
    assert made({"OPENAI_API_KEY": "k", "OPENROUTER_API_KEY": "k"}).provider == provider


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"m": {"input": 1, "output": 2}}, None),
        ({"m": {"input": 1, "output": 2, "cached_input": 0, "cache_write": 0.5}}, None),
        ({"m": 3}, "prices.m: expected input, output"),
        ({"m": {"input": 1}}, "output must be said"),
        ({"m": {"input": 1, "output": 2, "cached": 1}}, "did you mean cached_input?"),
        ({"m": {"input": -1, "output": 2}}, "input: expected a number"),
        ({"m": {"input": True, "output": 2}}, "input: expected a number"),
        ({"m": {"input": float("nan"), "output": 2}}, "input: expected a number"),
    ],
)
def test_prices_that_a_person_writes_are_looked_at(value, said):
    problem = problem_with("prices", value)
    assert problem is None if said is None else said in problem
