"""Looking back: any of the words, within a time, around an entry."""

from __future__ import annotations

import pytest

from handiwork.backends.storage.reading import Reader
from handiwork.backends.storage.recall import Span
from handiwork.core.wire import dumps


@pytest.fixture
def said(store, add):
    """Two sessions that end, and one that goes on."""
    add("the index is missing", "alpha", "beta", "gamma")
    add("the migration failed", "the index of the migration is missing")
    return add("nothing of that", "数据库迁移失败", ended=False)


def texts(passages):
    return [passage.text for passage in passages]


@pytest.mark.parametrize("reads_only", [False, True])
def test_any_word_finds_and_more_words_rank_higher(store, said, path, reads_only):
    reader = Reader(path) if reads_only else store
    found = texts(reader.recall("migration missing index zebra", Span(), limit=5))
    assert set(found) == {
        "the index of the migration is missing", "the index is missing", "the migration failed",
    }  # fmt: skip
    if not reads_only:
        assert found[0] == "the index of the migration is missing"
    assert texts(reader.recall("迁移", Span(), limit=5)) == ["数据库迁移失败"]
    assert reader.recall("- ! ( *", Span(), limit=5) == []


def test_a_span_leaves_out_a_session_and_other_times(store, said):
    everything = store.recall("index migration that", Span(), limit=9)
    assert len(everything) == 4
    own = Span(skip=said.number)
    assert "nothing of that" not in texts(store.recall("index migration that", own, limit=9))
    assert store.recall("index", Span(until=everything[0].at - 3_600_000), limit=9) == []
    assert len(store.recall("index", Span(since=everything[0].at - 3_600_000), limit=9)) == 2


def test_the_latest_come_newest_first(store, said):
    assert texts(store.latest(Span(), limit=2)) == ["数据库迁移失败", "nothing of that"]
    assert texts(store.latest(Span(skip=said.number), limit=1)) == ["the index of the migration is missing"]


def test_what_stands_around_an_entry(store, said):
    first = store.sessions()[-1].number
    assert texts(store.around(first, 3, before=1, after=1)) == ["the index is missing", "alpha", "beta"]
    assert texts(store.around(first, 0, before=0, after=0)) == ["the index is missing"]
    assert store.around(first, 99, before=0, after=3) == []


def test_of_a_damaged_entry_nothing_is_said(store, said):
    store.append(said.number, 9, "prompt", call="", body=dumps({"message": {"role": "user", "content": "whole"}}))
    store._writer.execute("UPDATE entries SET body = 'no JSON' WHERE body LIKE '%whole%'")
    assert texts(store.around(said.number, 8, before=0, after=3)) == []
