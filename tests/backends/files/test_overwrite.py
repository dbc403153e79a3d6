import os
import stat

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handiwork.backends.files.local import LocalFiles
from handiwork.backends.files.overwrite import UnwantedWriteError, write_whole
from handiwork.backends.files.reading import Wanted, read_page
from handiwork.backends.files.seen import Session, Sessions
from handiwork.backends.files.shell import ShellFiles
from handiwork.backends.files.target import Target
from handiwork.core.errors import UsageError
from handiwork.core.types import Scope


class Hand:
    """One session's way to a folder."""

    def __init__(self, root, files=None):
        self.root, self.files, self.session = root, files or LocalFiles(), Session(named=True)

    def target(self, name):
        return Target(self.files, name, self.files.real(str(self.root / name)))

    def read(self, name):
        return read_page(self.target(name), Wanted(), self.session)

    def write(self, name, content, **more):
        return write_whole(self.target(name), content, self.session, **more)


@pytest.fixture
def root(tmp_path):
    return tmp_path.resolve()


@pytest.fixture
def hand(root):
    return Hand(root)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("written").resolve()


@given(
    st.lists(st.text(alphabet="ab é😀", max_size=6), min_size=1, max_size=6),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"]),
    st.sampled_from(["\n", "\r\n"]),
    st.lists(st.text(alphabet="ab é😀", max_size=6), min_size=1, max_size=6),
)
@settings(max_examples=60, deadline=None)
def test_encoding_mark_and_line_ends_stay(folder, old, codec, end, new):
    hand = Hand(folder)
    (folder / "a").write_bytes(end.join([*old, "last", ""]).encode(codec))
    hand.write("a", "\n".join(new) + "\n")
    assert (folder / "a").read_bytes() == (end.join(new) + end).encode(codec)


@given(st.binary(max_size=120) | st.text(alphabet="ab\r\n", max_size=40).map(str.encode))
@settings(max_examples=100, deadline=None)
def test_any_file_is_refused_or_written_back_as_it_was(folder, data):
    hand = Hand(folder)
    (folder / "b").write_bytes(data)
    try:
        content = hand.read("b")["content"]
    except UsageError:
        return
    answer = hand.write("b", content)
    assert "note" not in answer and (folder / "b").read_bytes() == data


def test_mixed_line_ends_stay_line_by_line(hand, root):
    (root / "a").write_bytes(b"a\r\nb\nc\r\nd\n")
    hand.write("a", "a\nB\nc\nd\n")
    assert (root / "a").read_bytes() == b"a\r\nB\nc\r\nd\n"
    hand.write("a", "new\na\nB\nc\nd\n")
    assert (root / "a").read_bytes().endswith(b"a\r\nB\nc\r\nd\n")


def test_what_others_changed_is_not_overwritten_unless_told(hand, root):
    other = Hand(root)
    (root / "a").write_text("one\ntwo\n")
    hand.read("a")
    other.write("a", "one\ntwo\nthree of the other\n")
    with pytest.raises(UnwantedWriteError, match="changed by somebody else") as caught:
        hand.write("a", "ONE\ntwo\n")
    assert "-three of the other" in caught.value.diff and "+ONE" in caught.value.diff
    assert "force=true" in caught.value.hint
    assert (root / "a").read_text() == "one\ntwo\nthree of the other\n"
    assert hand.read("a")["content"].endswith("other\n")
    hand.write("a", "ONE\ntwo\nthree of the other\n")
    other.read("a")
    (root / "a").write_text("outside\n")
    assert other.write("a", "mine\n", force=True)["diff"].splitlines()[1:3] == ["-outside", "+mine"]


def test_own_writes_new_files_and_files_never_met_need_no_telling(hand, root):
    hand.write("a", "1\n")
    hand.write("a", "2\n")
    (root / "b").write_text("old\n")
    assert "-old" in hand.write("b", "new\n")["diff"]
    hand.read("b")
    (root / "b").unlink()
    assert hand.write("b", "again\n") == {"path": "b", "bytes": 6, "created": True}


