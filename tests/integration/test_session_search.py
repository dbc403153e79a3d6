"""Earlier sessions by meaning, with the real table of embeddings."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from handiwork.agent.session_search import SessionSearch
from handiwork.backends.embeddings.late import LateEmbedder
from handiwork.backends.storage.sqlite import SqliteStore
from handiwork.core.types import SessionInfo
from handiwork.core.wire import dumps

pytestmark = pytest.mark.integration

SAID = {
    "disk": "deploying failed: the disk of the staging machine is full",
    "photos": "sort the holiday photos by year",
    "parser": "write tests for the parser of dates",
    "egg": "how long does it take to boil an egg",
    "brakes": "the brakes of my car squeal",
}


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("out of storage space on the test server", "disk"),
        ("organise pictures chronologically", "photos"),
        ("unit testing of calendar input", "parser"),
        ("cooking time for breakfast", "egg"),
        ("wheel noise when stopping the vehicle", "brakes"),
    ],
)
def test_what_shares_no_word_is_found(tmp_path, query, first):
    pytest.importorskip("wordllama")
    store = SqliteStore(str(tmp_path / "sessions.db"))
    for title, text in SAID.items():
        info = store.begin(SessionInfo("", title=title))
        body = {"message": {"role": "user", "content": text}}
        store.append(info.number, 2, "prompt", call="", body=dumps(body))
        store.release(info, "answered")
    search = SessionSearch(lambda: nullcontext(store), LateEmbedder())
    found = search({"query": query, "limit": 3}).value["sessions"]
    store.close()
    assert found and found[0]["title"] == first
