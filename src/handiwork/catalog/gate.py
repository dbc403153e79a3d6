"""Is a tool usable now? Gates as data are looked at; a `check_fn` is asked, and its answer remembered."""

from __future__ import annotations

import importlib.util
import os
import sys
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from ..core.clock import SYSTEM_CLOCK, Clock
from ..core.handler import describe_exception
from ..core.types import EnvNames, Requires, ToolEntry

CHECK_TTL_S = 30.0
DATA_TTL_S = 1.0
HANG_LIMIT_S = 2.0
FLAKE_WINDOW_S = 60.0
_AT_ONCE = 64

Check = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Closed:
    """Why a tool isn't there, and what would open its gate.

    A source of tools says `at` which checkpoint, and which tool is meant `instead`, where it has another name here.
    """

    reason: str
    fix: str = ""
    at: str = ""
    instead: str = ""


@dataclass(frozen=True, slots=True)
class CheckAnswer:
    """What a `check_fn` last said, when (monotonic seconds), and when it last said yes."""

    passed: bool
    said: str
    at: float
    passed_at: float | None


class Gate:
    """Answers for tools, with a time-to-live: 30 s for checks, 1 s for what is looked up as data."""

    def __init__(self, clock: Clock = SYSTEM_CLOCK, *, ttl_s: float = CHECK_TTL_S) -> None:
        self._clock, self.ttl_s = clock, ttl_s
        self._answers: dict[Check, CheckAnswer] = {}
        self._hanging: dict[Check, threading.Thread] = {}

    def closed(self, entry: ToolEntry) -> Closed | None:
        """None when the tool may be shown, else why not."""
        if entry.check_fn is not None:
            self.ask((entry.check_fn,))
        return self.known(entry)

    def survey(self, entries: Iterable[ToolEntry]) -> tuple[dict[str, Closed], float]:
        """The closed gates among *entries* by tool name, and until when (monotonic) that holds."""
        gated = [e for e in entries if e.check_fn or e.requires_env or e.requires]
        self.ask({e.check_fn for e in gated if e.check_fn})
        closed = {e.name: no for e in gated if (no := self.known(e))}
        return closed, min((self._good_until(e) for e in gated), default=float("inf"))

    def known(self, entry: ToolEntry) -> Closed | None:
        """The answer by what is known already; a check that was never asked counts as passed."""
        if entry.requires and (no := missing_requirement(entry.requires)):
            return no
        if entry.check_fn is None:
            return _missing_env(entry.requires_env) if entry.requires_env else None
        answer = self._answers.get(entry.check_fn)
        if answer is None or answer.passed:
            return None
        needs = f"do what its check at {place_of(entry.check_fn)} asks for"
        return _missing_env(entry.requires_env) or Closed(f"its check {answer.said}", needs)

    def answer(self, check: Check) -> CheckAnswer | None:
        """What *check* last said, if it was asked."""
        return self._answers.get(check)

    def passes(self, check: Check) -> bool:
        """Ask one check, or remember its answer."""
        self.ask((check,))
        return self._answers[check].passed

    def age_s(self, answer: CheckAnswer) -> float:
        """Seconds since *answer* was given."""
        return self._clock.monotonic() - answer.at

    def forget(self) -> None:
        """Ask everything anew the next time."""
        self._answers.clear()

    def ask(self, checks: Iterable[Check]) -> None:
        """Ask those *checks* whose answers are missing or old, all at the same time."""
        now = self._clock.monotonic()
        due = [c for c in checks if (a := self._answers.get(c)) is None or now - a.at >= self.ttl_s]
        for start in range(0, len(due), _AT_ONCE):
            batch = due[start : start + _AT_ONCE]
            said = self._run(batch)
            again = [c for c in batch if not said[c][0] and self._passed_lately(c, now)]
            said |= self._run(again)
            for check in batch:
                self._remember(check, *said[check], now)

    def _passed_lately(self, check: Check, now: float) -> bool:
        before = self._answers.get(check)
        return bool(before and before.passed_at is not None and now - before.passed_at <= FLAKE_WINDOW_S)

    def _remember(self, check: Check, passed: bool, said: str, now: float) -> None:
        before = self._answers.get(check)
        passed_at = now if passed else before.passed_at if before else None
        self._answers[check] = CheckAnswer(passed, said, now, passed_at)

    def _run(self, checks: list[Check]) -> dict[Check, tuple[bool, str]]:
        """Run each check in a thread of its own, so that one that hangs holds up nobody."""
        said: dict[Check, tuple[bool, str]] = {}
        threads: dict[Check, threading.Thread] = {}
        for check in checks:
            hung = self._hanging.get(check)
            if hung is None or not hung.is_alive():
                thread = threading.Thread(target=_ask_into, args=(said, check), name="handiwork-check", daemon=True)
                threads[check] = thread
                thread.start()
        deadline = SYSTEM_CLOCK.monotonic() + HANG_LIMIT_S
        for check, thread in threads.items():
            thread.join(max(0.0, deadline - SYSTEM_CLOCK.monotonic()))
            if thread.is_alive():
                self._hanging[check] = thread
        hangs = (False, f"gave no answer within {HANG_LIMIT_S:g} s")
        return {check: said.get(check, hangs) for check in checks}

    def _good_until(self, entry: ToolEntry) -> float:
        answer = self._answers.get(entry.check_fn) if entry.check_fn else None
        by_check = answer.at + self.ttl_s if answer else float("inf")
        by_data = float("inf")
        if entry.requires or (entry.requires_env and not entry.check_fn):
            by_data = self._clock.monotonic() + DATA_TTL_S
        return min(by_check, by_data)


