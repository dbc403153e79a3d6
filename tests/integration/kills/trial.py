"""One trial: a run that is killed at given operations, resumed until it ends, and looked at after every death."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import closing, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path

from handiwork.agent.history import history_of
from handiwork.apps import house
from handiwork.apps.cli import run as running
from handiwork.apps.cli.main import main
from handiwork.backends.storage.checking import find_damage
from handiwork.backends.storage.reading import Reader

from . import failpoints
from .task import PlanModel, Step, count, prepare, steps

_SETTLE_S = 0.05  # a command that was just started may still write when its host is dead
_MOST_RESUMES = 40
_FLAGS = ("--yes", "--model", "plan", "--toolsets", "handiwork-cli,marks,tool_search")


@dataclass
class Report:
    """What trials have shown."""

    trials: int = 0
    deaths: int = 0
    points: int = 0
    statements: dict[str, int] = field(default_factory=dict)
    strays: int = 0  # temporary files of the file tools
    faults: list[str] = field(default_factory=list)


def child(work: Path, home: Path, words: Sequence[str], kill_at: int) -> int:
    """Run `handiwork WORDS` in a fork that dies at operation *kill_at*; its exit code, or minus the signal.

    A negative *kill_at* is a time, in milliseconds. With 0 nothing dies, and the number of operations is left in
    a file.
    """
    pid = os.fork()
    if pid == 0:
        _be_a_handiwork(work, home, words, max(kill_at, 0))
    if kill_at < 0:
        time.sleep(-kill_at / 1000)
        os.kill(pid, signal.SIGKILL)  # not yet waited for: the number is still its own
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def _be_a_handiwork(work: Path, home: Path, words: Sequence[str], kill_at: int) -> None:
    os.environ["HANDIWORK_HOME"] = str(home)
    os.environ[failpoints.VARIABLE] = str(kill_at)
    os.chdir(work)
    running.choose_model = lambda *_: PlanModel(steps())
    house._houses._default = None
    with open(home / "said.log", "a") as said, redirect_stdout(said), redirect_stderr(said):
        point = failpoints.install()
        code = main(list(words))
        (home / "points").write_text(str(point.reached))
    os._exit(code)


def try_once(folder: Path, kills: Sequence[int], report: Report) -> None:
    """Kill the run at the first of *kills*, its resumptions at the others, then let it end, and judge."""
    work, home = folder / "work", folder / "home"
    prepare(work, home)
    report.trials += 1
    words = ["run", "Do the task", *_FLAGS]
    for attempt in range(_MOST_RESUMES):
        kill_at = kills[attempt] if attempt < len(kills) else 0
        code = child(work, home, words, kill_at)
        if code == 0:
            break
        if code != -signal.SIGKILL:
            report.faults.append(f"{list(kills)}: exit code {code}: {(home / 'said.log').read_text()[-500:]}")
            return
        report.deaths += 1
        time.sleep(_SETTLE_S)
        words = _after_death(work, home, kills, report)
    report.points = int((home / "points").read_text())
    _judge_end(work, home, kills, report)
    shutil.rmtree(folder)


def _after_death(work: Path, home: Path, kills: Sequence[int], report: Report) -> list[str]:
    """What is to be run next: the session again, or, where none was begun, the task anew."""
    path = home / "sessions.db"
    if not path.exists() or path.stat().st_size == 0:
        return ["run", "Do the task", *_FLAGS]
    if damage := find_damage(str(path)):
        report.faults.append(f"{list(kills)}: damage {damage}")
    with closing(Reader(str(path))) as reader:
        sessions = reader.sessions()
        last = max((info.entries for info in sessions), default=0)
    if not sessions:
        return ["run", "Do the task", *_FLAGS]
    _note_truth(work, home, last)
    return ["run", "Go on", "--resume", sessions[0].id, "--yes", "--model", "plan"]


def _note_truth(work: Path, home: Path, after: int) -> None:
    """What is really done of every step, for the statements that are made after entry *after*."""
    truth = {step.mark: count(work, step) for turn in steps() for step in turn}
    with open(home / "truth.jsonl", "a") as file:
        file.write(json.dumps([after, truth]) + "\n")


def _judge_end(work: Path, home: Path, kills: Sequence[int], report: Report) -> None:
    place = f"{list(kills)}: "
    for turn in steps():
        for step in turn:
            if set(count(work, step)) != {1}:
                report.faults.append(f"{place}{step.mark} stands {count(work, step)} times")
    report.strays += sum(p.name.startswith(".hw-") for p in work.iterdir())
    path = str(home / "sessions.db")
    if damage := find_damage(path):
        report.faults.append(f"{place}damage {damage}")
    with closing(Reader(path)) as reader:
        for info in reader.sessions():
            entries = list(reader.entries(info.number))
            _judge_history(entries, place, report)
            _judge_statements(entries, home, place, report)


def _judge_history(entries: Sequence[object], place: str, report: Report) -> None:
    """Every call has exactly one answer, right after its reply, in order; nothing was lost."""
    waiting: list[str] = []
    for message in history_of(entries).messages:
        if message["role"] == "tool":
            if not waiting or waiting.pop(0) != message["tool_call_id"]:
                report.faults.append(f"{place}answer out of order: {message}")
        else:
            if waiting:
                report.faults.append(f"{place}unanswered: {waiting}")
            waiting = [call["id"] for call in message.get("tool_calls", ())]


def _judge_statements(entries: Sequence[object], home: Path, place: str, report: Report) -> None:
    """What was said of calls that were cut short, beside what was really done at that moment."""
    if not (home / "truth.jsonl").exists():
        return
    truths = [json.loads(line) for line in (home / "truth.jsonl").read_text().splitlines()]
    by_mark: dict[str, Step] = {step.mark: step for turn in steps() for step in turn}
    for entry in entries:
        mark = entry.call.partition(".")[0]
        if entry.kind != "mended" or mark not in by_mark:
            continue
        really = [truth for after, truth in truths if after < entry.seq][-1][mark]
        state = entry.body["state"]
        report.statements[state] = report.statements.get(state, 0) + 1
        if not _is_right(state, really, by_mark[mark]):
            report.faults.append(f"{place}{entry.call} was said to be {state}, and was {really}")


def _is_right(state: str, really: list[int], step: Step) -> bool:
    match state:
        case "done":
            return set(really) == {1}
        case "not done":
            return set(really) == {0} or len(really) > 1  # the rest of what was done in part before
        case "partly done":
            return set(really) == {0, 1}
    return not step.told


def count_points(folder: Path) -> int:
    """How many operations a run has that nobody disturbs."""
    report = Report()
    try_once(folder, (), report)
    if report.faults:
        sys.exit("\n".join(report.faults))
    return report.points
