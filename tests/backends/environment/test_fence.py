"""What is said of a failure: the fence's doing, or somebody else's."""

import pytest

from handiwork.backends.environment.fence import Fence, explain
from handiwork.backends.environment.territory import Person, survey
from handiwork.core.types import Command, Ran, SandboxPolicy


@pytest.fixture
def say(tmp_path, monkeypatch):
    """What is said of an output, in a room with a home beside it."""
    for name in ("room", "home", "outside"):
        (tmp_path / name).mkdir()
    (tmp_path / "home" / ".netrc").write_text("x")
    room = str(tmp_path / "room")

    def explained(output, exit_code=1, text="do", refused=(), own_processes=False, **policy):
        rules = SandboxPolicy(**policy)
        land = survey(room, rules, Person(str(tmp_path / "home"), {}))
        fence = Fence("box", land, rules, Command(text, cwd=room), ("/private",), refused, own_processes)
        return explain(Ran(output, exit_code, 1.0), fence)

    return explained


@pytest.mark.parametrize(
    "line",
    [
        "touch: cannot touch '@': Read-only file system",
        "mkdir: cannot create directory ‘@’: Permission denied",
        "bash: line 1: @: Read-only file system",
        "/usr/bin/bash: line 3: @: Permission denied",
        "OSError: [Errno 30] Read-only file system: '@'",
        'Error: EROFS: read-only file system, open "@"',
        "cp: cannot create regular file '@': Operation not permitted",
    ],
)
def test_a_write_outside_is_named_with_its_setting(say, tmp_path, line):
    outside = str(tmp_path / "outside")
    said = say(line.replace("@", f"{outside}/file"), readable=(outside,))
    assert f"commands write only in {tmp_path}/room and /private" in said and "box" in said
    assert f"allow {outside}/file by `sandbox.writable`" in said


def test_what_would_have_failed_without_a_fence_is_not_its_doing(say, tmp_path):
    assert say("cat: nothing-here: No such file or directory") == ""
    assert say(f"cat: {tmp_path}/room/none: Permission denied") == ""
    assert say("AssertionError: 1 != 2") == ""
    assert say("touch: cannot touch '/etc/x': Read-only file system", exit_code=0) == ""


def test_what_is_hidden_is_named(say, tmp_path):
    said = say(f"cat: {tmp_path}/home/.netrc: No such file or directory")
    assert f"hides {tmp_path}/home/.netrc" in said and "sandbox.readable" in said


def test_a_network_that_is_off_is_named(say):
    line = "curl: (6) Could not resolve host: pypi.org"
    assert "sandbox.network" in say(line, network="off") and "pypi.org" in say(line, network=("pypi.org",))
    assert say(line) == ""
    assert "isn't a listed host" in say("curl: (56)", network=(), refused=("x.org isn't a listed host",))


@pytest.mark.parametrize(
    ("output", "code", "policy", "key"),
    [
        ("", 152, {"cpu_s": 5}, "cpu_seconds"),
        ("File size limit exceeded", 153, {"file_bytes": 1 << 20}, "max_file_mb"),
        ("OSError: [Errno 27] File too large", 1, {"file_bytes": 1 << 20}, "max_file_mb"),
        ("MemoryError", 1, {"memory_bytes": 1 << 28}, "memory_mb"),
        ("bash: fork: retry: Resource temporarily unavailable", 254, {"processes": 50}, "max_processes"),
    ],
)
def test_a_limit_is_named_where_there_is_one(say, output, code, policy, key):
    assert f"sandbox.{key}" in say(output, code, **policy)
    assert say(output, code) == ""


def test_processes_that_can_not_be_seen_are_explained(say):
    assert "process tool" in say("bash: kill: (77) - No such process", own_processes=True)
    assert "process tool" in say("", text="cd x && pkill -f server", own_processes=True)
    assert say("", text="false", own_processes=True) == ""
