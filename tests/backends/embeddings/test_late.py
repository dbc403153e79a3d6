"""Whether the extra is there, told without loading anything of it."""

from __future__ import annotations

from handiwork.backends.embeddings import late


def test_what_is_missing_is_named(monkeypatch):
    monkeypatch.setattr(late, "find_spec", lambda name: None if name == "wordllama" else object())
    assert "wordllama" in late.missing() and "numpy" not in late.missing()
    assert "handiwork[embeddings]" in late.FIX
    monkeypatch.setattr(late, "find_spec", lambda name: object())
    assert late.missing() == ""
