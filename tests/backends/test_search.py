"""Real searches, by the real ripgrep and (in the integration part) the same ones by the plain engine."""

import os
import threading
import time

import pytest

from handiwork.backends.files.searching.plain_search import PlainEngine
from handiwork.backends.files.searching.query import MAX_COUNTED
from handiwork.backends.files.searching.ripgrep import RipgrepEngine, find_ripgrep
from handiwork.backends.files.searching.search import Query, place_of, search
from handiwork.core.cancel import CancelToken
from handiwork.core.errors import UsageError


@pytest.fixture(params=["ripgrep", pytest.param("python", marks=pytest.mark.integration)])
def engine(request):
    return RipgrepEngine(find_ripgrep()) if request.param == "ripgrep" else PlainEngine(file_seconds=20)


def plant(root, files):
    """Files in a directory, each older than the one before."""
    for age, (name, data) in enumerate(files.items()):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data if isinstance(data, bytes) else data.encode())
        os.utime(root / name, (2_000_000_000 - age, 2_000_000_000 - age))


@pytest.fixture
def tree(tmp_path):
    plant(
        tmp_path,
        {
            "a.py": "import os\nneedle = 1\nprint(needle)\n",
            "src/b.py": "x\n" * 9 + "needle\n",
            "src/deep/c.txt": "a needle here\n",
            "built/out.py": "needle\n",
            "skipped.py": "needle\n",
            ".hidden/d.py": "needle\n",
            ".hidden.py": "needle\n",
            ".env": "KEY=needle\n",
            "server.PEM": "needle\n",
            ".gitignore": "built/\nskipped.py\n",
        },
    )
    return tmp_path


@pytest.fixture
def find(tree, engine):
    return lambda pattern, **more: search(Query(pattern, str(tree), **more), place=place_of(engine=engine))


def paths(found):
    return [line for line in found.text.split("\n") if line and ":" not in line]


def test_hits_are_grouped_numbered_and_counted_newest_first(find, tree):
    found = find("needle")
    assert found.text == (
        "a.py\n2: needle = 1\n3: print(needle)\nsrc/b.py\n10: needle\nsrc/deep/c.txt\n1: a needle here"
    )
    assert (found.total, found.files, found.complete, found.next_offset, found.notes) == (4, 3, True, None, ())
    os.utime(tree / "src/b.py", (2_100_000_000, 2_100_000_000))
    assert paths(find("needle")) == ["src/b.py", "a.py", "src/deep/c.txt"]


@pytest.mark.parametrize("glob", ["*.py", "**/*.py", "*.{py,toml}", "!*.txt", "{a,src/b}.py", "a.py, src/", "!deep"])
def test_a_glob_chooses_files_and_brings_no_ignored_one_back(find, glob):
    assert [path for path in paths(find("needle", glob=glob)) if path != "src/deep/c.txt"] == ["a.py", "src/b.py"]


def test_a_type_is_a_kind_of_file(find):
    assert paths(find("needle", types="python")) == ["a.py", "src/b.py"]
    assert paths(find("needle", types="py,txt", glob="src/**")) == ["src/b.py", "src/deep/c.txt"]
    with pytest.raises(UsageError, match="pyt") as caught:
        find("needle", types="pyt")
    assert "py" in caught.value.hint


def test_a_glob_with_a_slash_is_relative_to_the_path(find):
    assert find("needle", glob="deep/*.txt", path="src").text.startswith("src/deep/c.txt")
    assert find("needle", glob="deep/*.txt").total == 0


def test_pages_follow_each_other(find):
    pages = [find("needle", limit=1, offset=n) for n in range(5)]
    rows = [line for page in pages for line in page.text.split("\n") if ":" in line]
    assert rows == ["2: needle = 1", "3: print(needle)", "10: needle", "1: a needle here"]
    assert [page.next_offset for page in pages] == [1, 2, 3, None, None]
    assert {page.total for page in pages} == {4} and "beyond" in pages[4].notes[0]


def test_a_file_that_is_changed_between_two_pages_keeps_its_place(find, tree):
    assert paths(find("needle", limit=2)) == ["a.py"]
    os.utime(tree / "src/deep/c.txt", (2_100_000_000, 2_100_000_000))
    plant(tree, {"new.py": "needle\n"})
    assert paths(find("needle", limit=2, offset=2)) == ["src/b.py", "src/deep/c.txt"]
    assert paths(find("needle", limit=2, offset=4)) == ["new.py"]
    assert paths(find("needle", limit=1)) != ["a.py"]


