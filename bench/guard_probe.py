"""Judging many commands, by us or by Hermes Agent: `python guard_probe.py hermes` in that one's environment.

Reads one JSON object of lists of commands and prints, for each command, its action and the microseconds it took.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from collections.abc import Callable

Judge = Callable[[str], str]


def ours() -> Judge:
    """`judge_command`, with nothing known but the text."""
    judge = importlib.import_module("handiwork.guard").judge_command
    return lambda command: str(judge(command).action)


def hermes() -> Judge:
    """Its two detections: what the first finds is refused, what the second finds is asked about."""
    approval = importlib.import_module("tools.approval")

    def judge(command: str) -> str:
        if approval.detect_hardline_command(command)[0]:
            return "forbid"
        return "ask" if approval.detect_dangerous_command(command)[0] else "allow"

    return judge


def judge_all(judge: Judge, commands: list[str]) -> list[tuple[str, float]]:
    """Each command's action and microseconds; the first judgement, which loads things, isn't timed."""
    judge("ls")
    answers = []
    for command in commands:
        started = time.perf_counter()
        action = judge(command)
        answers.append((action, (time.perf_counter() - started) * 1e6))
    return answers


if __name__ == "__main__":
    JUDGES = {"ours": ours, "hermes": hermes}
    judge = JUDGES[sys.argv[1]]()
    asked = json.load(sys.stdin)
    print(json.dumps({name: judge_all(judge, commands) for name, commands in asked.items()}))
