"""Token cost: the estimate beside the real count, and prices that are counted once."""

from __future__ import annotations

import importlib.util
import inspect
import os

import pytest

import handiwork
from handiwork.catalog.cost import Prices, counter, definition_text, estimate

# Real o200k counts of texts in our own form, taken once with the tokenizer.
COUNTED = {
    '{"type":"function","function":{"name":"read_file","description":"Read a text file or list a directory."}}': 24,
}


def test_the_estimate_grows_with_the_text():
    assert estimate("") == 0
    assert estimate("word " * 10) == 10
    assert estimate("你好世界") > 1
    assert estimate("getUserName") == estimate("get user name")
    assert estimate("1234567") > estimate("123")


@pytest.mark.parametrize(("text", "tokens"), COUNTED.items())
def test_near_the_real_count(text, tokens):
    assert abs(estimate(text) - tokens) <= 0.05 * tokens


def test_within_five_percent_on_our_own_definitions():
    if not importlib.util.find_spec("bpe_openai"):
        if os.environ.get("HANDIWORK_REQUIRE_ALL") == "1":
            pytest.fail("bpe-openai, which brings the vocabulary, is not installed")
        pytest.skip("needs bpe-openai for the real count")
    count, name = counter()
    assert name == "o200k" and count("hello world") == 2
    handiwork.discover()
    own = [e for e in handiwork.registry.entries() if inspect.unwrap(e.handler).__module__.startswith("handiwork.")]
    texts = [definition_text(entry.schema) for entry in own]
    assert len(texts) >= 10
    real, guessed = [sum(map(way, texts)) for way in (count, estimate)]
    assert abs(guessed - real) <= 0.05 * real
    assert all(abs(estimate(text) - count(text)) <= 0.06 * count(text) for text in texts)


def test_a_tokenizer_without_its_vocabulary_is_not_asked(monkeypatch, tmp_path):
    monkeypatch.setattr("handiwork.catalog.cost.find_spec", lambda name: name == "tiktoken")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    assert counter() == (estimate, "estimate")


def test_a_schema_is_priced_once_and_anew_when_it_changed():
    asked = []
    prices = Prices(lambda text: asked.append(text) or len(text))
    schema = {"name": "a", "description": "x"}
    assert prices.of(schema) == prices.of(schema) == prices.of(dict(schema)) == len(asked[0])
    assert len(asked) == 1
    assert prices.of({"name": "a", "description": "longer"}) > len(asked[0]) and len(asked) == 2
