"""Agreements to files: for what was read, where it was read, kept whole."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from handiwork.backends.trust.agreed import AgreedFiles, digest_of
from handiwork.core.errors import UsageError


@pytest.fixture
def agreed(tmp_path: Path) -> AgreedFiles:
    return AgreedFiles(str(tmp_path / "home" / "agreed.json"))


def test_an_agreement_holds_for_what_was_read(agreed: AgreedFiles) -> None:
    assert not agreed.holds("/p/.mcp.json", digest_of(b"a")) and not agreed.knows("/p/.mcp.json")
    agreed.add("/p/.mcp.json", digest_of(b"a"))
    assert agreed.holds("/p/.mcp.json", digest_of(b"a")) and not agreed.holds("/p/.mcp.json", digest_of(b"b"))
    assert not agreed.holds("/q/.mcp.json", digest_of(b"a")) and agreed.knows("/p/.mcp.json")
    assert Path(agreed.path).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("text", ["{", "[]", '{"version": 1, "files": []}', '{"version": 9, "files": {"/p": "x"}}'])
def test_a_damaged_record_agrees_to_nothing_and_is_mended(agreed: AgreedFiles, text: str) -> None:
    Path(agreed.path).parent.mkdir()
    Path(agreed.path).write_text(text)
    assert not agreed.knows("/p")
    agreed.add("/p", "x")
    assert agreed.holds("/p", "x")


def test_what_is_agreed_to_at_the_same_time_is_all_kept(agreed: AgreedFiles) -> None:
    threads = [threading.Thread(target=agreed.add, args=(f"/p/{n}", "x")) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(agreed.holds(f"/p/{n}", "x") for n in range(8))


def test_a_record_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file")
    with pytest.raises(UsageError):
        AgreedFiles(str(tmp_path / "home" / "agreed.json")).add("/p", "x")
