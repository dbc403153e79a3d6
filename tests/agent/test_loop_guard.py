"""The loop guard: circles stop, work goes on, polling may repeat."""

from __future__ import annotations

import pytest

from handiwork.agent.loop_guard import LoopGuard
from handiwork.core.types import Ready, Refusal, ToolCall, Traits

KINDS = {"r": Traits(read_only=True), "w": Traits(effect="write"), "p": Traits(read_only=True, polls=True)}


@pytest.fixture
def judge(add, registry):
    guard = LoopGuard()
    for kind, traits in KINDS.items():
        for n in range(4):
            add(f"{kind}{n}", traits=traits)

    def ask(*names):
        verdicts = []
        for word in names:
            name, _, value = word.partition(":")
            said = guard(Ready(ToolCall(name), registry.get(name), {"v": value}))
            verdicts.append("no" if isinstance(said, Refusal) else "ok")
        return verdicts

    ask.guard = guard
    return ask


@pytest.mark.parametrize(
    ("calls", "noes"),
    [
        ("r0 r0 r0", 0),
        ("r0 r0 r0 r0", 1),
        ("w0 w0 w0 w0", 1),
        ("r0 r0 r0 w0 r0 r0 r0", 0),
        ("r0:a r0:b r0:c r0:d r0:e", 0),
        ("p0 p0 p0 p0 p0 p0 p0", 0),
        ("r0 r1 r0 r1 r0 r1 r0", 1),
        ("r0 w0 r0 w0 r0 w0 r0 w0 r0", 0),
        ("r0 r1 r2 r0 r1 r2 r0 r1 r2 r0", 1),
        ("r0 r1 r2 r3 r0 r1 r2 r3 r0 r1 r2 r3", 0),
    ],
)
def test_circles(judge, calls, noes):
    verdicts = judge(*calls.split())
    assert verdicts.count("no") == noes and verdicts[: len(verdicts) - noes] == ["ok"] * (len(verdicts) - noes)


def test_it_says_when_refusing_does_not_help(judge):
    judge(*["r0"] * 5)
    assert not judge.guard.hopeless
    judge("r0")
    assert judge.guard.hopeless
    judge("r1")
    assert not judge.guard.hopeless
