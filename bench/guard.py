"""How the guard judges corpora of commands: `python bench/guard.py FOLDER [--peers] [--json FILE]`.

FOLDER holds `dangerous.jsonl` (`cmd`, `cls`, `severity`: block or approval, `obfuscation`, `obf_family`),
`benign.jsonl` (`cmd`, `lookalike`) and `gray.jsonl` (`cmd`). Nothing is run. With `--peers` Hermes Agent's own
detection (`detect_hardline_command`, `detect_dangerous_command`) judges the same commands in its environment.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
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
    times = sorted(r["us"] for rows in judged.values() for r in rows)
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
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        groups[f"disguise: {row['obf_family']}" if row["obfuscation"] else row["cls"]].append(row)
    found = []
    for name, members in sorted(groups.items()):
        block = [r for r in members if r["severity"] == "block"]
        found.append((name, len(members), share(members, ("ask", "forbid")), share(block, ["forbid"])))
    return found


def corpora(folder: Path) -> dict[str, list[Row]]:
    """The three corpora of a folder."""
    return {
        name: [json.loads(line) for line in (folder / f"{name}.jsonl").read_text("utf-8").splitlines() if line]
        for name in ("dangerous", "benign", "gray")
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
    mine = judged_by_us(rows)
    found = [figures("handiwork", mine)]
    if options.peers:
        python = environments.python_of(environments.ANCHOR)
        version = environments.version_in(python, environments.ANCHOR.distribution)
        found.append(figures(f"hermes-agent {version}", judged_by_peer(str(python), rows)))
    _show(found, by_kind(mine["dangerous"]))
    if options.json:
        options.json.write_text(json.dumps([asdict(f) for f in found], indent=1) + "\n")
    return 0


def _show(found: list[Figures], kinds: list[tuple[str, int, float, float]]) -> None:
    columns = [asdict(f) for f in found]
    _print_table([[name, *(str(c[name]) for c in columns)] for name in columns[0]])
    print()
    head = ["kind", "commands", "caught %", "refused of those to be refused %"]
    _print_table([head, *([str(cell) for cell in kind] for kind in kinds)])


def _print_table(lines: list[list[str]]) -> None:
    widths = [max(len(line[place]) for line in lines) for place in range(len(lines[0]))]
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


if __name__ == "__main__":
    sys.exit(main())
