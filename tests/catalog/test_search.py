"""The index: what is found by name, text, parameter, likeness and meaning, and what limits it."""

from __future__ import annotations

import pytest

from handiwork.catalog.search import Finder, Index


@pytest.fixture
def tools(registry, add):
    add("read_file", text="Read a text file from disk.", properties={"path": {"type": "string"}}, toolset="file")
    add("get_weather", text="Current conditions for a city.", toolset="mcp-skies")
    add("sendInvoice", text="Bill a customer.", toolset="shop", properties={"customer_id": {"type": "string"}})
    add("convert", text="Change money.", properties={"target": {"enum": ["USD", "EUR"], "description": "currency"}})
    add("suche", text="Durchsucht die Bücher der Bücherei.")
    add("news", text="搜索最新的新闻报道")
    add("bill", text="Create a demand for money.", search_hint="payment request, Rechnung, getInvoiced")
    add("mix", text="Blend a picture.", examples=[{"how": "a watercolour of a lighthouse"}])
    return registry


@pytest.fixture
def find(tools):
    index = Index(tools.entries())
    return lambda query, **options: [hit.name for hit in index.search(query, **options)]


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("reading files", "read_file"),
        ("send an invoice", "sendInvoice"),
        ("customer id", "sendInvoice"),
        ("USD please", "convert"),
        ("what are the skies like", "get_weather"),
        ("Bücher suchen", "suche"),
        ("新闻", "news"),
        ("lighthouse", "mix"),
        ("eine Rechnung", "bill"),
        ("payment requests", "bill"),
    ],
)
def test_found_by_every_part(find, query, name):
    assert find(query)[0] == name


def test_a_hint_is_searched_and_stays_here(registry, add):
    add("post", text="Send a letter.")
    add("courier", text="Bring a parcel.", search_hint="letter letters")
    assert {h.name for h in Index(registry.entries()).search("letter")} == {"post", "courier"}
    assert "letters" not in repr(registry.get_definitions(["courier"]))


def test_a_hint_without_words_changes_nothing(registry, add):
    add("post", text="Send a letter.")
    before = Index(registry.entries()).search("letter")
    add("post", text="Send a letter.", search_hint="")
    assert Index(registry.entries()).search("letter") == before


def test_a_misspelt_word_finds_what_it_looks_like(find):
    assert find("invoise")[0] == "sendInvoice"
    assert find("xqzvw") == []


def test_a_synonym_finds_and_the_word_itself_finds_first(find, add, tools):
    assert find("temperature")[0] == "get_weather"
    add("temperature_probe", text="Reads a probe.")
    assert [h.name for h in Index(tools.entries()).search("temperature")][:2] == ["temperature_probe", "get_weather"]


def test_limit_order_and_names_within(find):
    assert len(find("get a file of weather for a customer", limit=2)) == 2
    assert find("read a file", within={"convert", "news"}) == []
    assert find("weather file", within={"get_weather"}) == ["get_weather"]
    assert find("the of a") == [] and find("") == []


def test_equal_tools_are_told_in_the_order_of_registration(registry, add):
    for name in ("b", "a", "c"):
        add(f"tool_{name}", text="Paint it red.")
    assert [h.name for h in Index(registry.entries()).search("paint", limit=3)] == ["tool_b", "tool_a", "tool_c"]


def test_a_common_word_still_tells_rare_finds_apart(registry, add, monkeypatch):
    """Past the limit of additions, words only add to the tools that are found already."""
    monkeypatch.setattr("handiwork.catalog.search._MOST_ADDITIONS", 100)
    for number in range(1_500):
        add(f"common_{number}", text="Handle an item.")
    add("rare_one", text="Handle a zebra.")
    add("rare_two", text="Paint a zebra in the colours of a rainbow.")
    names = [h.name for h in Index(registry.entries()).search("handle the zebra", limit=2)]
    assert names == ["rare_one", "rare_two"]


def test_each_clause_of_a_task_finds_its_tool(registry, add):
    for number in range(6):
        add(f"wall_{number}", text="Paint a long wall of a big house in a bright colour.")
    add("mail", text="Send a letter.")
    found = [
        h.name for h in Index(registry.entries()).search("Paint the long wall of my big house, then send a letter")
    ]
    assert "mail" in found[:2]


def test_no_tools_no_hits(registry):
    assert Index(registry.entries()).search("anything") == []


def test_the_index_is_built_once_a_generation(tools, add):
    finder = Finder(tools)
    first = finder.index
    assert finder.index is first
    add("later", text="Something new.")
    assert finder.index is not first and finder.index.search("something new")[0].name == "later"


@pytest.mark.parametrize(
    ("text", "request_"),
    [
        ("พยากรณ์อากาศของเมือง", "อากาศวันนี้เป็นอย่างไร"),
        ("حالة الطقس في مدينة", "كيف الطقس اليوم"),
        ("Прогноз погоды для города", "какую погоду обещают"),
        ("शहर का मौसम बताता है", "आज मौसम कैसा है"),
        ("都市の天気予報を調べます", "明日の天気はどうですか"),
        ("도시의 날씨를 알려 준다", "오늘 날씨 어때"),
        ("Prévisions météo d'une ville", "la meteo de demain"),
    ],
)
def test_a_request_finds_what_is_described_in_its_own_script(registry, add, text, request_):
    others = (
        "ส่งอีเมลถึงลูกค้า",
        "إرسال رسالة إلى عميل",
        "Отправить письмо",
        "ईमेल भेजता है",
        "メールを送ります",
        "메일을 보낸다",
    )
    for number, other in enumerate((*others, "Envoyer un courriel")):
        add(f"t{number}", text=other)
    add("w", text=text)
    assert [hit.name for hit in Index(registry.entries()).search(request_, limit=1)] == ["w"]
