"""Searching 100,000 files, beside bare ripgrep and the anchor: `python bench/search_files.py [--files N]`.

The tree is made once in the folder for temporary files and left there. Wall and CPU (children included) are
medians; the CPU of ripgrep counts on both sides. The anchor is measured where its environment is built already.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import environments

from handiwork.backends.files.searching.plain_search import PlainEngine
from handiwork.backends.files.searching.query import Query
from handiwork.backends.files.searching.ripgrep import find_ripgrep
from handiwork.backends.files.searching.search import place_of, search

FILES, FOLDERS = 100_000, 2_000
BODY = "def f(x):\n    return x + 1\n" * 8
NEEDLES = {"needle_one": 100_000, "needle_hundred": 1_000, "needle_thousand": 100}
BAR = 1.5
ANCHOR_PROBE = """
import json, sys, time, resource, statistics
from tools.file_tools import search_tool
asked = json.loads(sys.argv[1])
def cpu():
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(r.ru_utime + r.ru_stime for r in both)
rows = []
for n in range(asked["runs"] + 1):
    wall, used = time.perf_counter(), cpu()
    # A task of its own each time: the anchor refuses to search for the same again.
    text = search_tool(asked["pattern"], asked["target"], asked["path"], limit=asked["limit"], task_id=f"t{n}")
    rows.append((time.perf_counter() - wall, cpu() - used))
print(json.dumps({"wall": statistics.median(r[0] for r in rows[1:]), "cpu": statistics.median(r[1] for r in rows[1:]),
                  "answer": text[:200]}))
"""


@dataclass(frozen=True, slots=True)
class Case:
    """One search: what is asked, and what bare ripgrep is asked for the same."""

    name: str
    query: Query
    raw: tuple[str, ...]
    hits: int


@dataclass(frozen=True, slots=True)
class Took:
    """Seconds of one search."""

    wall: float
    cpu: float


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("--files", type=int, default=FILES)
    parser.add_argument("--runs", type=int, default=7, help="runs of each, the median counts (default 7)")
    parser.add_argument("--plain", action="store_true", help="measure the search without ripgrep, too")
    parser.add_argument("--json", metavar="FILE", help="write all figures there")
    options = parser.parse_args()
    tree = planted(Path(tempfile.gettempdir()) / f"handiwork-search-tree-{options.files}", options.files)
    report = [measured(case, tree, options) for case in cases(tree, options.files)]
    if options.json:
        Path(options.json).write_text(json.dumps(report, indent=1) + "\n")
    return 0


def planted(tree: Path, files: int) -> Path:
    """The tree, made where it isn't there yet."""
    if (tree / "ready").exists():
        return tree
    print(f"making {files:,} files in {tree} ...", file=sys.stderr)
    for number in range(files):
        folder = tree / f"pkg{number % FOLDERS // 20:03}" / f"mod{number % 20:02}"
        folder.mkdir(parents=True, exist_ok=True)
        found = [f"{needle} = 1\n" for needle, every in NEEDLES.items() if number % every == 0]
        (folder / f"file{number:06}.py").write_text(BODY + "".join(found))
    (tree / "ready").touch()
    return tree


def cases(tree: Path, files: int) -> list[Case]:
    contents = [
        Case(f"content, {files // every} hits", Query(needle, str(tree), limit=1000), ("-n", needle), files // every)
        for needle, every in NEEDLES.items()
    ]
    glob = "*00.py"
    names = Query(glob, str(tree), target="files", limit=1000)
    return [*contents, Case(f"names, {files // 100} files", names, ("--files", "-g", glob), files // 100)]


def measured(case: Case, tree: Path, options: argparse.Namespace) -> dict[str, object]:
    """Take turns, so that a busy minute hits both."""
    raw = [find_ripgrep() or "rg", "--no-config", *case.raw, "."]

    def ours() -> None:
        found = search(case.query)
        if found.total != case.hits:
            raise SystemExit(f"{case.name}: {found.total} hits")

    def theirs() -> None:
        subprocess.run(raw, cwd=tree, stdout=subprocess.PIPE, check=True)

    pairs = [(took(ours), took(theirs)) for _ in range(options.runs + 1)][1:]
    mine, bare = median([a for a, _ in pairs]), median([b for _, b in pairs])
    verdict = "met" if mine.wall / bare.wall <= BAR else "MISSED"
    print(f"{case.name:22} ours {shown(mine)}   rg {shown(bare)}   ratio {mine.wall / bare.wall:.2f} wall, "
          f"{mine.cpu / bare.cpu:.2f} CPU (bar {BAR} wall: {verdict})")  # fmt: skip
    other = anchor(case, options.runs)
    if other:
        print(f"{'':22} {environments.ANCHOR.requirements[0]} {shown(other)}")
    if options.plain:
        plain = took(lambda: search(case.query, place=place_of(engine=PlainEngine())))
        print(f"{'':22} without ripgrep {shown(plain)} (one run)")
    return {"case": case.name, "ours": vars_of(mine), "rg": vars_of(bare), "anchor": vars_of(other)}


def took(work: Callable[[], None]) -> Took:
    wall, cpu = time.perf_counter(), _cpu()
    work()
    return Took(time.perf_counter() - wall, _cpu() - cpu)


def _cpu() -> float:
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(r.ru_utime + r.ru_stime for r in both)


def median(runs: list[Took]) -> Took:
    return Took(statistics.median(r.wall for r in runs), statistics.median(r.cpu for r in runs))


def anchor(case: Case, runs: int) -> Took | None:
    """The anchor's own search of the same, None where its environment isn't built."""
    python = environments.built_python_of(environments.ANCHOR)
    if python is None:
        return None
    query = case.query
    asked = {"pattern": query.pattern, "target": query.target, "path": query.cwd, "limit": query.limit, "runs": runs}
    path = os.pathsep.join((str(Path(find_ripgrep() or "rg").parent), os.environ["PATH"]))
    done = subprocess.run(
        [str(python), "-c", ANCHOR_PROBE, json.dumps(asked)],
        capture_output=True, text=True, check=False, env={**os.environ, "PATH": path},
    )  # fmt: skip
    if done.returncode:
        print(f"the anchor failed: {done.stderr[-300:]}", file=sys.stderr)
        return None
    figures = json.loads(done.stdout.splitlines()[-1])
    return Took(figures["wall"], figures["cpu"])


def shown(took: Took) -> str:
    return f"{took.wall * 1e3:6.0f} ms ({took.cpu * 1e3:5.0f} CPU)"


def vars_of(took: Took | None) -> dict[str, float] | None:
    return None if took is None else {"wall_s": took.wall, "cpu_s": took.cpu}


if __name__ == "__main__":
    sys.exit(main())
