"""Nothing that is swapped between check and use leads out of what was checked: harmless probes in temporary folders."""

import ctypes
import itertools
import os
import threading
import time

import pytest

from handiwork.backends.files import exact
from handiwork.backends.files.local import LocalFiles
from handiwork.backends.files.shell import ShellFiles
from handiwork.core.errors import UsageError

RENAME_EXCHANGE = 2


@pytest.fixture(params=["kernel", "walked"])
def way(request, monkeypatch):
    if request.param == "walked":
        monkeypatch.setattr(exact, "_kernel", lambda: None)
    elif exact._kernel() is None:
        pytest.skip("this kernel has no openat2")


@pytest.fixture
def ground(tmp_path):
    """`inside/part` is a folder, `outside/part` what a link may make of it; both hold a `file`."""
    root = tmp_path.resolve()
    for name in ("inside/part", "outside/part"):
        (root / name).mkdir(parents=True)
        (root / name / "file").write_text(name.partition("/")[0])
    return root


class Swapper(threading.Thread):
    """Exchanges a folder or file with a link in one operation of the kernel, to and fro, as fast as it can."""

    def __init__(self, spot, target):
        super().__init__(daemon=True)
        self.spot, self.link, self.target = os.fsencode(spot), os.fsencode(f"{spot}.link"), target
        self.turns, self.enough = 0, threading.Event()

    def run(self):
        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
        while not self.enough.is_set():
            if not os.path.islink(self.link):  # a write has replaced it while it stood in the place of the file
                os.symlink(self.target, b"%s.next" % self.link)
                os.rename(b"%s.next" % self.link, self.link)
            for _ in range(2):
                assert renameat2(-100, self.spot, -100, self.link, RENAME_EXCHANGE) == 0
            self.turns += 1

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.enough.set()
        self.join()


def probes(files, path):
    """Each of them reads or writes through *path*; what was read is handed back."""
    number = itertools.count()

    def read():
        with files.open(path) as file:
            return file.read()

    def write():
        files.replace(path, b"inside", expected=files.stat(path))

    def create():
        files.replace(f"{os.path.dirname(path)}/new-{next(number)}", b"inside", expected=None)

    def deep():
        files.replace(f"{os.path.dirname(path)}/deep-{next(number)}/new", b"inside", expected=None)

    def listed():
        return str(sorted(name for name, _ in files.names(os.path.dirname(path)))).encode()

    return [read, write, create, deep, listed]


def race(files, ground, spot, target, *, turns, refusals):
    """Probe while *spot* is swapped, until that many turns and refusals were seen; at most 15 s. What was seen."""
    (ground / "outside/part/canary").touch()
    path, done, refused = str(ground / "inside/part/file"), 0, 0
    calls = itertools.cycle(probes(files, path))
    with Swapper(str(spot), str(target)) as swapper:
        end = time.monotonic() + 15
        while (swapper.turns <= turns or refused <= refusals) and time.monotonic() < end:
            try:
                got = next(calls)() or b""
                done += 1
            except UsageError:
                refused += 1
                continue
            assert b"outside" not in got and b"canary" not in got
    assert sorted(os.listdir(ground / "outside/part")) == ["canary", "file"]
    assert (ground / "outside/part/file").read_text() == "outside"
    return done, refused, swapper.turns


@pytest.mark.integration
@pytest.mark.parametrize("swapped", ["inside/part", "inside/part/file"])
def test_a_component_swapped_for_a_link_never_leads_outside(way, ground, swapped):
    target = ground / swapped.replace("inside", "outside")
    done, refused, turns = race(LocalFiles(), ground, ground / swapped, target, turns=5_000, refusals=50)
    assert turns > 5_000 and done > 5 and refused > 50, (done, refused, turns)


@pytest.mark.integration
@pytest.mark.parametrize("swapped", ["inside/part", "inside/part/file"])
def test_commands_are_not_led_outside_either(shell, ground, swapped):
    target = ground / swapped.replace("inside", "outside")
    done, refused, turns = race(ShellFiles(shell, "far"), ground, ground / swapped, target, turns=5_000, refusals=10)
    assert turns > 5_000 and refused > 10, (done, refused, turns)


def test_a_link_put_there_after_the_check_is_its_own_error(way, ground):
    files, path = LocalFiles(), str(ground / "inside/part/file")
    assert files.real(path) == path
    (ground / "inside/part").rename(ground / "inside/was")
    (ground / "inside/part").symlink_to(ground / "outside/part")
    for use in probes(files, path):
        with pytest.raises(UsageError, match="changed between check and use"):
            use()


def test_links_of_the_kernel_are_links(way):
    with open("/dev/null", "rb") as file, pytest.raises(UsageError, match="between check and use"):
        os.close(exact.open_exact(f"/proc/self/fd/{file.fileno()}", os.O_RDONLY))


def test_no_descriptor_is_left_open(way, ground):
    before = len(os.listdir("/proc/self/fd"))
    for use in probes(LocalFiles(), str(ground / "inside/part/file")):
        use()
    (ground / "inside/part").rename(ground / "inside/was")
    (ground / "inside/part").symlink_to(ground / "outside/part")
    for use in probes(LocalFiles(), str(ground / "inside/part/file")):
        with pytest.raises(UsageError):
            use()
    assert len(os.listdir("/proc/self/fd")) == before
