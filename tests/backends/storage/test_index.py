"""Search: words in any script, phrases, what was said a moment ago, and no harm from odd queries."""

from __future__ import annotations

from contextlib import closing

import pytest

from handiwork.backends.storage.reading import Reader
from handiwork.backends.storage.segments import query_of, segmented, snippet, terms_of

SAID = {
    "en": "The migration failed because of a missing index",
    "zh": "数据库迁移失败，请检查配置文件权限",
    "ja": "全文検索のテストを書いてください",
    "ko": "데이터베이스 이전이 실패했습니다",
    "th": "การย้ายฐานข้อมูลล้มเหลว",
    "de": "Die Größe der Übersicht ändern",
    "code": 'def find_all(self, name="x"): return self._index[name]',
}


@pytest.fixture
def said(add):
    return {key: add(text) for key, text in SAID.items()}


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("migration", ["en"]),
        ("migr", ["en"]),
        ("missing migration", ["en"]),
        ('"missing index"', ["en"]),
        ('"index missing"', []),
        ("迁移", ["zh"]),
        ("数据库 权限", ["zh"]),
        ("权", ["zh"]),
        ("移迁", []),
        ("検索", ["ja"]),
        ("テスト", ["ja"]),
        ("실패", ["ko"]),
        ("ฐานข้อมูล", ["th"]),
        ("größe", ["de"]),
        ("ubersicht", ["de"]),
        ("find_all", ["code"]),
        ("nosuchword", []),
    ],
)
def test_words_are_found_in_any_script(store, said, words, found):
    names = {info.id: key for key, info in said.items()}
    assert [names[hit.session.id] for hit in store.search(words)] == found


@pytest.mark.parametrize(
    "words", ["", "   ", '"', '""', "*", "AND", "OR NOT", "(", "a:b", "-", "NEAR(x", "x'y", "\0", "\ud800"]
)
def test_no_query_is_an_error(store, said, words):
    store.search(words)


def test_what_was_just_said_and_is_not_indexed_is_found_too(store, path, add):
    store.search("anything")
    add("a fresh thought", ended=False)
    with closing(Reader(path)) as reader:
        assert [hit.kind for hit in reader.search("FRESH thought")] == ["prompt"]
    assert [hit.kind for hit in store.search("fresh thought")] == ["prompt"]


def test_the_words_around_are_shown_in_one_line():
    text = "a " * 200 + "needle\nin " + "b " * 200
    shown = snippet(text, "needle")
    assert "needle in" in shown and shown.startswith("…") and shown.endswith("…") and "\n" not in shown
    assert len(shown) <= 122 and snippet("short", "nothing") == "short"


def test_signs_stand_alone_and_words_do_not():
    assert segmented("plain") == "plain" and segmented("的a在").split() == ["的", "a", "在"]
    assert terms_of('one "two three" - 四') == ["one", "two three", "四"]
    assert query_of("one 数据") == '"one"* AND "数  据"'
