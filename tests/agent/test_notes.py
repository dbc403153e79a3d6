"""A file of notes: what people wrote stays, damage is put aside, a change is whole and keeps the mode."""

from __future__ import annotations

import os
import stat

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handiwork.agent.notes import MOST_BYTES, NoteFile, block_of, note_of, read_page
from handiwork.core.errors import UsageError


@pytest.fixture
def file(tmp_path):
    return NoteFile(tmp_path / "deep" / "memory.md", "Notes")


def add(file, note):
    return file.change(lambda page: (*page.blocks, block_of(note)))


def test_a_new_file_reads_well_and_is_the_persons_alone(file):
    assert file.read().notes == []
    add(file, "Builds with make\nnot with cmake")
    assert file.path.read_text() == "# Notes\n\n- Builds with make\n  not with cmake\n"
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
    assert file.read().notes == ["Builds with make\nnot with cmake"]


def test_what_a_person_wrote_stays(file):
    file.path.parent.mkdir()
    written = "# Mine\n\n## Tools\n* tabs, not spaces\n\tfour wide\n\nI live in Oslo\n---\n"
    file.path.write_text(written)
    assert file.read().notes == ["tabs, not spaces\nfour wide", "I live in Oslo"]
    add(file, "new")
    assert file.path.read_text() == written + "- new\n"


@pytest.mark.parametrize("mode", [0o660, 0o640, 0o600, 0o664])
def test_the_mode_is_kept(file, mode):
    add(file, "one")
    file.path.chmod(mode)
    add(file, "two")
    assert stat.S_IMODE(file.path.stat().st_mode) == mode


def test_a_link_stays_a_link(file, tmp_path):
    (tmp_path / "real.md").write_text("- one\n")
    file.path.parent.mkdir()
    file.path.symlink_to(tmp_path / "real.md")
    add(file, "two")
    assert file.path.is_symlink() and (tmp_path / "real.md").read_text() == "- one\n- two\n"


@pytest.mark.parametrize("bad", [b"\xff\xfe broken", b"- half \xc3", b"nul \x00 byte", b"- \x1b[2J", b"\xed\xa0\x80"])
def test_damaged_lines_are_put_aside_and_the_rest_is_used(file, bad):
    file.path.parent.mkdir()
    file.path.write_bytes(b"- before\n" + bad + b"\n- after\n")
    assert file.read().notes == ["before", "after"] and file.read().damaged == (bad,)
    assert not file.aside.exists()  # reading changes nothing
    add(file, "new")
    assert file.path.read_bytes() == b"- before\n- after\n- new\n"
    assert file.aside.read_bytes() == bad + b"\n"
    assert file.read().damaged == ()


def test_what_cannot_be_read_is_told_and_never_overwritten(file):
    file.path.parent.mkdir()
    with file.path.open("wb") as big:
        big.truncate(MOST_BYTES + 1)
    with pytest.raises(UsageError, match="larger than"):
        add(file, "x")
    assert file.path.stat().st_size == MOST_BYTES + 1
    os.unlink(file.path)
    file.path.mkdir()
    with pytest.raises(UsageError, match=r"regular file|directory"):
        file.read()


def test_an_edit_that_changes_nothing_writes_nothing(file):
    add(file, "one")
    before = file.path.stat()
    file.change(lambda page: page.blocks)
    assert file.path.stat().st_ino == before.st_ino


@settings(max_examples=150)
@given(st.lists(st.text(max_size=40), max_size=4))
def test_notes_read_back_as_they_were_written(texts):
    notes = [note for text in texts if (note := note_of(text)) and note.encode("utf-8", "ignore").decode() == note]
    written = "".join(f"{line}\n" for note in notes for line in block_of(note).lines)
    assert read_page(written.encode()).notes == notes
