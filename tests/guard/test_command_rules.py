"""Every rule matches and spares what it says it does."""

from __future__ import annotations

import pytest

from handiwork.guard import judge_command
from handiwork.guard.command_rules import RULES, Rule

HOME = "/home/alice"


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.name)
def test_examples(rule: Rule) -> None:
    assert rule.match
    assert rule.spare
    for command in rule.match:
        found = judge_command(command, home=HOME)
        assert found.action == "forbid", command
        assert any(f"({rule.name})" in reason for reason in found.reasons), (command, found.reasons)
    for command in rule.spare:
        assert judge_command(command, home=HOME).action != "forbid", command


def test_rule_names_are_unique() -> None:
    assert len({r.name for r in RULES}) == len(RULES)
