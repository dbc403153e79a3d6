"""How many of ten small tasks does a local model do right, with real tools through the command line?

    python bench/demo_count.py [--model local/qwen2.5-coder-1.5b] [--only apples,words] [--json FILE]

Each task runs in a folder of its own as `handiwork run` would run it for a person. Right means that the
file which was asked for holds what it should. HANDIWORK_HOME says where the model is.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from tasks import TASKS, Task


@dataclass(frozen=True, slots=True)
class Attempt:
    """One run: whether the file is right, how the run ended, seconds, and the calls that were made."""

    task: str
    right: bool
    exit_code: int
    seconds: float
    calls: list[str]
    wrote: str


def attempt(task: Task, model: str) -> Attempt:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / ".handiwork").mkdir()
        for name, text in task.files.items():
            (place / name).write_text(text)
        command = [sys.executable, "-m", "handiwork", "run", task.prompt, "--model", model, "--json"]
        command += ["--toolsets", "file,terminal", "--cwd", folder, "--max-steps", "12", "--max-seconds", "240"]
        started = time.monotonic()
        ran = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ)
        seconds = time.monotonic() - started
        target = place / task.target
        wrote = target.read_text(errors="replace") if target.is_file() else ""
        calls = json.loads(ran.stdout).get("calls", []) if ran.stdout.strip() else []
    told = [f"{c['name']} {json.dumps(c['arguments'])} -> {c['status']}" for c in calls]
    return Attempt(task.name, task.right(wrote), ran.returncode, round(seconds, 1), told, wrote[:80])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="local/qwen2.5-coder-1.5b")
    parser.add_argument("--only", default="")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("-v", action="store_true", help="show the calls")
    said = parser.parse_args()
    chosen = [t for t in TASKS if not said.only or t.name in said.only.split(",")]
    attempts = []
    for task in chosen:
        made = attempt(task, said.model)
        attempts.append(made)
        verdict = "right" if made.right else "WRONG"
        print(f"{task.name:<11} {verdict}  exit {made.exit_code}  {made.seconds:6.1f} s  {made.wrote!r}", flush=True)
        for call in made.calls if said.v else ():
            print(f"    {call}")
    right, slowest = sum(a.right for a in attempts), max(a.seconds for a in attempts)
    print(f"{right} of {len(attempts)} right with {said.model}; the slowest took {slowest:.0f} s")
    if said.json:
        Path(said.json).write_text(json.dumps([asdict(a) for a in attempts], indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
