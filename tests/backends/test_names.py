import time

import pytest

from handiwork.backends.files.searching.names import AlikeRank, contains_rank, edit_distance

NAMES = [
    *("src/search.py", "src/search_index.py", "src/research.py", "tests/test_search.py", "src/SearchBar.tsx"),
    *("src/user_controller.py", "src/userControllerFactory.java", "docs/configuration.md", "README.md", "setup.cfg"),
    *("src/backends/local.py", "src/backends/remote_local.py", "src/plain_text.py", "Makefile", "src/environment.py"),
]


def best(wanted):
    ranked = [(rank, path) for path in NAMES if (rank := AlikeRank(wanted)(path)) is not None]
    return [path for _, path in sorted(ranked)]


def test_names_that_contain_it_the_closest_first():
    ranks = {path: rank for path in NAMES if (rank := contains_rank("search", path)) is not None}
    assert ranks == {
        "src/search.py": 1,
        "src/search_index.py": 2,
        "src/SearchBar.tsx": 2,
        "tests/test_search.py": 3,
        "src/research.py": 4,
    }
    assert contains_rank("Search.PY", "src/search.py") == 0
    assert contains_rank("backends/local", "src/backends/local.py") == 1


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("serach.py", "src/search.py"),
        ("usctrl", "src/user_controller.py"),
        ("ucf", "src/userControllerFactory.java"),
        ("UserCtrlFactory", "src/userControllerFactory.java"),
        ("confguration.md", "docs/configuration.md"),
        ("REDAME.md", "README.md"),
        ("plaintext.py", "src/plain_text.py"),
        ("makefiel", "Makefile"),
        ("enviroment.py", "src/environment.py"),
        ("backends/locla.py", "src/backends/local.py"),
        ("plain-text.py", "src/plain_text.py"),
    ],
)
def test_misspelt_and_abbreviated_names(wanted, found):
    assert best(wanted)[0] == found


@pytest.mark.parametrize("wanted", ["qqq", "zebra.py", "x", "configuration_of_something_else"])
def test_what_resembles_nothing(wanted):
    assert best(wanted) == []


@pytest.mark.parametrize(
    ("one", "other", "steps"), [("abc", "acb", 1), ("", "ab", 2), ("abc", "abc", 0), ("kitten", "sitting", 3)]
)
def test_steps_between_two_names(one, other, steps):
    assert edit_distance(one, other) == edit_distance(other, one) == steps


def test_many_names_are_ranked_quickly():
    rank = AlikeRank("user_contoller")
    begin = time.process_time()
    for n in range(20_000):
        rank(f"pkg/user_controlling_module_{n}.py")
    assert time.process_time() - begin < 2
