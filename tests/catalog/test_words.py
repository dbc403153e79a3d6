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
        ("Größe ändern", ["gross", "andern"]),
        ("météo à Paris", ["meteo", "pari"]),
        ("погода в Москве ещё", ["погода", "в", "москве", "еще"]),
        ("मौसम की जानकारी", ["मौसम", "की", "जानकारी"]),
        ("খবর দেখাও", ["খবর", "দেখাও"]),
        ("மழை வருமா", ["மழை", "வருமா"]),
        ("والطَّقْسُ في القاهرة", ["طقس", "في", "قاهره"]),
        ("שָׁלוֹם עולם", ["שלום", "עולם"]),
        ("ファイルを開いて時々", ["ファ", "ァイ", "イル", "ルを", "を開", "開い", "いて", "て時", "時々"]),
        ("ﾃｷｽﾄ　ＡＢＣ", ["テキ", "キス", "スト", "abc"]),
        ("ไฟล์", ["ไฟ", "ฟล", "ล์"]),
        ("get天气2号", ["get", "天气", "2", "号"]),
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
    assert [stem(w) for w in ("bus", "gas", "is", "города")] == ["bus", "gas", "is", "города"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Café", "cafe"),
        ("STRASSE", "straße"),
        ("الطقس", "طقس"),
        ("أخبار", "اخبار"),
        ("می\u200cخواهم", "میخواهم"),
        ("e\u0301te\u0301", "été"),
        ("ガ", "ｶﾞ"),
        ("й", "й"),
    ],
)
def test_one_word_written_in_two_ways_is_one(one, other):
    assert words(one) == words(other) != []
