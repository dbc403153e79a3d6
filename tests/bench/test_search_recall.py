"""Recall of the tool search on public benchmarks, where their wheels are at hand; time where they aren't."""

from __future__ import annotations

import os

import pytest
import search
import search_data

from handiwork.backends.embeddings.extra import knows_languages, missing
from handiwork.backends.embeddings.late import LateEmbedder
from handiwork.catalog.search import Index


@pytest.fixture(scope="module")
def pool():
    """A benchmark's tools and questions, from its wheel in the cache of the bench."""

    def load(package, read):
        wheel = search_data.wheel(package)
        if wheel is None and os.environ.get("HANDIWORK_REQUIRE_ALL") == "1":
            wheel = search_data.fetch(package)
        if wheel is None:
            pytest.skip(f"the wheel of {package} is not in {search_data.FOLDER}; `python bench/search.py` gets it")
        return read(wheel)

    return load


@pytest.mark.integration
def test_bfcl(pool):
    found = pool(search_data.BFCL, search_data.bfcl)
    questions = found.questions["questions"]
    assert (len(found.aliases), len(questions)) == (1039, 1653)
    index = Index(found.registry.entries())
    for half in (0, 1):
        assert search.recall(index, found, [q for q in questions if q.half == half]) >= 0.90


@pytest.mark.integration
def test_live(pool):
    found = pool(search_data.LIVE, search_data.live)
    assert len(found.aliases) == 526
    index = Index(found.registry.entries())
    assert search.recall(index, found, found.questions["steps"]) >= 0.73
    assert search.recall(index, found, found.questions["tasks"]) >= 0.40


@pytest.mark.integration
def test_a_query_over_a_thousand_tools_is_quick():
    (row,) = search.speed([1_000])
    assert row["median_ms"] < 4  # the bar is 1 ms on a quiet machine; see bench/search.py


@pytest.mark.integration
@pytest.mark.skipif(bool(missing()) and os.environ.get("HANDIWORK_REQUIRE_ALL") != "1", reason="needs `embeddings`")
def test_by_meaning_too(pool):
    embedder = LateEmbedder()
    for package, read, bars in (
        (search_data.BFCL, search_data.bfcl, {"questions": 0.91}),
        (search_data.LIVE, search_data.live, {"steps": 0.73, "tasks": 0.44}),
    ):
        found = pool(package, read)
        index = Index(found.registry.entries(), embedder)
        for kind, bar in bars.items():
            assert search.recall(index, found, found.questions[kind]) >= bar


@pytest.mark.integration
@pytest.mark.skipif(
    not knows_languages() and os.environ.get("HANDIWORK_REQUIRE_ALL") != "1", reason="needs `multilingual`"
)
def test_across_languages(pool):
    found = pool(search_data.LIVE, search_data.live)
    index = Index(found.registry.entries(), LateEmbedder(languages=True))
    assert search.across_languages(index, found) >= 0.6
    assert search.across_languages(Index(found.registry.entries()), found) < 0.3
    assert search.recall(index, found, found.questions["tasks"]) >= 0.44


def test_every_request_in_another_language_has_a_tool(pool):
    found = pool(search_data.LIVE, search_data.live)
    known = set(found.aliases.values())
    assert [text for text, right in search.REQUESTS if not known & {*right}] == []


def test_what_was_measured_is_named(tmp_path):
    told = list(search.versions(str(tmp_path), ["pytest", "no-such-package"]))
    assert told[0] == "bfcl-eval not here" and told[2] == f"pytest {pytest.__version__}"
    assert told[3] == "no-such-package from source" and told[4].startswith("Python 3.")
