"""How the guard judges corpora of commands: `python bench/guard.py FOLDER [--peers] [--json FILE]`.

FOLDER holds `dangerous.jsonl` (`cmd`, `cls`, `severity`: block or approval, `obfuscation`, `obf_family`),
`benign.jsonl` (`cmd`, `lookalike`) and `gray.jsonl` (`cmd`, `why`), any of which may be missing: what `handiwork guard
report` keeps in the home's `cases/` can be judged, too. Nothing is run. With `--peers` Hermes Agent's own
detection (`detect_hardline_command`, `detect_dangerous_command`) judges the same commands in its environment.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import environments
from guard_probe import judge_all, ours

HERE = Path(__file__).resolve().parent
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Figures:
    """One judge's figures; shares are in percent, times in microseconds a command."""

    judge: str
    recall_plain: float
    recall_disguised: float
    must_refuse_refused: float
    should_ask_refused: float
    false_alarms: float
    false_alarms_lookalike: float
    benign_refused: int
    gray_asked: float
    gray_refused: float
    p50_us: float
    p95_us: float


def share(rows: Sequence[Row], actions: Iterable[str]) -> float:
    """The percentage of rows that were judged with one of *actions*."""
    wanted = set(actions)
    return round(100 * sum(r["action"] in wanted for r in rows) / len(rows), 1) if rows else 0.0


def figures(judge: str, judged: dict[str, list[Row]]) -> Figures:
    """All figures over the judged corpora."""
    bad, good, gray = judged["dangerous"], judged["benign"], judged["gray"]
    caught = ("ask", "forbid")
    block = [r for r in bad if r["severity"] == "block"]
    times = sorted(r["us"] for rows in judged.values() for r in rows) or [0.0]
    return Figures(
        judge,
        share([r for r in bad if not r["obfuscation"]], caught),
        share([r for r in bad if r["obfuscation"]], caught),
        share(block, ["forbid"]),
        share([r for r in bad if r["severity"] != "block"], ["forbid"]),
        share(good, caught),
        share([r for r in good if r["lookalike"]], caught),
        sum(r["action"] == "forbid" for r in good),
        share(gray, caught),
        share(gray, ["forbid"]),
        round(statistics.median(times), 1),
        round(times[int(0.95 * len(times))], 1),
    )


def by_kind(rows: Sequence[Row]) -> list[tuple[str, int, float, float]]:
    """For each class and each family of disguises: how many, caught, and refused of those to be refused."""
    found = []
    for name, members in _grouped(rows, _kind_of):
        block = [r for r in members if r["severity"] == "block"]
        found.append((name, len(members), share(members, ("ask", "forbid")), share(block, ["forbid"])))
    return found


def _kind_of(row: Row) -> str:
    return f"disguise: {row['obf_family']}" if row["obfuscation"] else str(row["cls"])


def gray_by_why(rows: Sequence[Row]) -> list[tuple[str, int, float, float]]:
    """For each reason that makes a command debatable: how many, asked or refused, refused."""
    return [
        (f"gray: {name}", len(members), share(members, ("ask", "forbid")), share(members, ["forbid"]))
        for name, members in _grouped(rows, lambda row: str(row.get("why") or "other"))
    ]


def _grouped(rows: Sequence[Row], name_of: Callable[[Row], str]) -> list[tuple[str, list[Row]]]:
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        groups[name_of(row)].append(row)
    return sorted(groups.items())


def corpora(folder: Path) -> dict[str, list[Row]]:
    """The three corpora of a folder; one that isn't there is empty."""
    paths = {name: folder / f"{name}.jsonl" for name in ("dangerous", "benign", "gray")}
    return {
        name: [json.loads(line) for line in path.read_text("utf-8").splitlines() if line] if path.exists() else []
        for name, path in paths.items()
    }


def judged_by_us(rows: dict[str, list[Row]]) -> dict[str, list[Row]]:
    """Judged in this process."""
    return {name: _with(members, judge_all(ours(), [r["cmd"] for r in members])) for name, members in rows.items()}


def judged_by_peer(python: str, rows: dict[str, list[Row]]) -> dict[str, list[Row]]:
    """Judged by the peer's own interpreter."""
    asked = json.dumps({name: [r["cmd"] for r in members] for name, members in rows.items()})
    command = [python, str(HERE / "guard_probe.py"), "hermes"]
    done = subprocess.run(command, input=asked, capture_output=True, text=True, check=True, timeout=1200)
    answers = json.loads(done.stdout.splitlines()[-1])
    return {name: _with(members, answers[name]) for name, members in rows.items()}


def _with(rows: list[Row], answers: list[list[Any]]) -> list[Row]:
    return [{**row, "action": action, "us": us} for row, (action, us) in zip(rows, answers, strict=True)]


def main() -> int:
    """Judge, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--peers", action="store_true", help="beside Hermes Agent, in its environment")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = corpora(options.folder)
    judged = {"handiwork": judged_by_us(rows)}
    if options.peers:
        python = environments.python_of(environments.ANCHOR)
        version = environments.version_in(python, environments.ANCHOR.distribution)
        judged[f"hermes-agent {version}"] = judged_by_peer(str(python), rows)
    found = [figures(judge, answers) for judge, answers in judged.items()]
    kinds = {judge: [*by_kind(a["dangerous"]), *gray_by_why(a["gray"])] for judge, a in judged.items()}
    _show(found, kinds)
    if options.json:
        report = [{**asdict(f), "kinds": kinds[f.judge]} for f in found]
        options.json.write_text(json.dumps(report, indent=1) + "\n")
    return 0


Kinds = dict[str, list[tuple[str, int, float, float]]]


def _show(found: list[Figures], kinds: Kinds) -> None:
    columns = [asdict(f) for f in found]
    _print_table([[name, *(str(c[name]) for c in columns)] for name in columns[0]])
    print()
    _print_table(beside(kinds))


def beside(kinds: Kinds) -> list[list[str]]:
    """The kinds as lines of a table: for each judge the shares caught, and refused (of those to be refused)."""
    head = ["kind", "commands", *(f"{judge}: {what} %" for judge in kinds for what in ("caught", "refused"))]
    lines = []
    for same in zip(*kinds.values(), strict=True):
        name, count = same[0][:2]
        lines.append([name, str(count), *(str(cell) for kind in same for cell in kind[2:])])
    return [head, *lines]


def _print_table(lines: list[list[str]]) -> None:
    widths = [max(len(line[place]) for line in lines) for place in range(len(lines[0]))]
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


if __name__ == "__main__":
    sys.exit(main())
