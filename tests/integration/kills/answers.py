"""A call that waits for a yes, and the deaths of those who give it and of those who go on with it."""

from __future__ import annotations

import shutil
import signal
from contextlib import closing
from pathlib import Path

from handiwork.backends.storage.reading import Reader

from . import trial
from .task import Step, count, prepare
from .trial import Report, child

_TURNS = [
    [
        Step("patch", {"path": "../o.txt", "old_string": "END", "new_string": "m\nEND"}, "m", ("../o.txt",), True),
        Step("note", {"mark": "n", "file": "note.log"}, "n", ("note.log",), False),
    ]
]
_FLAGS = ("--wait", "--model", "plan", "--toolsets", "handiwork-cli,marks")
_MOST_TRIES = 8
_WAITS, _ANSWERED = 1, 2


def try_answer(folder: Path, kills: tuple[int, int], report: Report) -> tuple[int, int]:
    """Kill the answering at the first of *kills* and the resumption at the second; how many operations each had."""
    work, home = folder / "work", folder / "home"
    prepare(work, home)
    (work / ".git").mkdir()  # so that what lies beside it is outside
    (folder / "o.txt").write_text("END\n")
    trial.steps = lambda: _TURNS
    report.trials += 1
    _expect(child(work, home, ["run", "Go", *_FLAGS], 0) == _WAITS, "it doesn't wait", kills, report)
    points = _answer(work, home, kills, report), _resume(work, home, kills, report)
    for step in _TURNS[0]:
        _expect(count(work, step) == [1], f"{step.mark} stands {count(work, step)} times", kills, report)
    shutil.rmtree(folder)
    return points


def _answer(work: Path, home: Path, kills: tuple[int, int], report: Report) -> int:
    words = ["sessions", "answer", "last", "m.0", "yes"]
    if child(work, home, words, kills[0]) == -signal.SIGKILL:
        report.deaths += 1
        _expect(child(work, home, words, 0) in (0, _ANSWERED), "it can't be answered again", kills, report)
    with closing(Reader(str(home / "sessions.db"))) as reader:
        answers = [e for e in reader.entries(1) if e.kind == "answer"]
    _expect(len(answers) == 1, f"{len(answers)} answers", kills, report)
    return _points(home)


def _resume(work: Path, home: Path, kills: tuple[int, int], report: Report) -> int:
    code = child(work, home, ["sessions", "resume", "last", *_FLAGS], kills[1])
    points = _points(home)
    for _ in range(_MOST_TRIES):
        if code == 0:
            return points
        if code == -signal.SIGKILL:
            report.deaths += 1
        else:  # what was not done is asked anew
            with closing(Reader(str(home / "sessions.db"))) as reader:
                asked = [e.call for e in reader.entries(1) if e.kind == "question"]
            child(work, home, ["sessions", "answer", "last", asked[-1], "yes"], 0)
        code = child(work, home, ["sessions", "resume", "last", *_FLAGS], 0)
    _expect(False, "it doesn't come to an end", kills, report)
    return points


def _points(home: Path) -> int:
    return int((home / "points").read_text()) if (home / "points").exists() else 0


def _expect(holds: bool, fault: str, kills: tuple[int, int], report: Report) -> None:
    if not holds:
        report.faults.append(f"answering, {kills}: {fault}")
