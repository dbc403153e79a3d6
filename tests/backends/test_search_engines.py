"""Ripgrep and the plain engine give the same answers, over random trees."""

import os
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from handiwork.backends.files.searching.plain_search import PlainEngine
from handiwork.backends.files.searching.ripgrep import RipgrepEngine, find_ripgrep
from handiwork.backends.files.searching.search import Query, place_of, search
from handiwork.backends.files.shell import ShellFiles
from handiwork.core.errors import UsageError

pytestmark = pytest.mark.integration

NAMES = st.sampled_from(["a.py", "b.py", "c.txt", "data.JSON", ".dot", ".env", "x y.md", "k.pem", "new\nline", "é.txt"])
FOLDERS = st.sampled_from(["src", "build", ".git", ".hid", "deep", "src/deep", "build/src"])
WORDS = st.sampled_from(["foo", "Foo", "foobar", "bar", "f(o)", "é", "x" * 400, "", " ", "\t", "foo.bar", "12", "_"])
LINES = st.lists(WORDS, max_size=4).map(" ".join)
ENDS = st.sampled_from(["\n", "\n", "\n", "\r\n"])


@st.composite
def contents(draw):
    end = draw(ENDS)
    text = end.join(draw(st.lists(LINES, max_size=8))) + (end if draw(st.booleans()) else "")
    match draw(st.sampled_from(["plain"] * 8 + ["bom", "utf-16", "utf-16-be", "latin", "binary"])):
        case "bom":
            return b"\xef\xbb\xbf" + text.encode()
        case "utf-16":
            return text.encode("utf-16")
        case "utf-16-be":
            return ("\ufeff" + text).encode("utf-16-be")
        case "latin":
            return text.encode("latin-1")
        case "binary":
            return b"\0" + text.encode()
        case _:
            return text.encode()


RULES = st.sampled_from(
    [
        *("*.py", "!b.py", "/a.py", "build/", "build", "src/deep", "/src", "src/*", "!src/deep", "**/deep", "deep/**"),
        *("*.tx?", "[a-b].py", "[!c].*", "# remark", "", "!*.md", "x y.md", r"\#a", "a.py ", "*", "!*/", "src/**/a.py"),
    ]
)
RULE_FILES = st.lists(RULES, max_size=4).map(lambda rules: "\n".join(rules).encode())
IGNORES = st.sampled_from([".gitignore", ".gitignore", ".ignore"])
FILES = st.dictionaries(st.one_of(NAMES, st.tuples(FOLDERS, NAMES).map("/".join)), contents(), min_size=2, max_size=9)
RULED = st.dictionaries(st.one_of(IGNORES, st.tuples(FOLDERS, IGNORES).map("/".join)), RULE_FILES, max_size=3)
PATTERNS = st.sampled_from(
    [
        *(
            "foo",
            "^foo",
            "foo$",
            "^$",
            "f.o",
            r"\bfoo\b",
            "(?i)FOO",
            "foo|bar",
            "[a-f]+",
            r"\d+",
            r"\s",
            "x{300,}",
            "é",
        ),
        *(r"(?P<w>foo)bar", r"(?<w>ba)r", "[^a-z ]", "o*", ".", "foo.*bar", r"foo\.bar", "f(o)", "(?:bar )+", r"\w+$"),
        *(r"foo\n", r"bar\n\w", "(?s)foo.+bar", r"[\s]foo", "^", r"\n\n", r"a\r?\nb"),
    ]
)
GLOBS = st.sampled_from(["*.py", "!*.py", "src/**", "**/deep/*", "*.{py,txt}", ".hid/**", "!build", "[ab].py", "src/"])
WANTED = st.sampled_from(
    ["", "*.py", "a", "src/**", "A.PY", "dep", ".*", "**/deep/**", "jsn", "b.yp", "[!a]*", "src/a"]
)
QUERIES = st.fixed_dictionaries(
    {"pattern": PATTERNS},
    optional={
        "glob": st.sampled_from(
            ["*.py", "!*.py", "src/**", "**/deep/*", "*.{py,txt}", ".hid/**", "!build", "[ab].py", "src/"]
        ),
        "types": st.sampled_from(["py", "json", "md,txt"]),
        "path": st.sampled_from(["src", "build", "./src/", ".hid", "a.py", "src/deep"]),
        "literal": st.booleans(),
        "ignore_case": st.booleans(),
        "multiline": st.booleans(),
        "context": st.integers(0, 3),
        "limit": st.integers(1, 4),
        "offset": st.integers(0, 3),
        "output": st.sampled_from(["lines", "files", "counts"]),
    },
)
NAME_QUERIES = st.fixed_dictionaries(
    {
        "pattern": st.sampled_from(
            ["", "*.py", "a", "src/**", "A.PY", "dep", ".*", "**/deep/**", "jsn", "b.yp", "[!a]*", "src/a"]
        ),
        "target": st.just("files"),
    },
    optional={"types": st.just("py"), "glob": st.sampled_from(["!src", "*.py"]), "limit": st.integers(1, 3)},
)


