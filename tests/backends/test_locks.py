import os
import stat
import threading
import time
from pathlib import Path

import pytest

from handiwork.backends.files import locks
from handiwork.backends.files.locks import locked
from handiwork.core.errors import UsageError


@pytest.fixture
def parents(tmp_path, monkeypatch):
    """Two folders in the place of the system's, in which the private one is made."""
    found = [tmp_path / "first", tmp_path / "second"]
    for parent in found:
        parent.mkdir()
    monkeypatch.setattr(locks, "_PARENTS", tuple(map(str, found)))
    return found


def folder_in(parent):
    return parent / f"handiwork-locks-{os.geteuid()}"


def test_a_lock_lies_in_a_private_folder_and_not_beside_the_file(tmp_path, parents):
    home = tmp_path / "home"
    home.mkdir()
    with locked([home / "new folder" / "a"]):
        folder = folder_in(parents[0])
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        (lock,) = folder.iterdir()
        assert stat.S_IMODE(lock.stat().st_mode) == 0o600 and not lock.stat().st_size
    assert not list(home.iterdir())


def test_one_file_has_one_lock_by_whatever_name(tmp_path, parents):
    (tmp_path / "a").touch()
    (tmp_path / "link").symlink_to("a")
    with locked([tmp_path / "a", tmp_path / "link"]):
        for name in ("a", "./a", "link"):
            with pytest.raises(UsageError, match="a is being changed"), locked([tmp_path / name], wait_s=0.01):
                pass
    with locked([tmp_path / "link"], wait_s=0.01):
        pass


def test_a_lock_is_free_after_an_error_and_while_a_child_lives(tmp_path):
    with pytest.raises(RuntimeError), locked([tmp_path / "a"]):
        raise RuntimeError
    with locked([tmp_path / "a"]):
        child = os.fork()
        if child == 0:
            time.sleep(20)
            os._exit(0)
    try:
        with locked([tmp_path / "a"], wait_s=0.01):
            pass
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)


def test_a_lock_whose_file_was_cleared_away_is_taken_anew(tmp_path, parents):
    with locked([tmp_path / "a"]):
        (lock,) = folder_in(parents[0]).iterdir()
        lock.unlink()
    with locked([tmp_path / "a"], wait_s=0.01):
        assert lock.exists()


@pytest.mark.parametrize("fault", ["link", "open to others", "file"])
def test_a_folder_that_is_not_safe_is_not_used(tmp_path, parents, fault):
    folder = folder_in(parents[0])
    if fault == "link":
        (tmp_path / "elsewhere").mkdir(mode=0o700)
        folder.symlink_to(tmp_path / "elsewhere")
    elif fault == "file":
        folder.touch()
    else:
        folder.mkdir()
        folder.chmod(0o777)
    with locked([tmp_path / "a"]):
        assert list(folder_in(parents[1]).iterdir())
    folder_in(parents[1]).chmod(0o755)
    with pytest.raises(UsageError, match="no safe folder"), locked([tmp_path / "a"]):
        pass


def test_who_asks_for_the_same_files_in_another_order_waits(tmp_path):
    """Without a fixed order the two would wait for each other for ever."""
    files, times = [tmp_path / name for name in "abcd"], []

    def work(order):
        for _ in range(20):
            with locked(order, wait_s=20):
                times.append((time.monotonic(), "in"))
                times.append((time.monotonic(), "out"))

    workers = [threading.Thread(target=work, args=(order,)) for order in (files, files[::-1])]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(30)
    assert [word for _, word in times] == ["in", "out"] * 40


@pytest.mark.integration
def test_a_lock_costs_little():
    here, best = [Path(__file__)], 1.0
    for _ in range(20):
        begin = time.perf_counter()
        for _ in range(50):
            with locked(here):
                pass
        best = min(best, (time.perf_counter() - begin) / 50)
    assert best < 60e-6
