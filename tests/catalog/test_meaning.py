"""Words and meaning together. The embedder here is a table of cosines, so that every sum can be told."""

from __future__ import annotations

import pytest

from handiwork.catalog.desk import Desk
from handiwork.catalog.search import Finder, Index
from handiwork.catalog.supply import Supply
from handiwork.catalog.toolsets import Toolsets
from handiwork.core.types import Scope


class Table:
    """Likeness by the first word of a tool's text, whatever the query."""

    def __init__(self, **cosines: float) -> None:
        self.cosines, self.texts, self.queries = cosines, [], []

    def compare_with(self, texts):
        self.texts.append(list(texts))

        def compare(query):
            self.queries.append(query)
            return [self.cosines.get(text.split(maxsplit=1)[0], 0.0) for text in texts]

        return compare


@pytest.fixture
def tools(registry, add):
    add("invoice", text="Bill a customer.", properties={"amount": {}}, search_hint="Rechnung", toolset="mcp-shop")
    add("letter", text="Send a letter to a customer.")
    add("parcel", text="Bring a thing.")
    return registry


def names(index, query, **options):
    return [hit.name for hit in index.search(query, **options)]


def test_meaning_finds_what_shares_no_word(tools):
    near = Index(tools.entries(), Table(parcel=0.8))
    assert names(near, "shipment")[0] == "parcel" and names(near, "letter")[:2] == ["letter", "parcel"]


def test_meaning_tells_equals_apart(tools):
    for better in ("invoice", "letter"):
        assert names(Index(tools.entries(), Table(**{better: 0.9})), "customer")[0] == better


def test_faint_likeness_alone_finds_nothing(tools):
    assert names(Index(tools.entries(), Table(parcel=0.2)), "xqzvw") == []
    assert names(Index(tools.entries(), Table(parcel=0.4)), "xqzvw") == ["parcel"]


def test_limit_and_names_within(tools):
    index = Index(tools.entries(), Table(parcel=0.9, invoice=0.8, letter=0.7))
    assert len(names(index, "customer", limit=2)) == 2
    assert names(index, "customer", within={"letter"}) == ["letter"]
    assert names(index, "customer", within=set()) == []


def test_a_tool_is_told_by_all_that_it_says_and_a_query_is_bounded(tools):
    table = Table()
    Index(tools.entries(), table).search("customer " * 10_000)
    assert table.texts[0][0] == "invoice (shop): Bill a customer. Rechnung amount"
    assert len(table.queries[0]) == 2_000


def test_tools_are_taken_in_once_a_generation(tools, add):
    table = Table()
    finder = Finder(tools, table)
    for _ in range(3):
        finder.index.search("customer")
    assert len(table.texts) == 1
    add("later", text="Something new.")
    finder.index.search("customer")
    assert [len(texts) for texts in table.texts] == [3, 4]


def test_the_desk_searches_by_meaning(tools, add):
    add("dear", text="Costs. " * 300, defer=True)
    supply = Supply(tools, Toolsets(tools), budget=400)
    finder = Finder(tools, Table(dear=0.9))
    answer = Desk(supply, finder=lambda: finder).search({"query": "zzz"}, scope=Scope())
    assert [row["name"] for row in answer["tools"]] == ["dear"]