@pytest.fixture(scope="module", autouse=True)
def no_hints():
    """Hints aren't compared, and a search that finds nothing would start four more for them."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("hints", "name_hints"):
            patch.setattr(f"handiwork.backends.files.searching.search.{name}", lambda *_: [])
        yield


def answer(engine, folder, query):
    try:
        found = search(Query(cwd=str(folder), **query), place=place_of(engine=engine))
    except UsageError as error:
        return str(error)
    return (found.text, found.total, found.files, found.complete, found.next_offset)


def plant(folder, files):
    for age, (name, data) in enumerate(files.items()):
        place = folder / name
        if any(parent.is_file() for parent in place.parents) or place.is_dir():
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
        os.utime(place, (2_000_000_000 - age // 2, 2_000_000_000 - age // 2))


ENGINES = RipgrepEngine(find_ripgrep()), PlainEngine(file_seconds=20)  # a busy machine is no endless pattern
SLOW = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@SLOW
@given(FILES, RULED, st.lists(QUERIES, min_size=2, max_size=2), st.booleans())
def test_contents(files, ignores, queries, repository):
    with tempfile.TemporaryDirectory() as root:
        folder = Path(root)
        plant(folder, files | ignores | ({".git/HEAD": b"foo\n"} if repository else {}))
        for query in queries:
            if not (takes_any_character(query["pattern"]) and any(map(is_foreign, files.values()))):
                assert answer(ENGINES[0], folder, query) == answer(ENGINES[1], folder, query), query


def takes_any_character(pattern):
    """Of a byte that is no UTF-8, ripgrep says that it is no character at all, and ours that it is one."""
    return "." in pattern.replace(r"\.", "") or "[^" in pattern


def is_foreign(data):
    return b"\xe9" in data


@SLOW
@given(FILES, RULED, st.lists(NAME_QUERIES, min_size=2, max_size=2), st.booleans())
def test_names(files, ignores, queries, repository):
    with tempfile.TemporaryDirectory() as root:
        folder = Path(root)
        plant(folder, files | ignores | ({".git/HEAD": b"foo\n"} if repository else {}))
        for query in queries:
            assert answer(ENGINES[0], folder, query) == answer(ENGINES[1], folder, query), query


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|aa)+$", "(a|a)*c", "(.*)(.*)(.*)(.*)(.*)[^a]c"])
def test_a_pattern_without_end_costs_its_file_only(tmp_path, pattern):
    (tmp_path / "bad.txt").write_text("a" * 3000 + "!\n")
    (tmp_path / "good.txt").write_text("xxbc\na\n")
    os.utime(tmp_path / "bad.txt", (1, 1))
    found = search(Query(pattern, str(tmp_path)), place=place_of(engine=PlainEngine(file_seconds=0.3)))
    assert "bad.txt was left out" in found.notes[0]
    assert found.text.startswith("good.txt\n") and found.complete


def test_a_pattern_without_end_stops_the_search_at_last(tmp_path):
    for n in range(8):
        (tmp_path / f"bad{n}.txt").write_text("a" * 40 + "!\n")
    found = search(Query("(a+)+$", str(tmp_path)), place=place_of(engine=PlainEngine(file_seconds=0.1)))
    assert not found.complete and len(found.notes) == 4


def test_a_search_without_time_left_starts_nothing_it_leaves_behind(tmp_path):
    (tmp_path / "a.txt").write_text("foo\n")
    found = search(Query("foo", str(tmp_path), seconds=0.0), place=place_of(engine=PlainEngine()))
    assert not found.complete and found.total == 0 and "stopped" in found.notes[0]


def test_words_that_only_ripgrep_knows_are_refused_by_the_plain_engine(tmp_path):
    for pattern in (r"\p{L}", "[[:alpha:]]", "[a&&b]"):
        with pytest.raises(UsageError, match="ripgrep only"):
            search(Query(pattern, str(tmp_path)), place=place_of(engine=PlainEngine()))


def test_a_place_that_only_commands_reach_is_searched_too(tmp_path):
    def run(script, stdin=b""):
        done = subprocess.run(["sh", "-c", script], input=stdin, capture_output=True, check=False)
        return done.returncode, done.stdout, done.stderr

    plant(tmp_path, {"a.py": b"foo\n", "src/b.py": b"bar\nfoo bar\n", "skip.log": b"foo\n", ".gitignore": b"*.log\n"})
    far, query = place_of(ShellFiles(run, "far")), Query("foo", str(tmp_path))
    assert search(query, place=far) == search(query) and search(query).total == 2
    assert "1:foo" in search(Query("foo", str(tmp_path), path="a.py"), place=far).text.replace(" ", "")
    with pytest.raises(UsageError, match="there is no nowhere"):
        search(Query("foo", str(tmp_path), path="nowhere"), place=far)
