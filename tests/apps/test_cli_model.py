"""Models pulled from a path, listed and chosen."""

from __future__ import annotations

import pytest


@pytest.fixture
def weights(tmp_path):
    path = tmp_path / "tiny.gguf"
    path.write_bytes(b"GGUF" + b"\x03\x00\x00\x00" + bytes(64))
    return path


def test_pull_of_a_path_list_and_use(cli, weights, home):
    ran = cli("model", "pull", str(weights), "--json")
    assert ran.code == 0 and ran.document["name"] == "tiny" and ran.document["bytes"] == 72
    rows = {m["name"]: m for m in cli("model", "list", "--json").document["models"]}
    assert rows["tiny"]["here"] and not rows["tiny"]["chosen"] and not rows["qwen2.5-coder-1.5b"]["here"]
    ran = cli("model", "use", "tiny")
    assert ran.code == 0 and "local/tiny" in ran.out
    document = cli("model", "list", "--json").document
    assert document["chosen"] == "local/tiny" and next(m for m in document["models"] if m["chosen"])["name"] == "tiny"
    assert "in use" in cli("model", "list").out
    assert cli("config", "get", "model").out == "local/tiny\n"


def test_use_keeps_what_else_is_configured(cli, configure):
    path = configure("# mine\nmax_steps: 3\n")
    assert cli("model", "use", "ollama/qwen3:8b").code == 0
    assert path.read_text() == "# mine\nmax_steps: 3\nmodel: ollama/qwen3:8b\n"


def test_what_is_no_model_is_not_pulled(cli, tmp_path, home):
    (tmp_path / "text.gguf").write_text("no weights")
    for source in (str(tmp_path / "text.gguf"), str(tmp_path / "absent.gguf")):
        ran = cli("model", "pull", source)
        assert ran.code in (1, 2) and ran.err.startswith("error: ") and "internal" not in ran.err
    assert not list(home.glob("models/*.gguf"))
    ran = cli("model", "pull", "https://example.org/m.gguf")
    assert ran.code == 2 and "--sha256" in ran.err


def test_doctor_tells_a_model_that_cant_work(cli, configure):
    configure("model: local/not-here\n")
    ran = cli("doctor", "--json")
    finding = next(f for f in ran.document["findings"] if f["group"] == "model")
    assert ran.code == 1 and finding["state"] == "problem" and finding["fix"]
    configure("model: ollama/x\n")
    assert cli("doctor").code == 0
