"""The judge of paths, on a real file system."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from handiwork.guard import judge_path


@pytest.fixture
def work(tmp_path: Path) -> Path:
    root = tmp_path / "work"
    (root / "src").mkdir(parents=True)
    (root / "src" / "app.py").write_text("x")
    outside = tmp_path / "out"
    outside.mkdir()
    (outside / "note").write_text("x")
    os.symlink(outside, root / "ldir")
    os.symlink(outside / "note", root / "lfile")
    os.symlink(root / "src" / "app.py", root / "inside")
    os.link(outside / "note", root / "hard")
    os.mkfifo(root / "pipe")
    return root


@pytest.mark.parametrize(
    "path", ["src/app.py", "./new/./b.txt", "...", "文件/ü.txt", "with space", "-", "inside", ".env.example"]
)
def test_inside_is_allowed(work: Path, path: str) -> None:
    for write in (False, True):
        assert judge_path(path, str(work), write).action == "allow"
    assert judge_path(str(work / "sub/x"), str(work), True).action == "allow"


@pytest.mark.parametrize(
    "path",
    [
        *(
            "../out/note",
            "src/../../out/note",
            "/etc/hostname",
            "//etc/hostname",
            "ldir/note",
            "ldir/new",
            "lfile",
        ),
        *("pipe", "~/x", "~root/x", "$HOME/x", "*", "a\x00b", "a\nb", " x", "", "file:///etc/passwd", "C:\\x"),
        *("\\\\server\\x", "%2e%2e%2fout", "%252e%252e/x", "..\u2215out", "f.txt:stream", ".env", ".git/config"),
        *("/proc/self/root/etc/passwd", "a//..//..//out/note"),
    ],
)
def test_tricks_ask_or_are_refused(work: Path, path: str) -> None:
    for write in (False, True):
        found = judge_path(path, str(work), write)
        assert found.action != "allow", path
        assert found.reasons


def test_devices_and_the_kernel_are_never_written(work: Path) -> None:
    for path in ("/dev/zero", "/sys/kernel/x", "/proc/sys/kernel/x"):
        assert judge_path(path, str(work), True).action == "forbid"
    assert judge_path("/dev/null", str(work), True).action == "allow"


def test_a_hard_link_asks_only_when_written(work: Path) -> None:
    assert judge_path("hard", str(work), True).action == "ask"
    assert judge_path("hard", str(work), False).action == "allow"


def test_readable_folders_are_for_reading_only(work: Path) -> None:
    outside = str(work.parent / "out")
    path = outside + "/note"
    assert judge_path(path, str(work)).action == "ask"
    assert judge_path(path, str(work), readable=(outside,)).action == "allow"
    assert judge_path(path, str(work), True, readable=(outside,)).action == "ask"


def test_relative_paths_start_at_cwd(work: Path) -> None:
    assert judge_path("../src/app.py", str(work), cwd=str(work / "src")).action == "allow"
    assert judge_path("../app.py", str(work), cwd=str(work)).action == "ask"


def test_without_a_workspace_everything_asks(tmp_path: Path) -> None:
    assert judge_path("x", "", True, cwd=str(tmp_path)).action == "ask"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.sampled_from(["..", ".", "src", "ldir", "lfile", "inside", "x", "", "out", "/"]), max_size=8),
    st.booleans(),
)
def test_nothing_outside_is_ever_allowed(work: Path, pieces: list[str], write: bool) -> None:
    path = "/".join(pieces)
    found = judge_path(path, str(work), write)
    real = os.path.realpath(os.path.join(work, path))
    if found.action == "allow":
        assert real == str(work) or real.startswith(str(work) + "/")