def test_context_belongs_to_the_hits_that_are_shown(find):
    assert find("needle = 1", context=1).text == "a.py\n1- import os\n2: needle = 1\n3- print(needle)"
    assert find("needle", path="src", context=1, limit=1).text == "src/b.py\n9- x\n10: needle"
    assert find("print", context=1).text == "a.py\n2- needle = 1\n3: print(needle)"
    assert find("needle", context=5, limit=1, offset=1).text == "a.py\n1- import os\n2- needle = 1\n3: print(needle)"


@pytest.mark.parametrize("limit", [1, 2])
def test_context_ends_where_the_next_hit_begins(find, tree, limit):
    (tree / "c.txt").write_text("zz 1\nzz 2\nother\nother\nother\n")
    shown = ["1: zz 1", "2: zz 2", "3- other", "4- other"]
    assert find("zz", context=2, limit=limit).text.split("\n")[1:] == shown[: 1 if limit == 1 else 4]


def test_only_files_or_their_counts(find):
    assert find("needle", output="files").text == "a.py\nsrc/b.py\nsrc/deep/c.txt"
    page = find("needle", output="counts", limit=1)
    assert (page.text, page.total, page.files, page.next_offset) == ("2: a.py", 4, 3, 1)


def test_a_hit_far_right_in_a_long_line_is_shown(find, tree):
    (tree / "long.js").write_text("A" * 500 + "é NEEDLE_X " + "B" * 5000 + " NEEDLE_X" * 8 + "\n")
    row = find("NEEDLE_X").text.split("\n")[1]
    assert row.startswith("1: AAA") and "é NEEDLE_X B" in row and len(row) < 450
    assert "[cut: columns 403-702 of 5583; also matches at column 5513, 5522, 5531, 5540, 5549, 3 more]" in row, row


def test_many_long_lines_end_the_page_early(find, tree):
    (tree / "wide.txt").write_text(("w" * 299 + "\n") * 900)
    found = find("w+", limit=900)
    assert found.next_offset and 150 < found.next_offset < 250 and len(found.text) < 61_000
    assert find("w+", limit=900, offset=found.next_offset).text.split("\n")[1].startswith(f"{found.next_offset + 1}: ")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_line_of_megabytes_costs_no_more_than_its_window(find, tree, encoding):
    (tree / "huge.json").write_bytes(("x" * 3_000_000 + "NEEDLE_Y" + "y" * 900 + "\nNEEDLE_Y\n").encode(encoding))
    found = find("NEEDLE_Y")
    assert found.total == 2 and len(found.text) < 600
    assert [line.partition(":")[0] for line in found.text.split("\n")] == ["huge.json", "1", "2"]
    assert found.text.count("NEEDLE_Y") == 2 and "[cut: " in found.text


@pytest.mark.parametrize(("pattern", "column"), [("(", 1), ("a(b", 2), ("x\\", 2), ("a[z-a]", 3), ("*x", 1)])
def test_a_bad_pattern_says_where(find, pattern, column):
    with pytest.raises(UsageError, match="bad pattern") as caught:
        find(pattern)
    assert str(caught.value).endswith(f"at character {column}:\n{pattern}\n{' ' * (column - 1)}^")
    assert "literal=true" in caught.value.hint


def test_a_pattern_that_only_ripgrep_refuses_is_told_in_its_words(tree):
    with pytest.raises(UsageError, match=r"bad pattern: .*(class|property)"):
        search(Query(r"\p{Nonsense}(?:x)", str(tree)), place=place_of(engine=RipgrepEngine(find_ripgrep())))


def test_lookaround_and_several_lines(find, tree):
    assert find(r"needle(?= = 1)").total == 1
    assert find(r"1\nprint").text == "a.py\n2: needle = 1\n3: print(needle)"
    plant(tree, {"dos.txt": "one\r\ntwo\r\nthree\r\n"})
    assert find(r"one\ntwo").text == "dos.txt\n1: one\n2: two"
    assert find("one\ntwo", literal=True).total == 1
    assert find("o$", glob="dos.txt").text == "dos.txt\n2: two"
    assert find(r"(?s)one.*three", multiline=True).text == "dos.txt\n1: one\n2: two\n3: three"
    assert find("^t", multiline=True, glob="dos.txt").text == "dos.txt\n2: two\n3: three"


