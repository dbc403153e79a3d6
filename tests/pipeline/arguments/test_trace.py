"""Notes, problems and their places."""

from __future__ import annotations

from handiwork.pipeline.arguments.trace import MOST_NOTES, MOST_PROBLEMS, WRONG, Trace, place, shown


def test_places() -> None:
    assert place(None) == "arguments"
    assert place((None, "path")) == "path"
    assert place((((None, "edits"), 2), "path")) == "edits[2].path"


def test_values_are_shown_short() -> None:
    assert [shown(v) for v in ("a", 5, True, None, [1], {}, b"x")] == [
        '"a"', "5", "true", "null", "a list with 1 member", "an object with 0 members", "a Python bytes",
    ]  # fmt: skip
    assert len(shown("x" * 1000)) < 70
    assert shown(10**100_000) == "a huge number"


def test_an_attempt_counts_only_when_joined() -> None:
    trace = Trace()
    attempt = trace.fork()
    attempt.repaired((None, "a"), "changed", 2)
    assert trace.clean
    trace.join(attempt)
    assert (trace.cost, trace.notes) == (2, ["a: changed"])


def test_notes_and_problems_are_bounded() -> None:
    trace = Trace()
    for index in range(1000):
        trace.repaired((None, index), "changed")
        assert trace.wrong((None, index), "wrong") is WRONG
    assert len(trace.notes) == MOST_NOTES + 1
    assert len(trace.problems) == MOST_PROBLEMS + 1
    assert trace.full
