"""What a sandbox adds to a command: whole calls of each environment, taking turns.

    python bench/sandbox.py [ROUNDS]

The workspace is a temporary folder; the home is yours, so the number of its tools on PATH counts. `ssh` isn't
measured: its way there is.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Mapping

from handiwork.backends.environment import table
from handiwork.backends.environment.local import LocalEnvironment
from handiwork.backends.environment.sandboxed import SandboxEnvironment
from handiwork.backends.environment.shell import ShellEnvironment
from handiwork.backends.environment.territory import Person
from handiwork.core.types import Command, SandboxPolicy

# Milliseconds over a plain command that a sandbox may cost.
BARS = {"bubblewrap": 25.0, "landlock": 2.0}
LISTED = SandboxPolicy(network=("pypi.org",))


def places() -> dict[str, ShellEnvironment]:
    """Every place that works here, each sandbox also with a list of hosts."""
    found: dict[str, ShellEnvironment] = {"local": LocalEnvironment()}
    for name, launcher in table.LAUNCHERS.items():
        if problem := table.why_not(name):
            print(f"{name}: not measured: {problem}")
            continue
        found[name] = SandboxEnvironment(launcher(SandboxPolicy(), Person()))
        found[f"{name}, listed hosts"] = SandboxEnvironment(launcher(LISTED, Person()))
    return found


def wall_ms(place: ShellEnvironment, folder: str) -> float:
    """One command that does nothing, from the call to its answer."""
    started = time.perf_counter()
    assert place.run(Command(":", cwd=folder, workspace=folder)).exit_code == 0
    return (time.perf_counter() - started) * 1000


def measure(opened: Mapping[str, ShellEnvironment], rounds: int) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {name: [] for name in opened}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(rounds + 3):
            for name, place in opened.items():
                took = wall_ms(place, folder)
                if number >= 3:  # what is made once isn't a command's cost
                    times[name].append(took)
    return times


def _quiet(taken: list[float]) -> float:
    """The fastest tenth: what it costs where nothing else runs."""
    return statistics.quantiles(taken, n=10)[0]


def main() -> None:
    """Print medians and what each place is over the plain one, also in its fastest tenth."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    opened = places()
    times = measure(opened, rounds)
    plain, quiet_plain = statistics.median(times["local"]), _quiet(times["local"])
    for name, taken in times.items():
        over, quiet = statistics.median(taken) - plain, _quiet(taken) - quiet_plain
        bar = f"  (bar {BARS[name]:g})" if name in BARS else ""
        print(f"{name:26} median {statistics.median(taken):6.2f} ms  over plain {over:+6.2f}, quiet {quiet:+6.2f}{bar}")
    for place in opened.values():
        place.close()


if __name__ == "__main__":
    main()
