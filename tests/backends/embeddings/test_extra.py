"""Whether the extra is there, told without loading anything of it."""

from __future__ import annotations

from handiwork.backends.embeddings import extra


def test_what_is_missing_is_named(monkeypatch):
    monkeypatch.setattr(extra, "find_spec", lambda name: None if name == "wordllama" else object())
    assert "wordllama" in extra.missing() and "numpy" not in extra.missing()
    assert "handiwork[embeddings]" in extra.FIX
    monkeypatch.setattr(extra, "find_spec", lambda name: object())
    assert extra.missing() == ""
