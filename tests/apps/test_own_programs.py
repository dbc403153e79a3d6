"""Programs that a person describes."""

from __future__ import annotations

from typing import Any

import pytest

from handiwork.apps.own_programs import read_own_programs
from handiwork.core.errors import UsageError
from handiwork.guard import judge_command

OWN: dict[str, Any] = {
    "showlog": {"only_reads": True, "allow": ["showlog delete --purge everything"]},
    "kc": {"like": "kubectl", "ask": ["kc delete ns production"], "allow": ["kc get pods"]},
    "dbtool": {
        "does": {"drop": "database", "rm": "delete all", "push --to": "send_file", "wipe !--dry-run": "destroys"},
        "values": "-c --config",
        "ask": ["dbtool drop users", "dbtool -c drop drop users", "dbtool rm /srv/x", "dbtool wipe x"],
        "allow": ["dbtool list", "dbtool -c drop list"],
    },
    "git": {"does": {"deploy": "publish"}, "ask": ["git deploy", "git push -f"], "allow": ["git status"]},
}


def test_examples_are_tried_and_hold_behind_wrappers() -> None:
    own = read_own_programs(OWN)
    for text in ("sudo dbtool drop x", "bash -c 'dbtool drop x'", "ls | xargs dbtool drop", "X=dbtool; $X drop x"):
        assert judge_command(text, "/work", programs=own).action == "ask", text
        effects = [effect.kind for effect in judge_command(text, "/work", programs=own).effects]
        assert "database" in effects
    assert judge_command("showlog delete x", "/work").action == "ask"
    assert judge_command("showlog delete x", "/work", programs=own).only_reads


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"rm": {"only_reads": True}}, "take away"),
        ({"sudo": {"like": "echo"}}, "take away"),
        ({"x": {"does": {"a": "dat"}}}, "did you mean"),
        ({"x": {"does": {"a": "delete everything"}}}, "unknown place"),
        ({"x": {"does": {"!a": "delete"}}}, "turned round"),
        ({"x": {"does": []}}, "expected a mapping"),
        ({"x": {"lik": "y"}}, "unknown key 'lik'"),
        ({"x": {"like": "kubctl"}}, "did you mean kubectl"),
        ({"x": {"only_reads": True, "ask": ["x"]}}, "should come out as ask, not allow"),
        ({"x": {"allow": "x"}}, "list of commands"),
        ({"x": 5}, "expected a mapping"),
        ({"/bin/x": {"only_reads": True}}, "no name"),
    ],
)
def test_mistakes_are_told(entry: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError) as raised:
        read_own_programs(entry)
    assert said in f"{raised.value} {raised.value.hint}"