def test_literal_text(find, tree):
    plant(tree, {"f.txt": "f(x) [a-z]* $1 C:\\dir\n"})
    for text in ("f(x)", "[a-z]*", "$1", "C:\\d", "--", "(x"):
        assert find(text, literal=True, glob="f.txt").total == (text != "--")


def test_nothing_found_says_what_was_searched_and_what_would_help(find, tree):
    assert find("absent").notes == ("3 files were searched",)
    assert "ignore_case=true" in find("NEEDLE").notes[-1] and "a.py" in find("NEEDLE").notes[-1]
    assert "literal=true" in find("print(needle)").notes[-1]
    assert "without glob" in find("import", glob="*.txt").notes[-1]
    plant(tree, {"built/only.py": "hay\n"})
    assert "ignored" in find("hay").notes[-1] and "built/only.py" in find("hay").notes[-1]


def test_files_by_glob_and_by_name(find):
    assert find("*.py", target="files").text == "a.py\nsrc/b.py"
    assert find("src/**/*.txt", target="files").text == "src/deep/c.txt"
    assert find("C.T", target="files").text == "src/deep/c.txt"
    assert find("src/b", target="files").text == "src/b.py"
    assert find("*.py", target="files", path="src").text == "src/b.py"
    assert find(".hidden/*", target="files").text == ".hidden/d.py"
    page = find("", target="files", limit=2, offset=1)
    assert (page.total, page.text) == (3, "src/b.py\nsrc/deep/c.txt")


def test_names_that_come_near(find, tree):
    plant(tree, {"src/user_controller.py": "", "src/useful.py": "", "docs/configuration.md": ""})
    assert find("user_contoller", target="files").text == "src/user_controller.py"
    found = find("usctl", target="files")
    assert found.text == "src/user_controller.py" and "resemble" in found.notes[0]
    assert find("confguration.md", target="files").text == "docs/configuration.md"
    assert find("qqqqq", target="files").total == 0


def test_nothing_found_among_names(find):
    assert "built/out.py" in find("out.py", target="files").notes[-1]
    assert "**/" in find("deep/*.txt", target="files").notes[-1]


def test_hidden_places_are_searched_when_they_are_named_and_keys_only_by_path(find):
    assert find("needle", path=".hidden").total == 1
    assert paths(find("needle", glob=".hidden/*")) == [".hidden/d.py"]
    assert find("needle", glob="*.PEM").total == find("needle", glob=".env").total == 0
    assert find("needle", path=".env").text == ".env\n1: KEY=needle"
    assert find("needle", path="server.PEM").total == 1


def test_an_ignored_directory_is_searched_when_it_is_named(find, tree):
    plant(tree, {".gitignore": "built/**\n*.log\n", "built/deep/x.log": "needle\n"})
    assert find("needle", path="built").total == 2
    assert find("needle", path="src").total == 2


def test_ignore_files_in_a_repository_and_below(find, tree):
    plant(
        tree,
        {
            ".gitignore": "*.log\n/top.txt\nlogs/*\n!logs/keep.txt\n# a comment\n\\#odd\n",
            "top.txt": "q1\n",
            "src/top.txt": "q1\n",
            "x.log": "q1\n",
            "logs/keep.txt": "q1\n",
            "logs/other.txt": "q1\n",
            "#odd": "q1\n",
            "src/.gitignore": "!x.log\n",
            "src/x.log": "q1\n",
            "src/.ignore": "sub/\n",
            "src/sub/y.txt": "q1\n",
            ".git/HEAD": "q1\n",
            ".git/info/exclude": "excluded.txt\n",
            "excluded.txt": "q1\n",
        },
    )
    assert paths(find("q1")) == ["src/top.txt", "logs/keep.txt", "src/x.log"]
    assert paths(find("q1", path="logs")) == ["logs/keep.txt", "logs/other.txt"]  # all of it is ignored, and named
    assert find("q1", path="src").text == "src/top.txt\n1: q1\nsrc/x.log\n1: q1"


