"""What is ignored, as git itself sees it, and the walk over a tree that isn't a disk."""

import io
import os
import shutil
import subprocess

import pytest

from handiwork.backends.files.searching.ignoring import read_rules
from handiwork.backends.files.searching.trees import LocalTree, Walk, in_repository, is_ignored

RULES = r"""
# a comment
*.log
!keep.log
/top
build/
a/**/z
**/cache
docs/*.html
trailing\~
\!bang
\#hash
[a-c]x
[!a-c]y
odd[
{a,b}.txt
only/**
""".replace("~", " ")  # no editor takes it away so
PATHS = (
    *("x.log", "s/x.log", "keep.log", "s/keep.log", "top", "s/top", "build/f", "s/build/f", "a/z", "a/b/z", "a/b/c/z"),
    *("cache/f", "s/cache", "docs/i.html", "docs/s/i.html", "trailing ", "!bang", "#hash", "ax", "dx", "ay", "dy"),
    *("odd[", "{a,b}.txt", "a.txt", "only/f", "only/s/f", "plain"),
)


@pytest.mark.integration
@pytest.mark.skipif(not shutil.which("git"), reason="git isn't installed")
def test_the_rules_are_those_of_git(tmp_path):
    (tmp_path / ".gitignore").write_text(RULES)
    for path in PATHS:
        place = tmp_path / path
        if not place.is_dir():
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text("")
    git = ["git", "-c", "core.excludesFile=", "-c", "core.quotePath=false"]
    subprocess.run([*git, "init", "-q"], cwd=tmp_path, check=True)
    listed = subprocess.run(
        [*git, "ls-files", "-zoc", "--exclude-standard"], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    ours = {file.path for file in Walk(LocalTree(), str(tmp_path)).files()}
    assert ours == set(filter(None, listed.stdout.split("\0"))) - {".gitignore"}


@pytest.mark.parametrize(
    ("rule", "path", "directory", "verdict"),
    [
        ("*.log", "a.log", False, True),
        ("*.log", "a.txt", False, None),
        ("!a", "a", False, False),
        ("a/", "a", False, None),
        ("a/", "a", True, True),
        ("/a", "b/a", False, None),
        ("a/b", "c/a/b", False, None),
        ("a/**", "a", True, None),
        ("a/**", "a/b", False, True),
        (r"\*", "*", False, True),
        (r"\*", "x", False, None),
        ("x  ", "x", False, True),
        (r"x\ ", "x ", False, True),
        ("[!c].x", "é.x", False, None),
        ("??.x", "é.x", False, True),
        ("é*", "é.x", False, True),
        ("/", "x", True, None),
    ],
)
def test_one_rule(rule, path, directory, verdict):
    assert read_rules(rule).verdict(path, directory=directory) is verdict


class MemoryTree:
    """A tree that is no disk: files by their absolute paths; None for a directory that can't be listed."""

    def __init__(self, files):
        self._files = files

    def entries(self, path):
        names = {}
        for place, data in self._files.items():
            if place.startswith(path):
                name, slash, _ = place[len(path) :].partition("/")
                names[name] = "directory" if slash or data is None else "file"
        if any(place == path.rstrip("/") and data is None for place, data in self._files.items()):
            raise PermissionError(path)
        return [(name, kind, 1, 1) for name, kind in names.items()]

    def open(self, path):
        if self._files.get(path) is None:
            raise FileNotFoundError(path)
        return io.BytesIO(self._files[path])


def test_a_walk_needs_no_more_than_entries_and_open():
    tree = MemoryTree(
        {
            "/.gitignore": b"*.up\n",
            "/p/.gitignore": b"*.log\n",
            "/p/.git/HEAD": b"",
            "/p/s/a.py": b"",
            "/p/s/a.up": b"",
            "/p/s/a.log": b"",
            "/p/s/.hid/b.py": b"",
            "/p/s/server.KEY": b"",
            "/p/s/closed": None,
        }
    )
    walk = Walk(tree, "/p/s")
    assert [file.path for file in walk.files()] == ["a.py", "a.up"]  # git looks no higher than its repository
    assert walk.unreadable == 1
    assert {file.path for file in Walk(tree, "/p/s", hidden=True, obey_ignores=False).files()} == {
        *("a.py", "a.up", "a.log", ".hid/b.py"),
    }
    assert [file.path for file in Walk(tree, "/p", excluded=("s/a.*",)).files()] == []
    assert in_repository(tree, "/p/s") and not in_repository(tree, "/q")


def test_nobody_waits_for_the_writer_of_a_pipe(tmp_path):
    os.mkfifo(tmp_path / ".gitignore")
    (tmp_path / "a").write_text("")
    assert not is_ignored(LocalTree(), str(tmp_path / "sub"))
    assert [file.path for file in Walk(LocalTree(), str(tmp_path)).files()] == ["a"]


@pytest.mark.parametrize(
    ("rules", "path", "ignored"),
    [
        ("b/", "/a/b/c", True),
        ("b/**", "/a/b", True),
        ("*", "/a/b", True),
        ("*.log", "/a/b", False),
        ("/c", "/a/b/c", False),
    ],
)
def test_whether_a_place_is_ignored(rules, path, ignored):
    assert is_ignored(MemoryTree({"/a/.gitignore": rules.encode()}), path) == ignored
