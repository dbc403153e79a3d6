"""Words: names split, stems that meet, scripts other than Latin."""

import pytest

from handiwork.catalog.words import stem, words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("getHTTPUrl2", ["get", "http", "url", "2"]),
        ("read_file", ["read", "file"]),
        ("weather.get-forecast", ["weath", "get", "forecast"]),
        ("the a of", []),
        ("", []),
        ("搜索文件", ["搜索", "索文", "文件"]),
        ("東", ["東"]),
        ("최근 뉴스", ["최근", "뉴스"]),
        ("Größe ändern", ["größe", "ändern"]),
        ("погода в Москве", ["погода", "в", "москве"]),
    ],
)
def test_words(text, found):
    assert words(text) == found


@pytest.mark.parametrize(
    "group",
    [("query", "queries"), ("search", "searches", "searching"), ("calculate", "calculation", "calculated")],
)
def test_forms_of_a_word_meet(group):
    assert len({stem(word) for word in group}) == 1


def test_short_and_foreign_words_stay():
    assert [stem(w) for w in ("bus", "gas", "is", "städte")] == ["bus", "gas", "is", "städte"]
