"""The table of programs: every entry's examples are its tests."""

from __future__ import annotations

from collections import Counter

import pytest

from handiwork.guard import judge_command
from handiwork.guard.programs.entry import Program
from handiwork.guard.programs.matching import compiled
from handiwork.guard.programs.table import PROGRAMS, program_named

HOME = "/home/alice"


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.called.split()[0])
def test_the_examples_of_an_entry_hold(program: Program) -> None:
    for action, examples in (("allow", program.allow), ("ask", program.ask), ("forbid", program.forbid)):
        for command in examples:
            found = judge_command(command, home=HOME)
            assert (command, found.action, found.reasons if action == "allow" else []) == (command, action, [])


def test_a_program_has_one_entry() -> None:
    counted = Counter(name for program in PROGRAMS for name in program.called.split())
    assert [name for name, count in counted.items() if count > 1] == []


def test_every_rule_can_be_read() -> None:
    for program in PROGRAMS:
        for rule in program.rules:
            assert compiled(rule.when) is not None


def test_a_program_is_found_by_version_and_family() -> None:
    assert program_named("python3.11") is program_named("python")
    assert program_named("gcc-12") is program_named("gcc")
    assert program_named("mkfs.ext4") is program_named("mkfs")
    assert program_named("no-such-program") is None


def test_only_what_can_be_turned_round_is() -> None:
    with pytest.raises(ValueError, match="turned round"):
        compiled("!list")