def test_other_encodings_and_binary_files(find, tree):
    plant(
        tree,
        {
            "latin.txt": b"caf\xe9 zebra\n",
            "wide.txt": "\ufeffzebra é\r\n".encode("utf-16-le"),
            "big.txt": "\ufeffzebra é\n".encode("utf-16-be"),
            "marked.txt": b"\xef\xbb\xbfzebra\n",
            "binary.dat": b"zebra\n\0zebra\n",
        },
    )
    assert find("^zebra", output="files").text == "wide.txt\nbig.txt\nmarked.txt"
    assert find("zebra").text.startswith("latin.txt\n1: café zebra\nwide.txt\n1: zebra é\nbig.txt\n1: zebra é\nmarked")
    found = find("zebra", path="binary.dat")
    assert found.total == 0 and "binary" in found.notes[0]


def test_odd_names(find, tree):
    plant(tree, {"new\nline.txt": "zebra\n", "blank name.txt": "zebra\n", "-dash.txt": "zebra\n"})
    (tree / os.fsdecode(b"raw\xff.txt")).write_text("zebra\n")
    os.utime(tree / os.fsdecode(b"raw\xff.txt"), (1, 1))
    names = "new\\nline.txt\nblank name.txt\n-dash.txt\nraw\\xff.txt"
    assert find("zebra", output="files").text == names
    assert set(find("*.txt", target="files").text.split("\n")) == {*names.split("\n"), "src/deep/c.txt"}
    assert find("zebra", path="-dash.txt").total == 1


def test_links(find, tree):
    (tree / "round").symlink_to(tree)
    (tree / "broken").symlink_to(tree / "nowhere")
    (tree / "loop").symlink_to(tree / "loop")
    (tree / "way").symlink_to(tree / "src")
    assert find("needle").total == 4
    assert find("needle", path="way").text.startswith("way/b.py")
    for path in ("broken", "loop"):
        with pytest.raises(UsageError, match="leads nowhere"):
            find("x", path=path)


def test_case_and_a_pattern_like_an_option(find):
    assert find("NEEDLE", ignore_case=True).total == 4
    assert find("--files").total == 0


def test_places_that_cannot_be_searched(find, tree):
    os.mkfifo(tree / "pipe")
    for more, said in [
        ({"path": "nowhere"}, "no nowhere"),
        ({"path": "pipe"}, "no file with"),
        ({"path": "a\0"}, "NUL"),
    ]:
        with pytest.raises(UsageError, match=said):
            find("x", **more)
    with pytest.raises(UsageError, match="empty"):
        find("")
    with pytest.raises(UsageError, match="is a file"):
        find("x", target="files", path="a.py")
    with pytest.raises(UsageError, match="too deep"):
        find("x", offset=50_000, context=20)


@pytest.mark.skipif(os.getuid() == 0, reason="nothing is forbidden to root")
def test_a_directory_without_permission(find, tree):
    (tree / "src").chmod(0)
    with pytest.raises(UsageError, match="permission"):
        find("needle", path="src")
    assert find("needle").total == 2
    (tree / "src").chmod(0o755)


def test_counting_stops_somewhere(find, tree):
    (tree / "many.txt").write_text("zz\n" * (MAX_COUNTED + 10_000))
    found = find("zz", limit=1)
    assert not found.complete and found.total >= MAX_COUNTED and "narrow" in found.notes[0]
    assert found.text == "many.txt\n1: zz"


@pytest.mark.integration
def test_time_limit_and_cancelling_keep_what_was_found(tmp_path, engine):
    plant(tmp_path, {f"d{n % 100}/f{n}.txt": "needle\n" + "hay\n" * 1000 for n in range(2000)})
    whole = search(Query("needle", str(tmp_path)), place=place_of(engine=engine))
    assert whole.complete and whole.total == 2000
    cut = search(Query("needle", str(tmp_path), seconds=0.02), place=place_of(engine=engine))
    assert not cut.complete and cut.total < 2000 and "stopped after" in cut.notes[-1]
    token = CancelToken()
    threading.Timer(0.02, token.cancel).start()
    begin = time.monotonic()
    stopped = search(Query("needle", str(tmp_path)), token, place=place_of(engine=engine))
    assert time.monotonic() - begin < 3 and stopped.total < 2000 and "cancelled" in stopped.notes[0]
    assert len(stopped.text.split("\n")) == 2 * min(stopped.total, 50) or stopped.total == 0
