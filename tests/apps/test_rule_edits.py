"""Rules put into configuration files and taken out, with the rest kept."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
import yaml

from handiwork.apps.rule_edits import add_rule, remove_rule
from handiwork.core.errors import ConfigError, UsageError

RULES = ["terminal(git push:*)", "terminal(git commit -m \"x: #y\" 'é')", "terminal(a\nb)", "Read(./[[]a]/**)"]
FILES = [
    "",
    "# mine\nmode: ask # keep",
    "policy:\n  # why\n  allow:\n    - terminal(a) # first\n    # after\n  deny: [x]\nmode: ask\n",
    "policy:\n  allow: [ 'a', b ]  # c\n",
    "policy: {allow: [a], deny: []}\nmode: ask\n",
    "{mode: ask}\n",
    "policy:\n  deny:\n  - rule: terminal(dd:*)\n    note: hm\n\nmode: ask",
    "mode: ask\npolicy: {}\n",
    "policy:\n  allow: []\n  ask:\n  - b\nmode: ask\n",
]


@pytest.mark.parametrize("before", FILES)
@pytest.mark.parametrize("rule", RULES)
def test_a_rule_goes_in_on_a_line_and_out_again(before: str, rule: str, tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(before)
    was = yaml.safe_load(before) or {}
    stored = add_rule(str(path), "allow", rule)
    now = yaml.safe_load(path.read_text())
    assert now["policy"]["allow"] == [*((was.get("policy") or {}).get("allow") or []), rule]
    assert rule.split("(", maxsplit=1)[0] in path.read_text().splitlines()[stored.line - 1]
    assert add_rule(str(path), "allow", rule) == stored
    assert remove_rule(str(path), "allow", rule) == stored
    left = yaml.safe_load(path.read_text())
    assert left["policy"].get("allow", []) == ((was.get("policy") or {}).get("allow") or [])
    assert {k: v for k, v in left.items() if k != "policy"} == {k: v for k, v in was.items() if k != "policy"}


def test_comments_and_layout_stay(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(FILES[2])
    add_rule(str(path), "allow", "terminal(b)")
    assert path.read_text() == FILES[2].replace("# first\n", "# first\n    - terminal(b)\n")
    remove_rule(str(path), "allow", "terminal(b)")
    assert path.read_text() == FILES[2]


def test_what_cannot_be_changed_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    for damaged in ("policy: [", "policy: 5\n", "mode: nonsense\n"):
        path.write_text(damaged)
        with pytest.raises(ConfigError):
            add_rule(str(path), "allow", "terminal(b)")
        assert path.read_text() == damaged
    path.write_text("mode: ask\n")
    with pytest.raises(UsageError, match="has no rule"):
        remove_rule(str(path), "allow", "terminal(b)")
    assert os.listdir(tmp_path) == ["config.yaml"]


def test_writers_do_not_lose_each_others_rules(tmp_path: Path) -> None:
    path = str(tmp_path / "config.yaml")
    writers = [threading.Thread(target=add_rule, args=(path, "deny", f"terminal(p{n}:*)")) for n in range(12)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert len(yaml.safe_load(Path(path).read_text())["policy"]["deny"]) == 12