def test_writing_what_is_there_changes_nothing(hand, root):
    (root / "a").write_text("same\n")
    before = (root / "a").stat()
    assert hand.write("a", "same\n")["diff"] == "nothing changed"
    assert (root / "a").stat().st_ino == before.st_ino


def test_a_syntax_error_is_refused_before_writing_unless_it_was_there_or_told(hand, root):
    with pytest.raises(UnwantedWriteError, match="JSON syntax error at line 2, column 1") as caught:
        hand.write("a.json", '{"a": 1,\n}')
    assert "force=true" in caught.value.hint and not (root / "a.json").exists()
    hand.write("a.json", '{"a": 1}')
    with pytest.raises(UnwantedWriteError):
        hand.write("a.json", "{")
    assert (root / "a.json").read_text() == '{"a": 1}'
    hand.write("a.json", "{", force=True)
    hand.write("a.json", "{{")
    hand.write("a.txt", "{")
    (root / "link.py").symlink_to("a.txt")
    hand.write("link.py", "def (")  # it is a .txt


def test_a_link_stays_and_mode_and_umask_hold(hand, root):
    (root / "real").write_text("x")
    (root / "real").chmod(0o640)
    (root / "link").symlink_to("real")
    hand.write("link", "y")
    assert (root / "link").is_symlink() and (root / "real").read_text() == "y"
    assert stat.S_IMODE((root / "real").stat().st_mode) == 0o640
    old = os.umask(0o027)
    try:
        hand.write("sub/new", "x")
    finally:
        os.umask(old)
    assert stat.S_IMODE((root / "sub/new").stat().st_mode) == 0o640


def test_legacy_text_keeps_its_encoding_where_it_can_and_says_when_it_cannot(hand, root):
    (root / "a").write_bytes("café “quoted”\n".encode("cp1252"))
    assert hand.read("a")["encoding"] == "cp1252 (a guess)"
    hand.write("a", "café “again”\n")
    assert (root / "a").read_bytes() == "café “again”\n".encode("cp1252")
    assert "now in utf-8" in hand.write("a", "語\n")["note"]
    assert (root / "a").read_text(encoding="utf-8") == "語\n"


def test_binary_files_may_be_replaced_and_that_is_told(hand, root):
    (root / "a").write_bytes(b"\x7fELF\0\1\2")
    assert hand.write("a", "text\n")["note"] == "what it replaced was no text"
    with pytest.raises(UsageError, match="can't be written"):
        hand.write("b", "\ud800")
    assert os.listdir(root) == ["a"]


def test_it_works_far_away_too(root, shell):
    hand = Hand(root, ShellFiles(shell, "far"))
    hand.write("sub/a.txt", "one\r\ntwo\r\n")
    assert hand.read("sub/a.txt")["content"] == "one\ntwo\n"
    hand.write("sub/a.txt", "1\ntwo\n")
    assert (root / "sub/a.txt").read_bytes() == b"1\r\ntwo\r\n"
    (root / "sub/a.txt").write_text("x")
    with pytest.raises(UnwantedWriteError):
        hand.write("sub/a.txt", "y")


def test_memories_are_bounded_and_apart():
    sessions = Sessions()
    first = sessions.of(Scope(session_id="a"))
    assert sessions.of(Scope(session_id="a")) is first and sessions.of(Scope(session_id="b")) is not first
    assert sessions.of(Scope(task_id="t")).named and not sessions.of(None).named
    assert sessions.of(Scope()) is sessions.of(None)
    for number in range(300):
        sessions.of(Scope(session_id=str(number)))
    assert sessions.of(Scope(session_id="a")) is not first
    state = LocalFiles().stat("/")
    for number in range(2_000):
        first.noted(str(number), state)
    assert not first.changed("0", state) and len(first._files) <= 1_024
