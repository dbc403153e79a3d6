"""Kill at every operation, and at random ones several times over.

PYTHONPATH=src:tests/integration python -m kills [--from 1] [--to N] [--sample N] [--random 200] [--seed 1]
"""

from __future__ import annotations

import argparse
import random
import tempfile
from pathlib import Path

from .answers import try_answer
from .trial import Report, count_points, try_once

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--random", type=int, default=200)
parser.add_argument("--from", dest="first", type=int, default=1)
parser.add_argument("--to", dest="last", type=int, default=0)
parser.add_argument("--sample", type=int, default=0, help="only so many of the operations")
parser.add_argument("--seed", type=int, default=1)
said = parser.parse_args()
rng = random.Random(said.seed)
report = Report()
with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    points = count_points(folder / "count")
    print(f"{points} operations", flush=True)
    wanted = range(said.first, (said.last or points) + 1)
    for n in sorted(rng.sample(wanted, said.sample)) if said.sample else wanted:
        try_once(folder / f"at-{n}", (n,), report)
    for n in range(said.random):
        kills = [rng.choice((rng.randint(1, points), -rng.randint(1, 700))) for _ in range(rng.randint(1, 4))]
        try_once(folder / f"random-{n}", kills, report)
    answering, resuming = try_answer(folder / "answer", (0, 0), report)
    kills_of_two = [(n, 0) for n in range(1, answering + 1)] + [(0, n) for n in range(1, resuming + 1)]
    for n, kills in enumerate(rng.sample(kills_of_two, said.sample // 2) if said.sample else kills_of_two):
        try_answer(folder / f"answer-{n}", kills, report)
print(
    f"{report.trials} trials, {report.deaths} deaths, statements {report.statements}, {report.strays} strays, "
    f"{len(report.faults)} faults"
)
for fault in report.faults[:40]:
    print(fault)
raise SystemExit(bool(report.faults))
