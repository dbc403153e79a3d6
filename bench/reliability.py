"""The table of promises: each row is run and told, with what it takes to run it again.

    python bench/reliability.py [--rows R4,R5] [--long] [--seed 1]

A row is a set of tests, or a harness of its own. `--long` runs the harnesses with as many trials as a
night gives; a failing row names the command that replays it.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTEST = ("-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider")
KILLS = ("-m", "kills")


@dataclass(frozen=True)
class Row:
    """A promise, and the command that tests it; `night` is that command with more trials."""

    id: str
    promise: str
    command: tuple[str, ...]
    night: tuple[str, ...] = ()
    missing: str = ""


def tests(*selected: str) -> tuple[str, ...]:
    return (*PYTEST, *selected)


SIGNALS = "tests/apps/test_cli_signals.py"
SPAWNER = "tests/backends/environment/test_spawner.py"
ROWS = (
    Row(
        "R1",
        "killed at any operation: resumable, nothing doubled or lost",
        (*KILLS, "--sample", "40", "--random", "20"),
        (*KILLS, "--random", "2000"),
    ),
    Row(
        "R2",
        "a file is the old one or the new one, never a mix",
        tests("tests/backends/files/test_swap.py", "tests/backends/test_patching.py", "-k", "kill"),
    ),
    Row(
        "R3", "what a resumed model is told of a cut call is true", (*KILLS, "--sample", "20", "--random", "40"), KILLS
    ),
    Row(
        "R4",
        "a signal ends a run and all that it started",
        tests(SIGNALS, "tests/integration/test_delegates.py", "-k", "ends_a_run or ends_delegates"),
    ),
    Row("R5", "SIGKILL leaves no process behind", tests(SIGNALS, SPAWNER, "-k", "killed or kill")),
    Row(
        "R6", "an interrupt gives the prompt back", tests("tests/apps/test_cli_terminal.py", "-k", "interrupt or lost")
    ),
    Row(
        "R7",
        "many calls: nothing grows, nothing is left",
        ("bench/soak.py", "--calls", "2000"),
        ("bench/soak.py", "--calls", "20000"),
    ),
    Row(
        "R8",
        "a model's faults end cleanly",
        tests("tests/integration/test_model_servers.py", "tests/backends/models", "-m", "not model"),
    ),
    Row("R9", "MCP servers that misbehave cost no more than they must", tests("tests/integration/mcp")),
    Row("R10", "damaged state is told, set aside and saved from", tests("tests/backends/storage", "-k", "damage")),
    Row(
        "R11",
        "eight processes on one home lose nothing",
        tests("tests/integration/test_sessions.py", "tests/backends/test_patching.py", "-k", "eight"),
    ),
    Row("R12", "calls on one file keep the model's order", tests("tests/integration/test_order.py")),
    Row("R13", "sessions don't see each other", tests("tests/integration/test_terminal_sessions.py")),
    Row("R14", "nothing gets out of a sandbox", tests("tests/backends/environment/test_escapes.py")),
    Row("R15", "check finds every damage", tests("tests/backends/storage/test_damage.py")),
)


def run(row: Row, *, long: bool, seed: int) -> bool:
    command = row.night if long and row.night else row.command
    if not command:
        print(f"{row.id:4} {'-':8} {row.promise}: {row.missing}", flush=True)
        return True
    if command[:2] == KILLS:
        command = (*command, "--seed", str(seed))
    path = os.pathsep.join(str(ROOT / part) for part in ("src", "tests/integration", "bench"))
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": str(seed)},
        capture_output=True,
        text=True,
        check=False,
    )
    held = "holds" if done.returncode == 0 else "FAILS"
    notes = f"; {row.missing}" if row.missing else ""
    print(
        f"{row.id:4} {held:8} {row.promise} ({_count(done.stdout)}, {time.monotonic() - began:.0f} s{notes})",
        flush=True,
    )
    if done.returncode:
        print(f"     again: PYTHONPATH=src:tests/integration PYTHONHASHSEED={seed} python {' '.join(command)}")
        print("     " + "\n     ".join((done.stdout + done.stderr).strip().splitlines()[-15:]), flush=True)
    return done.returncode == 0


def _count(output: str) -> str:
    """How much was tried, in the words of whatever tried it."""
    lines = [line.strip() for line in output.splitlines()] or ["?"]
    dots = sum(line.count(".") for line in lines if re.fullmatch(r"[.sxFE]+ *(\[ *\d+%\])?", line))
    trials = next((line for line in lines if " trials, " in line), "")
    return trials or (f"{dots} tests" if dots else lines[-1])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", default="", help="such as R4,R5")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    said = parser.parse_args()
    wanted = set(said.rows.split(",")) if said.rows else {row.id for row in ROWS}
    held = [run(row, long=said.long, seed=said.seed) for row in ROWS if row.id in wanted]
    return 0 if all(held) else 1


if __name__ == "__main__":
    raise SystemExit(main())
