"""Which libraries hand a tool the arguments its model meant: `python bench/arguments.py [FILE ...]`.

Each library gets the same cases in an environment of its own, by the way its own agent loop takes
(`argument_peers.py`). A case counts as *right* when the tool gets one of the accepted answers, or none where
an error is right; as *wrong* when the tool gets anything else; else as an *error*. Cases over which people
could differ don't count.
"""

from __future__ import annotations

import argparse
import datetime
import json
import platform
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import environments
import harness
import table
from environments import REPOSITORY, Library

HERE = Path(__file__).resolve().parent
CASES = REPOSITORY / "tests" / "cases" / "arguments.jsonl"
PAGE = REPOSITORY / "docs" / "arguments.md"
MARKS = ("<!-- figures: bench/arguments.py --markdown -->", "<!-- end of figures -->")
HEADINGS = ("library", "version", "right", "wrong values that reach the tool", "errors")
PLAIN = "json-loads"  # the standard library's reader, asked in our own environment


@dataclass(frozen=True, slots=True)
class Score:
    """One library's figures over the cases that count, and the cases it got wrong."""

    library: str
    version: str
    cases: int
    right: int
    wrong: int
    errors: int
    missed: dict[str, str] = field(default_factory=dict)


def same(given: Any, accepted: Any) -> bool:
    """Equal as JSON, with 5 and 5.0 as one; null and left out too, which a Python signature can't tell apart."""
    if isinstance(given, dict) and isinstance(accepted, dict):
        a, b = ({k: v for k, v in d.items() if v is not None} for d in (given, accepted))
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(given, list) and isinstance(accepted, list):
        return len(given) == len(accepted) and all(map(same, given, accepted))
    return isinstance(given, bool) == isinstance(accepted, bool) and given == accepted


def verdict(case: Mapping[str, Any], outcome: Mapping[str, Any]) -> str:
    """`right`, `wrong` or `error`."""
    if "error" in outcome:
        return "right" if "ERR" in case["accept"] else "error"
    answers = [_answer(accepted) for accepted in case["accept"] if accepted != "ERR"]
    return "right" if any(same(outcome["args"], answer) for answer in answers) else "wrong"


def _answer(accepted: Any) -> Any:
    if isinstance(accepted, dict) and accepted.keys() == {"$json_str"}:
        return json.loads(accepted["$json_str"])
    return accepted


def score(library: str, version: str, judged: Iterable[tuple[str, str, Any]]) -> Score:
    """Count the verdicts: (case, verdict, outcome)."""
    found = list(judged)
    counts = {kind: sum(v == kind for _, v, _ in found) for kind in ("right", "wrong", "error")}
    missed = {case: f"{v}: {json.dumps(outcome)[:200]}" for case, v, outcome in found if v != "right"}
    return Score(library, version, len(found), counts["right"], counts["wrong"], counts["error"], missed)


def ask(name: str, library: Library, file: Path) -> list[dict[str, Any]]:
    """What the tool got from *library* for each case in *file*."""
    argv = (str(environments.python_of(library)), str(HERE / "argument_peers.py"), name, str(file))
    with harness.fresh_home() as home:
        output, _ = harness.run_fresh(argv, home)
    outcomes: list[dict[str, Any]] = json.loads(output.strip().splitlines()[-1])
    return outcomes


def measure(name: str, library: Library, files: Sequence[Path]) -> Score:
    """One library over all files."""
    judged = []
    for file in files:
        cases = [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]
        for case, outcome in zip(cases, ask(name, library, file), strict=True):
            if not case.get("disputable"):
                judged.append((str(case["id"]), verdict(case, outcome), outcome))
    version = environments.version_in(environments.python_of(library), library.distribution)
    return score(name, platform.python_version() if name == PLAIN else version, judged)


def rows(scores: Sequence[Score]) -> list[Sequence[str]]:
    """The table's cells, the best first."""
    ranked = sorted(scores, key=lambda s: (s.wrong / max(s.cases, 1) - s.right / max(s.cases, 1), s.library))
    return [(s.library, s.version, f"{s.right} of {s.cases}", str(s.wrong), str(s.errors)) for s in ranked]


def markdown(scores: Sequence[Score]) -> str:
    """The same as a Markdown table with the day it was made."""
    lines = [HEADINGS, ("---", "---", "---:", "---:", "---:"), *rows(scores)]
    drawn = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
    return f"{drawn}\n\nMeasured on {datetime.date.today().isoformat()} with Python {platform.python_version()}."


def write_page(text: str, marks: tuple[str, str] = MARKS) -> None:
    """Put a table between its marks in the page."""
    page = PAGE.read_text("utf-8")
    before, rest = page.split(marks[0])
    after = rest.split(marks[1])[1]
    PAGE.write_text(f"{before}{marks[0]}\n{text}\n{marks[1]}{after}", "utf-8")


def main() -> None:
    """Ask all libraries and show what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, default=[CASES], help="JSON lines of cases")
    parser.add_argument("--only", action="append", metavar="LIBRARY", help="ask this library only; may be repeated")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures and missed cases as data")
    parser.add_argument("--markdown", action="store_true", help="write the table into docs/arguments.md")
    options = parser.parse_args()
    ours = environments.our_library()
    sides = {lib.distribution: lib for lib in (ours, environments.ANCHOR, *environments.ARGUMENT_PEERS)}
    wanted = {n: lib for n, lib in {**sides, PLAIN: ours}.items() if not options.only or n in options.only}
    scores = [measure(name, library, options.files) for name, library in wanted.items()]
    print(table.aligned([HEADINGS, *rows(scores)], words={0, 1}))
    if options.json:
        options.json.write_text(json.dumps([asdict(s) for s in scores], indent=1), "utf-8")
    if options.markdown:
        write_page(markdown(scores))
    sys.exit(any(s.library == "handiwork" and s.wrong + s.errors for s in scores))


if __name__ == "__main__":
    main()
