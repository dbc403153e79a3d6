"""Gates: data, checks, time-to-live, flakes, hangs."""

from __future__ import annotations

import threading
import time

import pytest

from handiwork import ToolRegistry
from handiwork.catalog.gate import Gate
from handiwork.core.types import Requires
from handiwork.testing import FakeClock


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
def registry(clock):
    return ToolRegistry(gate=Gate(clock))


class Check:
    """Answers from a list, the last one for ever; counts how often it was asked."""

    def __init__(self, *answers):
        self.answers, self.asked = list(answers), 0

    def __call__(self):
        answer = self.answers[min(self.asked, len(self.answers) - 1)]
        self.asked += 1
        if isinstance(answer, Exception):
            raise answer
        return answer


def reason(registry, name):
    closed = registry.gate.closed(registry.get(name))
    return closed.reason if closed else None


def test_an_answer_is_remembered_for_thirty_seconds(registry, add, clock):
    check = Check(False, True)
    add("t", check_fn=check)
    assert reason(registry, "t") and reason(registry, "t") and check.asked == 1
    clock.advance(29.9)
    assert reason(registry, "t") and check.asked == 1
    clock.advance(0.2)
    assert reason(registry, "t") is None and check.asked == 2


def test_two_tools_with_one_check_ask_once(registry, add):
    check = Check(True)
    add("a", check_fn=check)
    add("b", check_fn=check)
    registry.gate.survey(registry.entries())
    assert check.asked == 1


def test_a_failure_soon_after_a_success_is_asked_again_at_once(registry, add, clock):
    check = Check(True, False, True)
    add("t", check_fn=check)
    assert reason(registry, "t") is None
    clock.advance(31)
    assert reason(registry, "t") is None and check.asked == 3


def test_the_second_no_counts(registry, add, clock):
    check = Check(True, False, False)
    add("t", check_fn=check)
    reason(registry, "t")
    clock.advance(31)
    assert reason(registry, "t") and check.asked == 3


def test_long_after_a_success_one_no_is_enough(registry, add, clock):
    check = Check(True, False, True)
    add("t", check_fn=check)
    reason(registry, "t")
    clock.advance(61)
    assert reason(registry, "t") and check.asked == 2


def test_what_a_check_said_is_kept(registry, add):
    add("t", check_fn=Check(ConnectionError("no route to home")))
    assert "ConnectionError: no route to home" in reason(registry, "t")


def test_a_check_that_leaves_the_program_is_a_no(registry, add):
    def leave():
        raise SystemExit

    add("t", check_fn=leave)
    assert "end the program" in reason(registry, "t")


@pytest.mark.integration
def test_checks_run_at_the_same_time_and_a_hanging_one_holds_up_nobody(registry, add, monkeypatch):
    monkeypatch.setattr("handiwork.catalog.gate.HANG_LIMIT_S", 0.7)
    release = threading.Event()
    add("hangs", check_fn=lambda: release.wait(20))
    for i in range(10):
        add(f"slow{i}", check_fn=lambda i=i: time.sleep(0.1) or True)
    start = time.perf_counter()
    closed, _ = registry.gate.survey(registry.entries())
    assert time.perf_counter() - start < 4
    assert set(closed) == {"hangs"} and "within 0.7 s" in closed["hangs"].reason
    release.set()


def test_a_hanging_check_is_not_started_twice(registry, add, clock, monkeypatch):
    monkeypatch.setattr("handiwork.catalog.gate.HANG_LIMIT_S", 0.2)
    release, asked = threading.Event(), []
    add("hangs", check_fn=lambda: asked.append(1) or release.wait(20))
    assert reason(registry, "hangs")
    clock.advance(31)
    assert reason(registry, "hangs") and len(asked) == 1
    release.set()


def test_environment_gates_where_there_is_no_check(registry, add, monkeypatch):
    monkeypatch.delenv("HW_A", raising=False)
    add("t", requires_env=["HW_A"])
    assert reason(registry, "t") == "needs HW_A in the environment"
    monkeypatch.setenv("HW_A", "")
    assert reason(registry, "t")
    monkeypatch.setenv("HW_A", "x")
    assert reason(registry, "t") is None


def test_a_nested_tuple_means_any_of(registry, add, monkeypatch):
    add("t", requires_env=[("HW_A", "HW_B")])
    assert "one of HW_A, HW_B" in reason(registry, "t")
    monkeypatch.setenv("HW_B", "x")
    assert reason(registry, "t") is None


def test_with_a_check_the_environment_is_only_the_reason(registry, add):
    add("open", requires_env=["HW_A"], check_fn=lambda: True)
    add("closed", requires_env=["HW_A"], check_fn=lambda: False)
    assert reason(registry, "open") is None
    assert "HW_A" in reason(registry, "closed")


@pytest.mark.parametrize(
    ("requires", "words", "fix"),
    [
        (Requires(bins=("no-such-program-here",)), "program no-such-program-here", "install no-such-program-here"),
        (Requires(packages=("no_such_package",), extra="browser"), "package no_such_package", "handiwork[browser]"),
        (Requires(packages=("no_such_package",)), "package no_such_package", "pip install no_such_package"),
        (Requires(platforms=("win",)), "works on win only", ""),
    ],
)
def test_requirements_as_data_name_what_is_missing_and_the_mend(registry, add, requires, words, fix):
    add("t", requires=requires)
    closed = registry.gate.closed(registry.get("t"))
    assert words in closed.reason and fix in closed.fix


def test_requirements_that_are_met_open(registry, add):
    add("t", requires=Requires(bins=("sh",), packages=("json",), platforms=("linux", "darwin")))
    assert reason(registry, "t") is None
