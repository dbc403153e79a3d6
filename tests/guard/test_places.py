"""What a path's text says about it."""

from __future__ import annotations

import pytest

from handiwork.guard.places import is_disk, is_system, is_vital, plain, protected, squeeze

HOME = "/home/alice"


@pytest.mark.parametrize(
    "path",
    [
        *(".env", "a/.env.production", ".ENV", "\uff0eenv", ".e\u200bnv", "x/.ssh/config", "~/.aws/credentials"),
        *("id_rsa", "keys/server.pem", ".git/config", ".git/hooks/pre-commit", "git~1/config", ".netrc", ".bashrc"),
        *("/etc/shadow", "/etc/sudoers.d/x", "/proc/self/environ", "/var/run/docker.sock", ".vscode/tasks.json"),
        *("./a/../.env", "a//.env", ".env/", ".env."),
    ],
)
def test_protected(path: str) -> None:
    assert protected(path)


@pytest.mark.parametrize(
    "path",
    [".env.example", ".gitignore", ".github/workflows/ci.yml", "src/environment.py", "keyboard.py", "a.envelope"],
)
def test_not_protected(path: str) -> None:
    assert protected(path) == ""


def test_squeeze() -> None:
    assert squeeze("/a//b/./../c/") == "/a/c"
    assert squeeze("../a/..") == ".."
    assert squeeze("/../..") == "/"
    assert squeeze("") == "."


def test_disks_and_system() -> None:
    assert is_disk("/dev/sda1")
    assert is_disk("//dev/nvme0n1")
    assert not is_disk("/dev/null")
    assert is_system("/usr/lib/x")
    assert not is_system("/usrlocal")
    assert not is_system("/dev/null")


def test_vital() -> None:
    for path in ("/", "/*", "/.", HOME, HOME + "/*", "/home/bob", "/etc/x", "/var/lib", HOME + "/Documents"):
        assert is_vital(path, HOME), path
    for path in ("/tmp/x", HOME + "/project", "build", "/opt/app/cache", "/var/lib/app/x"):
        assert not is_vital(path, HOME), path


def test_plain_folds_look_alikes() -> None:
    assert plain("\uff0e\uff0e\u2215a") == "../a"
