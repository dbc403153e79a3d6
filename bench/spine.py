"""The figures of the spine, ours beside the anchor's: `python bench/spine.py [--peers] [--json FILE]`.

A bar that is missed is printed as missed and doesn't change the exit code, unless `--strict` is given.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
from pathlib import Path

import peers_table
import plan
import rows
import table
from harness import Book, fresh_home, take_rounds


def main() -> int:
    """Measure, print the table, and answer with an exit code."""
    options = _options()
    sides = plan.sides()
    book = Book()
    with fresh_home() as home:
        plan.furnish(home)
        _measure(book, plan.Plan(sides, home), options)
    lines = [table.judge(row, book) for row in rows.ALL]
    report = {"versions": plan.versions(sides), "machine": _machine(), "lines": table.as_data(lines)}
    _show(report["versions"], lines, book)
    if options.peers:
        report["peers"] = peers_table.measure_and_show(options.runs)
    if options.json:
        Path(options.json).write_text(json.dumps(report | {"failures": book.failures}, indent=1) + "\n")
    missed = [line for line in lines if line.verdict in {"MISSED", "no figure"}]
    return 1 if options.strict and missed else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("--runs", type=int, default=9, help="fresh processes a start-up figure (default 9)")
    parser.add_argument("--peers", action="store_true", help="measure peers as well, each in its environment")
    parser.add_argument("--json", metavar="FILE", help="write all figures there")
    parser.add_argument("--strict", action="store_true", help="exit with 1 when a bar is missed")
    return parser.parse_args()


def _measure(book: Book, planned: plan.Plan, options: argparse.Namespace) -> None:
    # One round nobody counts: byte code is written, and homes get what a first start puts there.
    take_rounds(Book(), planned.starts(), 1)
    take_rounds(book, planned.starts(), options.runs)
    take_rounds(book, planned.firsts(), options.runs)
    take_rounds(book, planned.loops(), min(options.runs, 3))


def _machine() -> str:
    return f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"


def _show(versions: object, lines: list[table.Line], book: Book) -> None:
    print(f"{versions} on {_machine()}\n")
    print(table.render(lines))
    for name, reason in book.failures.items():
        print(f"\n{name} failed: {reason}", file=sys.stderr)
    judged = [line for line in lines if line.verdict]
    met = sum(line.verdict == "met" for line in judged)
    print(f"\n{met} of {len(judged)} bars met")


if __name__ == "__main__":
    sys.exit(main())
