"""What every kind of files promises (core.types `Files`), asked of each."""

import os
import threading
import time
import zlib

import pytest

from handiwork.backends.files.troubles import MovedPathError, StaleFileError
from handiwork.core.errors import UsageError

NAMES = ("plain", "with blank", "-n", "line\nend\n", "'quoted\"", "$(touch x)", "é😀", "*", ".hidden", "..two")


@pytest.fixture
def root(tmp_path):
    return tmp_path.resolve()


def test_any_name_is_written_listed_read_and_removed(files, root):
    for number, name in enumerate(NAMES):
        path = str(root / name)
        assert files.stat(path) is None
        state = files.replace(path, f"text {number}".encode(), expected=None)
        assert files.stat(path) == state and state.kind == "file"
        with files.open(path) as file:
            assert file.read() == f"text {number}".encode()
    assert dict(files.names(str(root))).keys() == set(NAMES)
    for name, state in list(files.names(str(root))):
        assert state == files.stat(str(root / name))
        files.remove(str(root / name), expected=state)
    assert list(files.names(str(root))) == []


def test_names_that_are_no_text_survive(files, root):
    (root / os.fsdecode(b"caf\xe9")).write_bytes(b"x")
    (name, _), *_ = files.names(str(root))
    with files.open(str(root / name)) as file:
        assert file.read() == b"x"


def test_every_byte_arrives_in_place(files, root):
    data = bytes(range(256)) * 3 + b"\r\n\0"
    files.replace(str(root / "a/b/c"), data, expected=None)
    assert (root / "a/b/c").read_bytes() == data
    assert files.replace(str(root / "empty"), b"", expected=None).size == 0


def test_kinds_and_links_are_told_and_not_followed(files, root):
    (root / "file").write_bytes(b"12345")
    (root / "link").symlink_to("file")
    (root / "folder").mkdir()
    os.mkfifo(root / "pipe")
    os.link(root / "file", root / "twin")
    kinds = {name: state.kind for name, state in files.names(str(root))}
    assert kinds == {"file": "file", "link": "link", "folder": "directory", "pipe": "other", "twin": "file"}
    state, info = files.stat(str(root / "file")), (root / "file").stat()
    assert state is not None and (state.size, state.links, state.mode) == (5, 2, info.st_mode & 0o7777)
    assert (state.modified_ns, state.inode) == (info.st_mtime_ns, info.st_ino)


def test_real_resolves_as_the_system_does(files, root):
    (root / "folder/inner").mkdir(parents=True)
    (root / "link").symlink_to("folder")
    (root / "dangling").symlink_to("folder/none")
    for path in ("link/inner", "link/new", "dangling", "none/at/all", "folder/../link", "link/../x", "line\n", "."):
        assert files.real(str(root / path)) == os.path.realpath(root / path), path
    assert files.real("/") == "/"
    assert files.real("~/x").endswith("/x") and "~" not in files.real("~")


def test_a_link_anywhere_on_the_way_is_an_error(files, root):
    (root / "outside").mkdir()
    (root / "outside/file").write_bytes(b"secret")
    (root / "folder").symlink_to("outside")
    (root / "file").symlink_to("outside/file")
    for path in ("folder/file", "file"):
        with pytest.raises(MovedPathError):
            files.open(str(root / path))
    for path in ("folder/file", "folder/new", "folder/deep/new"):
        with pytest.raises(MovedPathError, match="between check and use"):
            files.replace(str(root / path), b"x", expected=None)
    with pytest.raises(UsageError):
        files.replace(str(root / "file"), b"x", expected=files.stat(str(root / "outside/file")))
    with pytest.raises(MovedPathError):
        list(files.names(str(root / "folder")))
    assert os.listdir(root / "outside") == ["file"] and (root / "outside/file").read_bytes() == b"secret"


def test_replacing_keeps_mode_and_owner(files, root):
    (root / "file").write_bytes(b"old")
    (root / "file").chmod(0o751)
    if os.geteuid() == 0:
        os.chown(root / "file", 12345, 23456)
    before = (root / "file").stat()
    files.replace(str(root / "file"), b"new", expected=files.stat(str(root / "file")))
    after = (root / "file").stat()
    assert (root / "file").read_bytes() == b"new" and after.st_mode == before.st_mode
    assert (after.st_uid, after.st_gid) == (before.st_uid, before.st_gid)


def test_what_is_not_the_expected_one_stays(files, root):
    path = str(root / "file")
    first = files.replace(path, b"old", expected=None)
    (root / "file").write_bytes(b"other")
    for change in (
        lambda: files.replace(path, b"new", expected=first),
        lambda: files.replace(path, b"new", expected=None),
        lambda: files.remove(path, expected=first),
    ):
        with pytest.raises(StaleFileError, match="changed meanwhile"):
            change()
    assert (root / "file").read_bytes() == b"other" and os.listdir(root) == ["file"]
    (root / "file").unlink()
    with pytest.raises(StaleFileError):
        files.replace(path, b"new", expected=first)


def test_errors_name_the_file_its_trouble_and_a_way_out(files, root):
    (root / "plain").write_text("x")
    os.mkfifo(root / "pipe")
    cases = {
        "plain/under": ("plain/under", "choose another path"),
        "n" * 300: ("n" * 300, "choose a shorter name"),
        ".": ("", "give the path of a file in it"),
    }
    for path, (named, advice) in cases.items():
        with pytest.raises(UsageError) as caught:
            files.replace(str(root / path) if path != "." else str(root), b"y", expected=None)
        assert named in str(caught.value) and advice in caught.value.hint, path
        assert ".hw-" not in str(caught.value)
    for path in ("pipe", "."):
        with pytest.raises(UsageError, match="not a regular file"):
            files.open(str(root / path))
    with pytest.raises(UsageError) as caught:
        files.open(str(root / "plan"))
    assert "did you mean plain" in caught.value.hint
    with pytest.raises(UsageError, match="no directory"):
        files.open(str(root / "none/x"))
    for path in ("relative", "with\0nul"):
        with pytest.raises(UsageError, match="not an absolute path"):
            files.stat(path)


def test_a_window_of_a_long_file_is_sought_not_read_through(files, root):
    with (root / "big").open("wb") as out:
        for number in range(40):
            out.write(bytes([number]) * 65_536)
        out.write(b"the end")
    with files.open(str(root / "big")) as file:
        assert file.seek(0, os.SEEK_END) == 40 * 65_536 + 7
        file.seek(-7, os.SEEK_END)
        assert file.read() == b"the end"
        file.seek(39 * 65_536 - 2)
        assert file.read(4) == b"\x26\x26\x27\x27"
        file.seek(0)
        assert zlib.crc32(file.read()) == zlib.crc32((root / "big").read_bytes())


def test_locks_keep_others_out(files, root):
    order, path = [], str(root / "x")

    def second():
        with files.locked([path, str(root / "y")]):
            order.append("second")

    with files.locked([str(root / "y"), path, path]):
        waiting = threading.Thread(target=second)
        waiting.start()
        time.sleep(0.1)
        order.append("first")
    waiting.join()
    assert order == ["first", "second"]
