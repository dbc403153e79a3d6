from random import Random

import pytest

from handiwork.backends.files.searching.hits import show_files, show_lines, show_path
from handiwork.backends.files.searching.matching import cut_line, group_matches
from handiwork.backends.files.searching.page import FileHits, Order, Orders, Page


def hits(path, mtime_ns, count):
    return FileHits(path, mtime_ns, count, tuple(cut_line(n, "hit", f"{path}{n}") for n in range(1, count + 1)))


@pytest.mark.parametrize("by_file", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_a_page_is_what_sorting_everything_would_give(seed, by_file):
    dice = Random(seed)
    files = [hits(f"f{n}", dice.randrange(9), dice.randrange(1, 5)) for n in range(60)]
    ordered = sorted(files, key=lambda f: (-f.mtime_ns, f.path))
    units = [(f.path, n) for f in ordered for n in range(1 if by_file else f.count)]
    offset, limit = dice.randrange(80), dice.randrange(1, 30)
    page = Page(Order(), offset=offset, limit=limit, by_file=by_file)
    for file in files:
        room = page.room(file.path, file.mtime_ns)
        page.add(FileHits(file.path, file.mtime_ns, file.count, file.rows[:room]))
    got = [(s.found.path, n) for s in page.slices() for n in range(s.first, s.end)]
    assert got == units[offset : offset + limit]
    assert (page.hits, page.files) == (sum(f.count for f in files), 60)
    assert page.paths() == [f.path for f in ordered]
    if not by_file:
        rows = [line for line in show_lines(page.slices(), "", 0).text.split("\n") if ":" in line]
        assert rows == [f"{n + 1}: {path}{n + 1}" for path, n in got]


def test_a_page_keeps_no_more_than_it_may_show():
    page = Page(Order(), offset=0, limit=10)
    for n in range(5000):
        page.add(hits(f"f{n}", n, 3))
    assert len(page._kept) == 4 and page.hits == 15_000
    assert page.room("old", 0) == 0 and page.room("new", 10_000) == 10


def test_few_orders_are_remembered_and_none_that_is_long():
    orders = Orders()
    for n in range(20):
        orders.remember(n, ["a"])
    orders.remember("long", [str(n) for n in range(30_000)])
    assert not orders.of(0).places and orders.of(19).places == {"a": 0} and not orders.of("long").places


def test_paths_stand_on_one_line():
    assert show_path("a\nb\t\x7fé \udcff.txt") == "a\\nb\\t\\x7fé \\xff.txt"
    page = Page(Order(), offset=0, limit=5, by_file=True)
    page.add(hits("a", 1, 3))
    assert show_files(page.slices(), "src/", counts=True).text == "3: src/a"


@pytest.mark.parametrize(
    ("starts", "start", "columns", "outside"),
    [([], 0, [], 0), ([500], 400, [], 0), ([990], 700, [], 0), ([10, 500, 600], 0, [501, 601], 2), ([5], 0, [], 0)],
)
def test_the_window_lies_around_the_first_match(starts, start, columns, outside):
    row = cut_line(1, "hit", "x" * 1000, starts)
    assert (row.start, row.length, list(row.columns), row.outside) == (start, 1000, columns, outside)
    assert len(row.text) == 300


def test_matches_that_share_a_line_are_one_hit():
    groups = list(group_matches("ab\ncd\nef\n", [(0, 1), (1, 2), (3, 4), (4, 7), (8, 9)]))
    assert [(g.first, g.last, len(g.spans)) for g in groups] == [(0, 0, 2), (1, 2, 3)]
    assert [g.first for g in group_matches("a\nb\n", [(0, 0), (4, 4)])] == [0]
    assert [g.first for g in group_matches("a\nb", [(3, 3)])] == [1]
