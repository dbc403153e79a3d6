"""The table that a package ships: vectors of length 1, likeness of meaning, and the file that keeps them."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from handiwork.backends.embeddings import extra
from handiwork.core.errors import HandiworkError

if extra.missing() and os.environ.get("HANDIWORK_REQUIRE_ALL") != "1":
    pytest.skip("needs the extra `embeddings`", allow_module_level=True)

import numpy as np

from handiwork.backends.embeddings import static
from handiwork.backends.embeddings.static import StaticEmbedder

TEXTS = ["Bill a customer.", "Current weather conditions in a city.", "Read a file from disk."]


@pytest.fixture(scope="module")
def embedder():
    return StaticEmbedder()


def test_vectors_are_of_length_one_or_nothing(embedder):
    rows = embedder.embed([*TEXTS, "", "word " * 5_000])
    assert rows.shape == (5, static.SIZE) and rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 1, 1, 0, 1], abs=1e-5)


@pytest.mark.parametrize(
    ("query", "nearest"), [("send an invoice", 0), ("is it going to rain", 1), ("open a document", 2)]
)
def test_what_shares_no_word_is_near_in_meaning(embedder, query, nearest):
    cosines = embedder.compare_with(TEXTS)(query)
    assert max(range(3), key=cosines.__getitem__) == nearest and -1 <= min(cosines) <= max(cosines) <= 1


def test_nothing_to_compare_with(embedder):
    assert list(embedder.compare_with([])("a query")) == []


def test_the_second_time_vectors_come_from_the_file(tmp_path, monkeypatch):
    first = StaticEmbedder(str(tmp_path / "cache")).compare_with(TEXTS)("invoice")
    again = StaticEmbedder(str(tmp_path / "cache"))
    asked = []
    embed = again.embed
    monkeypatch.setattr(again, "embed", lambda texts: asked.extend(texts) or embed(texts))
    assert again.compare_with([*TEXTS, "a new one"])("invoice")[:3] == pytest.approx(first, abs=1e-3)
    assert asked == ["a new one", "invoice"]
    assert [p.name for p in (tmp_path / "cache").iterdir()] == [f"{static.NAME}.npz"]


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04 nothing", b"\x93NUMPY", "other shape", "other keys"])
def test_a_damaged_file_is_an_empty_one(tmp_path, embedder, damage):
    path = tmp_path / f"{static.NAME}.npz"
    if isinstance(damage, bytes):
        path.write_bytes(damage)
    elif damage == "other shape":
        np.savez(path, keys=np.array([b"k"]), vectors=np.zeros((1, 3), np.float16))
    else:
        np.savez(path, something=np.zeros(3))
    found = StaticEmbedder(str(tmp_path)).compare_with(TEXTS)("invoice")
    assert found == pytest.approx(embedder.compare_with(TEXTS)("invoice"), abs=1e-3)
    with np.load(path) as file:
        assert file["vectors"].shape == (3, static.SIZE) and file["vectors"].dtype == np.float16


def test_a_folder_that_cant_be_written_is_only_slower(tmp_path, embedder):
    (tmp_path / "plain").write_text("")
    found = StaticEmbedder(str(tmp_path / "plain" / "cache")).compare_with(TEXTS)("invoice")
    assert found == pytest.approx(embedder.compare_with(TEXTS)("invoice"), abs=1e-3)


def test_a_table_that_cant_be_read_says_what_mends_it(monkeypatch):
    monkeypatch.setattr(static, "_WEIGHTS", "weights/not-there.safetensors")
    with pytest.raises(HandiworkError) as caught:
        StaticEmbedder()
    assert extra.FIX in caught.value.hint


def test_only_the_data_files_are_read():
    code = (
        "import sys; from handiwork.backends.embeddings.late import LateEmbedder as E; e = E();"
        "assert 'numpy' not in sys.modules; e.compare_with(['a'])('b');"
        "print(*{'wordllama', 'requests', 'pydantic', 'huggingface_hub'} & {*sys.modules})"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == ""


def test_without_a_file_a_text_is_worked_out_once_all_the_same(monkeypatch):
    embedder = StaticEmbedder()
    asked = []
    embed = embedder.embed
    monkeypatch.setattr(embedder, "embed", lambda texts: asked.extend(texts) or embed(texts))
    embedder.compare_with(TEXTS)
    embedder.compare_with([*TEXTS, "a new one"])
    assert asked == [*TEXTS, "a new one"]