def _ask_into(said: dict[Check, tuple[bool, str]], check: Check) -> None:
    try:
        passed = bool(check())
        said[check] = (passed, "passes" if passed else "says no")
    except BaseException as error:  # noqa: BLE001 - a check that breaks is a check that says no
        said[check] = (False, f"failed: {describe_exception(error)}")


def place_of(function: Any) -> str:
    """File and line of a function, the file shortened to its last two parts."""
    inner = getattr(function, "__wrapped__", function)
    code = getattr(inner, "__code__", None)
    if code is None:
        return str(getattr(inner, "__module__", "?"))
    return f"{'/'.join(code.co_filename.split('/')[-2:])}:{code.co_firstlineno}"


def _missing_env(names: EnvNames) -> Closed | None:
    """The first variables that are not set; a nested tuple is content with any one of its names."""
    wanted = [(n,) if isinstance(n, str) else tuple(n) for n in names]
    missing = [group for group in wanted if not any(os.environ.get(n) for n in group)]
    if not missing:
        return None
    words = ["one of " + ", ".join(g) if len(g) > 1 else g[0] for g in missing]
    return Closed(f"needs {' and '.join(words)} in the environment", f"export {missing[0][0]}=...")


def missing_requirement(requires: Requires) -> Closed | None:
    """What of *requires* isn't on this machine."""
    if requires.platforms and not sys.platform.startswith(requires.platforms):
        platforms = ", ".join(requires.platforms)
        return Closed(f"works on {platforms} only, this is {sys.platform}", f"run Handiwork on {platforms}")
    extra = f"pip install 'handiwork[{requires.extra}]'" if requires.extra else ""
    for package in requires.packages:
        if not _has_package(package):
            return Closed(f"needs the Python package {package}", extra or f"pip install {package}")
    for program in requires.bins:
        if not find_program(program):
            return Closed(f"needs the program {program} on PATH", extra or f"install {program}")
    return None


def _has_package(name: str) -> bool:
    try:
        return name in sys.modules or importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def find_program(name: str) -> str | None:
    """Where *name* is on PATH. (`shutil.which` would cost start-up three compression libraries.)"""
    for folder in os.get_exec_path():
        path = os.path.join(folder, name)
        if os.access(path, os.X_OK) and not os.path.isdir(path):
            return path
    return None
