"""Real searches by the real ripgrep."""

import subprocess
import threading
import time

import pytest

from handiwork.backends.files.globs import glob_pattern
from handiwork.backends.files.search import Query, search
from handiwork.core.cancel import CancelToken
from handiwork.core.errors import UsageError


@pytest.fixture
def tree(tmp_path):
    files = {
        "a.py": "import os\nneedle = 1\nprint(needle)\n",
        "src/b.py": "x\n" * 9 + "needle\n",
        "src/deep/c.txt": "a needle here\n",
        "built/out.py": "needle\n",
        "skipped.py": "needle\n",
        ".hidden/d.py": "needle\n",
        ".env": "KEY=needle\n",
        ".gitignore": "built/\nskipped.py\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def find(tree, pattern, **more):
    return search(Query(pattern, str(tree), **more))


def test_hits_are_grouped_numbered_and_counted_and_git_is_obeyed(tree):
    found = find(tree, "needle")
    assert found.text == (
        "a.py\n2: needle = 1\n3: print(needle)\nsrc/b.py\n10: needle\nsrc/deep/c.txt\n1: a needle here"
    )
    assert (found.total, found.files, found.complete) == (4, 3, True)


@pytest.mark.parametrize("glob", ["*.py", "**/*.py", "*.{py,toml}", "!*.txt", "{a,src/b}.py"])
def test_a_glob_chooses_files_and_brings_no_ignored_one_back(tree, glob):
    assert [line for line in find(tree, "needle", glob=glob).text.split("\n") if ":" not in line] == [
        "a.py",
        "src/b.py",
    ]


def test_a_glob_with_a_slash_is_relative_to_the_path(tree):
    assert find(tree, "needle", glob="deep/*.txt", path="src").text.startswith("src/deep/c.txt")
    assert find(tree, "needle", glob="src/*.txt").total == 0


def test_pages_follow_each_other(tree):
    pages = [find(tree, "needle", limit=1, offset=n) for n in range(5)]
    rows = [line for page in pages for line in page.text.split("\n") if ":" in line]
    assert rows == ["2: needle = 1", "3: print(needle)", "10: needle", "1: a needle here"]
    assert {page.total for page in pages} == {4}


def test_context_belongs_to_the_hits_that_are_shown(tree):
    assert find(tree, "needle = 1", context=1).text == "a.py\n1- import os\n2: needle = 1\n3- print(needle)"
    assert find(tree, "needle", path="src", context=1, limit=1).text == "src/b.py\n9- x\n10: needle"


def test_a_hit_far_right_in_a_long_line_is_shown(tree):
    (tree / "long.js").write_text("A" * 500 + "é NEEDLE_X " + "B" * 5000 + "\n")
    row = find(tree, "NEEDLE_X").text.split("\n")[1]
    assert "NEEDLE_X" in row and len(row) < 350 and row.startswith("1: [...]") and row.endswith("[...]")


def test_a_line_of_megabytes_costs_no_more_than_its_notice(tree):
    (tree / "huge.json").write_text("x" * 6_000_000 + "NEEDLE_Y\n")
    found = find(tree, "NEEDLE_Y")
    assert found.total == 1 and found.text.startswith("huge.json\na line longer than")


@pytest.mark.parametrize(("pattern", "said"), [("(", "unclosed group"), ("[z-a]", "invalid"), ("x\\", "x\\")])
def test_a_bad_pattern_says_where(tree, pattern, said):
    with pytest.raises(UsageError, match="error") as caught:
        find(tree, pattern)
    assert said in str(caught.value)


def test_lookaround_and_several_lines(tree):
    assert find(tree, r"needle(?= = 1)").total == 1
    found = find(tree, r"1\nprint")
    assert found.text == "a.py\n2: needle = 1\n3: print(needle)"


def test_files_by_glob_and_by_part_of_the_name(tree):
    assert find(tree, "*.py", target="files").text == "a.py\nsrc/b.py"
    assert find(tree, "src/**/*.txt", target="files").text == "src/deep/c.txt"
    assert find(tree, "c.t", target="files").text == "src/deep/c.txt"
    assert find(tree, "*.py", target="files", path="src").text == "src/b.py"
    assert find(tree, ".hidden/*", target="files").text == ".hidden/d.py"
    page = find(tree, "", target="files", limit=2, offset=1)
    assert page.total == 3 and page.text == "src/b.py\nsrc/deep/c.txt"


def test_hidden_places_are_searched_when_they_are_named_and_keys_only_by_path(tree):
    assert find(tree, "needle", path=".hidden").total == 1
    assert find(tree, "needle", glob=".hidden/*").total == 1
    assert find(tree, "needle", glob=".env").total == 0
    assert find(tree, "needle", path=".env").total == 1


def test_other_encodings(tree):
    (tree / "latin.txt").write_bytes(b"caf\xe9 zebra\n")
    (tree / "wide.txt").write_bytes("\ufeffzebra é\r\n".encode("utf-16-le"))
    assert find(tree, "zebra").text == "latin.txt\n1: café zebra\nwide.txt\n1: zebra é"


def test_case_and_a_pattern_like_an_option(tree):
    assert find(tree, "NEEDLE", ignore_case=True).total == 4
    assert find(tree, "--files").total == 0


def test_a_path_that_is_not_there(tree):
    with pytest.raises(UsageError, match="no nowhere"):
        find(tree, "x", path="nowhere")


def test_counting_stops_somewhere(tree):
    (tree / "many.txt").write_text("zz\n" * 60_000)
    found = find(tree, "zz", limit=1)
    assert not found.complete and found.total >= 50_000


def test_cancelling_ends_it(tree):
    subprocess.run(["mkfifo", tree / "pipe"], check=True)
    token = CancelToken()
    threading.Timer(0.2, token.cancel).start()
    begin = time.monotonic()
    search(Query("x", str(tree), path="pipe"), token)  # rg waits for a writer
    assert time.monotonic() - begin < 3


@pytest.mark.parametrize(
    ("glob", "path", "fits"),
    [
        ("*.py", "a/b/c.py", True),
        ("a/*.py", "a/b/c.py", False),
        ("a/**/*.py", "a/c.py", True),
        ("a/**", "a/b/c", True),
        ("[!a]*.txt", "b.txt", True),
        ("[!a]*.txt", "x/a.txt", False),
        ("*.{js,ts}", "x.ts", True),
        ("{a", "{a", True),
        ("[", "[", True),
        ("a?c", "abc", True),
        ("?", "/", False),
        ("main", "src/domain.py", True),
    ],
)
def test_globs(glob, path, fits):
    assert bool(glob_pattern(glob).fullmatch(path)) == fits
