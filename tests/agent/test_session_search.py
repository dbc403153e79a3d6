"""Looking back into earlier sessions: found by words and by meaning, short answers, and ways to read on."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from handiwork.agent.session_search import SessionSearch
from handiwork.backends.storage.sqlite import SqliteStore
from handiwork.core.errors import HandiworkError, UsageError
from handiwork.core.types import Scope, SessionInfo
from handiwork.core.wire import dumps


@pytest.fixture
def store(tmp_path):
    opened = SqliteStore(str(tmp_path / "home" / "sessions.db"))
    yield opened
    opened.close()


@pytest.fixture
def say(store):
    """A session with these prompts and replies, in turn."""

    def begin(title, *texts, started=1_790_000_000_000):
        info = store.begin(SessionInfo("", title=title, started=started))
        for seq, text in enumerate(texts, 2):
            kind, role = ("reply", "assistant") if seq % 2 else ("prompt", "user")
            store.append(info.number, seq, kind, call="", body=dumps({"message": {"role": role, "content": text}}))
        store.release(info, "answered")
        return info.id

    return begin


@pytest.fixture
def look(store):
    def ask(query="", own="", embedder=None, **args):
        search = SessionSearch(lambda: nullcontext(store), embedder)
        done = search({"query": query, "limit": 5, **args}, scope=Scope(session_id=own))
        assert [(label.integrity, label.source) for label in done.labels] == [("outside", "earlier sessions")]
        return done.value

    return ask


class Topics:
    """Two texts are alike when they are about the same animal."""

    def compare_with(self, texts):
        kinds = {"cat": "feline", "feline": "feline", "kitten": "feline", "dog": "canine"}
        about = [next((k for w, k in kinds.items() if w in text), "") for text in texts]
        return lambda query: [0.9 if a and a == kinds.get(query) else 0.1 for a in about]


def test_passages_come_with_their_session_and_the_way_to_read_on(say, look):
    name = say("Photos", "sort the photos by year", "sorted them into 2024 and 2025")
    say("Other", "boil an egg", "done")
    found = look("photos of which year")
    assert [s["session"] for s in found["sessions"]] == [name] and "session and entry" in found["note"]
    session = found["sessions"][0]
    assert session["title"] == "Photos" and session["date"].startswith("2026-09-2")
    assert session["passages"][0] == {"entry": 2, "who": "person", "text": "sort the photos by year"}


def test_the_current_session_is_left_out_unless_it_is_named(say, look):
    own = say("Now", "about the zebra", "yes")
    old = say("Then", "a zebra again", "no")
    assert [s["session"] for s in look("zebra", own=own)["sessions"]] == [old]
    assert look(session=own, own=own)["said"][0]["text"] == "about the zebra"
    assert len(look("zebra", own="cli-unsaved")["sessions"]) == 2


def test_reading_goes_on_where_it_stopped(say, look):
    name = say("Long", *(f"line {n}" for n in range(2, 32)))
    seen, entry = [], 0
    while True:
        page = look(session=name, entry=entry)
        seen += [row["text"] for row in page["said"] if row["text"] not in seen]
        if "next_entry" not in page:
            break
        assert page["next_entry"] > entry
        entry = page["next_entry"]
    assert seen == [f"line {n}" for n in range(2, 32)]
    around = look(session=name, entry=10)["said"]
    assert [row["entry"] for row in around] == [7, 8, 9, 10, 11, 12, 13]


def test_long_texts_are_cut_but_for_the_one_that_is_asked_for(say, look):
    name = say("Wide", "x" * 3000, "y" * 3000)
    texts = {row["entry"]: row["text"] for row in look(session=name, entry=3)["said"]}
    assert len(texts[3]) == 3000 and texts[2].startswith("x" * 600 + "…") and "3,000 characters" in texts[2]


def test_what_shares_no_word_is_found_by_meaning(say, look):
    name = say("Pets", "my kitten is ill", "see a vet")
    say("Cars", "the brakes squeal", "change them")
    assert look("feline")["sessions"] == []
    assert [s["session"] for s in look("feline", embedder=Topics())["sessions"]] == [name]


def test_both_ways_together_rank_higher_than_one(say, look):
    words_only = say("A", "feline feline feline", "ok")
    both = say("B", "feline: my cat sleeps", "ok")
    meaning_only = say("C", "my kitten is ill", "ok")

    class ByMeaning(Topics):
        def compare_with(self, texts):
            return lambda query: [0.9 if "cat" in t or "kitten" in t else 0.0 for t in texts]

    order = [s["session"] for s in look("feline", embedder=ByMeaning())["sessions"]]
    assert order[0] == both and set(order) == {both, words_only, meaning_only}


def test_without_its_table_it_goes_by_words_and_says_so(say, look):
    class Broken:
        def compare_with(self, texts):
            raise HandiworkError("the table is damaged")

    say("Pets", "my kitten is ill", "see a vet")
    found = look("kitten", embedder=Broken())
    assert len(found["sessions"]) == 1 and "the table is damaged" in found["note"]


def test_a_copy_of_a_session_is_not_shown_beside_it(store, say, look):
    name = say("Photos", "sort the photos", "done")
    store.fork(store.find(name), 3)
    assert len(look("photos")["sessions"]) == 1


def test_times_bound_what_is_found_and_listed(say, look):
    say("Old", "the zebra", "ok", started=1_600_000_000_000)
    new = say("New", "the zebra", "ok")
    assert [s["session"] for s in look(since="2026-01-01")["sessions"]] == [new]
    assert look("zebra", until="2021-01-01")["sessions"] == []  # said just now, whenever the session began
    with pytest.raises(UsageError, match="no date"):
        look("zebra", since="yesterday")


def test_nothing_stored_nothing_found_no_such_session(look, say):
    assert SessionSearch(lambda: nullcontext(None))({"query": "x", "limit": 5}).value["sessions"] == []
    assert "other words" in look("zebra")["note"]
    with pytest.raises(UsageError, match="unknown session"):
        look(session="nope")


@pytest.mark.parametrize("query", ["feline for the house", "for a feline", "the feline of today", "is feline and so"])
def test_a_word_that_says_little_outweighs_no_likeness(say, look, query):
    class Pets(Topics):
        def compare_with(self, texts):
            return lambda query: [0.9 if "kitten" in t else 0.0 for t in texts]

    say("Tests", "write tests for the parser of dates, and so on: it is a start", "ok")
    pets = say("Pets", "my kitten sleeps", "fine")
    assert look(query, embedder=Pets())["sessions"][0]["session"] == pets


def test_a_passage_with_all_the_words_leads(say, look):
    say("Some", "the index of the book", "ok")
    both = say("Both", "the missing index made the migration fail", "ok")
    say("More", "index index index", "ok")
    assert look("missing index migration")["sessions"][0]["session"] == both
