"""Fresh processes, measured: CPU by `wait4`, medians over rounds in which all sides take turns."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import tempfile
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

TIMEOUT_S = 120
# A measured process sees none of the caller's settings: no keys, no homes, no Python switches.
KEPT = ("PATH", "LANG", "LC_ALL", "TZ")

Figures = dict[str, float]
Measurement = Callable[[], Figures]


@dataclass(slots=True)
class Book:
    """All figures by name (`ours.import_ms`), one value a round, and what failed instead of giving one."""

    values: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    failures: dict[str, str] = field(default_factory=dict)

    def note(self, side: str, figures: Figures) -> None:
        """Write one round's figures down."""
        for key, value in figures.items():
            self.values[f"{side}.{key}"].append(value)

    def median(self, key: str) -> float | None:
        """The median over the rounds, or None where there is no figure."""
        found = self.values.get(key)
        return statistics.median(found) if found else None


@dataclass(frozen=True, slots=True)
class Task:
    """One measurement of one side. `what` names it for progress and failures."""

    side: str
    what: str
    measure: Measurement


class ProbeError(Exception):
    """A measured process failed; the message ends with its last words."""


def take_rounds(book: Book, tasks: Sequence[Task], rounds: int) -> None:
    """Measure every task once a round, side after side, so that a busy minute hits all of them alike."""
    for task in tasks * rounds:
        name = f"{task.side}.{task.what}"
        if name in book.failures:
            continue
        try:
            book.note(task.side, task.measure())
        except ProbeError as error:
            book.failures[name] = str(error)


def probe(argv: Sequence[str], home: Path) -> Figures:
    """Run a probe in a fresh process and read the figures from its last line."""
    output, _cpu_ms = run_fresh(argv, home)
    try:
        figures: Figures = json.loads(output.strip().splitlines()[-1])
    except (IndexError, ValueError) as error:
        raise ProbeError(f"no figures in the output: {output[-200:]!r}") from error
    return figures


def cpu_ms(argv: Sequence[str], home: Path, *, says: str = "", may_find: bool = False) -> float:
    """CPU milliseconds (user and system, ended children included) of one fresh process.

    Its standard output has to hold `says`, so that a command that dies early doesn't count as a quick one.
    `may_find` accepts exit code 1: a command that looks for faults and found some did its work.
    """
    output, spent = run_fresh(argv, home, accepted=(0, 1) if may_find else (0,))
    if says.lower() not in output.lower():
        raise ProbeError(f"`{says}` is not in its output: {output[:200]!r}")
    return spent


def run_fresh(argv: Sequence[str], home: Path, *, accepted: Sequence[int] = (0,)) -> tuple[str, float]:
    """Run a command to its end; return what it printed and its CPU milliseconds.

    Raises ProbeError on another exit code than the accepted, on an end by signal, or after two minutes.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=out, stderr=err, cwd=home, env=_environment(home)
        )
        spent, code = _wait(child)
        output, errors = _text(out), _text(err)
    if code not in accepted:
        raise ProbeError(f"exit {code}: {(errors or output).strip()[-300:]}")
    return output, spent


@contextmanager
def fresh_home() -> Iterator[Path]:
    """An empty home folder for one or more measured processes."""
    with tempfile.TemporaryDirectory(prefix="bench-home-") as name:
        yield Path(name)


def _environment(home: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    return {
        **kept,
        "HOME": str(home),
        "HANDIWORK_HOME": str(home / ".handiwork"),
        "HERMES_HOME": str(home / ".hermes"),
        "NO_COLOR": "1",
    }


def _wait(child: subprocess.Popen[bytes]) -> tuple[float, int]:
    timer = _kill_later(child)
    try:
        _pid, status, usage = os.wait4(child.pid, 0)
    finally:
        timer.cancel()
    # Popen is told, so that it doesn't wait for a process that is gone.
    child.returncode = os.waitstatus_to_exitcode(status)
    return (usage.ru_utime + usage.ru_stime) * 1e3, child.returncode


def _kill_later(child: subprocess.Popen[bytes]) -> threading.Timer:
    timer = threading.Timer(TIMEOUT_S, child.kill)
    timer.daemon = True
    timer.start()
    return timer


def _text(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read().decode("utf-8", "replace")
