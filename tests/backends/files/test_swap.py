"""Every operation of a replacement fails, or kills the process, once: the file stays old or becomes new."""

import fcntl
import os
import signal
import subprocess

import pytest

from handiwork.backends.files import swap
from handiwork.backends.files.local import LocalFiles
from handiwork.core.errors import UsageError

FILES = LocalFiles()


def stamp_of(path):
    return FILES.stat(FILES.real(str(path)))


def replace_file(path, data, *, expected):
    FILES.replace(FILES.real(str(path)), data, expected=expected)


OPERATIONS = ("open", "write", "fsync", "fchmod", "fchown", "link", "replace", "unlink", "close")


def at_operation(monkeypatch, number, act):
    """Call *act* in place of the n-th operation on files. The answer counts them."""
    counted = []

    def counting(name, real):
        def operation(*args, **kw):
            counted.append(name)
            if len(counted) == number:
                act(name)
            return real(*args, **kw)

        return operation

    for name in OPERATIONS:
        monkeypatch.setattr(swap.os, name, counting(name, getattr(os, name)))
    return counted


@pytest.fixture(params=["unnamed", "named"])
def way(request, monkeypatch):
    if request.param == "named":
        monkeypatch.setattr(swap, "_unnamed", lambda folder: -1)
    return request.param


def test_content_mode_and_links(tmp_path, way):
    real = tmp_path / "real"
    real.write_bytes(b"old")
    real.chmod(0o751)
    (tmp_path / "link").symlink_to("real")
    replace_file(tmp_path / "link", b"new", expected=stamp_of(real))
    assert real.read_bytes() == b"new" and real.stat().st_mode & 0o777 == 0o751
    replace_file(tmp_path / "a/b/c", b"", expected=None)
    assert (tmp_path / "a/b/c").read_bytes() == b""
    assert sorted(os.listdir(tmp_path)) == ["a", "link", "real"]


def test_an_error_at_any_operation_leaves_the_old_content_and_no_other_file(tmp_path, way):
    number, file = 1, tmp_path / "file"
    while True:
        file.write_bytes(b"old")

        def fail(name):
            raise OSError(28, "No space left on device")

        with pytest.MonkeyPatch.context() as patch:
            counted = at_operation(patch, number, fail)
            try:
                replace_file(file, b"new", expected=stamp_of(file))
                failed = ""
            except UsageError as error:
                failed = f"{error} {error.hint}"
        if len(counted) < number:
            break
        if failed:
            assert str(file) in failed and ".tmp" not in failed and "free some space" in failed
            renamed = "replace" in counted[: number - 1]
            assert file.read_bytes() == (b"new" if renamed else b"old")
        if counted[number - 1] != "unlink":
            assert os.listdir(tmp_path) == ["file"]
        number += 1
    assert number > 7


@pytest.mark.integration
def test_a_kill_at_any_operation_leaves_old_or_new(tmp_path, way):
    number, contents, strays = 1, [], 0
    while True:
        folder = tmp_path / str(number)
        folder.mkdir()
        file = folder / "file"
        file.write_bytes(b"old")
        pid = os.fork()
        if pid == 0:
            with pytest.MonkeyPatch.context() as patch:
                at_operation(patch, number, lambda name: os.kill(os.getpid(), signal.SIGKILL))
                replace_file(file, b"new", expected=stamp_of(file))
            os._exit(0)
        killed = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL
        if not killed:
            break
        contents.append(file.read_bytes())
        strays += len(os.listdir(folder)) - 1
        number += 1
    assert set(contents) == {b"old", b"new"} and contents == sorted(contents, reverse=True)
    if way == "unnamed":
        assert strays <= 3  # between the link and the rename only


def test_a_file_that_is_not_the_expected_one_is_left_alone(tmp_path, way):
    file = tmp_path / "file"
    file.write_bytes(b"old")
    before = stamp_of(file)
    file.write_bytes(b"other")
    with pytest.raises(UsageError, match="changed meanwhile"):
        replace_file(file, b"new", expected=before)
    with pytest.raises(UsageError, match="changed meanwhile"):
        replace_file(file, b"new", expected=None)
    assert file.read_bytes() == b"other" and os.listdir(tmp_path) == ["file"]


def test_directories_and_devices_are_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for name in ("", "pipe"):
        with pytest.raises(UsageError, match="can't write"):
            replace_file(tmp_path / name, b"x", expected=stamp_of(tmp_path / name))


def test_drafts_of_the_dead_are_swept_and_those_of_the_living_are_not(tmp_path):
    dead, alive = tmp_path / ".hw-0123.tmp", tmp_path / ".hw-4567.tmp"
    dead.write_bytes(b"half")
    (tmp_path / ".hw-notes.txt").touch()
    with alive.open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        replace_file(tmp_path / "file", b"new", expected=None)
        assert sorted(os.listdir(tmp_path)) == [".hw-4567.tmp", ".hw-notes.txt", "file"]


@pytest.mark.integration
@pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts")
def test_a_full_disk_leaves_the_old_file_and_nothing_else(tmp_path, way):
    """On a real disk of 64 KiB, where there is room for one file but not for two."""
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(tmp_path)], check=False).returncode:
        pytest.skip("no disk can be mounted here")
    try:
        file = tmp_path / "file"
        replace_file(file, b"x" * 40_000, expected=None)
        with pytest.raises(UsageError, match="no space left") as caught:
            replace_file(file, b"y" * 40_000, expected=stamp_of(file))
        assert "free some space" in caught.value.hint
        assert file.read_bytes() == b"x" * 40_000 and os.listdir(tmp_path) == ["file"]
        subprocess.run(["mount", "-o", "remount,ro", str(tmp_path)], check=True)
        with pytest.raises(UsageError, match="read-only") as caught:
            replace_file(file, b"z", expected=stamp_of(file))
        assert "choose another place" in caught.value.hint and file.read_bytes() == b"x" * 40_000
    finally:
        subprocess.run(["umount", str(tmp_path)], check=False)
