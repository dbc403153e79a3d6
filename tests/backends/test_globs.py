import pytest

from handiwork.backends.files.searching.globs import Choice, glob_pattern, names_hidden, split_globs


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
        ("[z-a]", "[z-a]", True),
        ("[!x]", "/", False),
        ("a?c", "abc", True),
        ("?", "/", False),
        ("main", "src/domain.py", True),
        ("Main", "src/domain.py", True),
        ("src/main", "x/src/main.py", True),
        ("src/main", "srcmain.py", False),
    ],
)
def test_globs(glob, path, fits):
    assert bool(glob_pattern(glob).fullmatch(path)) == fits


def test_a_list_of_globs():
    assert split_globs("*.{a,b}, src/,!*.lock,, !build/") == (("*.{a,b}", "src/**"), ("*.lock", "build/"))


@pytest.mark.parametrize(
    ("glob", "hidden"), [(".env", True), ("a/.x/*", True), ("{.a,b}/*", True), ("./a", False), ("a.b", False)]
)
def test_what_names_hidden_files(glob, hidden):
    assert names_hidden(glob) == hidden


@pytest.mark.parametrize(
    ("globs", "names"),
    [
        (("src/**/*.ts",), ("*.ts",)),
        (("*.{a,b}",), ("*.{a,b}",)),
        (("{a,src/b}.py",), ()),
        (("src/**",), ()),
        (("a[", "b"), ()),
        (("x1",), ("*[xX]1*",)),
    ],
)
def test_what_the_last_name_must_fit(globs, names):
    assert Choice((globs,)).last_names() == names
