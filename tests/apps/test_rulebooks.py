"""Rules in files: what is told at once, whose count, and that they hold at the next call."""

from __future__ import annotations

import os
import time
import timeit
from pathlib import Path

import pytest

from handiwork.apps import house
from handiwork.apps.house import House
from handiwork.apps.rule_files import problem_with_policy
from handiwork.apps.rule_store import allowed_in, drop_rule, rule_file, store_rule
from handiwork.apps.rule_trust import RuleTrust
from handiwork.apps.rulebooks import Rulebooks
from handiwork.core.errors import ConfigError, UsageError
from handiwork.guard.rules.rulebook import Rulebook
from handiwork.testing import fresh_registry


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / ".handiwork").mkdir(parents=True)
    return folder


@pytest.fixture
def books(home: Path) -> Rulebooks:
    return Rulebooks(str(home), house.default().registry, look_s=0)


def texts(book: Rulebook | None) -> dict[str, list[str]]:
    assert book is not None
    return {
        "allow": [r.text for r in book.allow],
        "ask": [r.text for r in book.ask],
        "deny": [r.text for r in book.deny],
    }


def own(home: Path, text: str) -> Path:
    path = home / "config.yaml"
    path.write_text(text)
    return path


def test_no_rules_are_no_book(books: Rulebooks, home: Path, work: Path) -> None:
    assert books.book(str(work)) is None
    own(home, "mode: ask\n")
    assert books.book(str(work)) is None


def test_rules_have_file_and_line(books: Rulebooks, home: Path, work: Path) -> None:
    own(home, "mode: ask\npolicy:\n  deny:\n    - Bash(rm:*)\n    - rule: Read(./.env)\n      note: secrets\n")
    book = books.book(str(work))
    assert book is not None
    assert [str(r) for r in book.deny] == ["deny Bash(rm:*) (config.yaml:4)", "deny Read(./.env) (config.yaml:5)"]
    assert book.deny[1].note == "secrets"


@pytest.mark.parametrize(
    ("rules", "line", "said"),
    [
        ("  deny: [Bassh(rm:*)]", 2, "Bassh"),
        ("  deny:\n  - terminal(ls)\n  - calculate(1)", 4, "can never match"),
        ("  allow:\n  - Bash(git push:*)\n  deny:\n  - Bash(git:*)", 3, "can never allow anything"),
        ("  allow:\n  - {rule: 'Bash(git:*)', match: [git log, npm]}", 3, "doesn't match its example 'npm'"),
        ("  allow:\n  - {rule: 'Bash(git:*)', not_match: [git log]}", 3, "which it shouldn't"),
        ("  deny:\n  - {rule: 'Bash(rm:*)', match: [sudo rm x], not_match: [git rm x]}", 0, ""),
    ],
)
def test_a_rule_that_cannot_work_is_told_with_its_line(
    books: Rulebooks, home: Path, work: Path, rules: str, line: int, said: str
) -> None:
    path = own(home, f"policy:\n{rules}\n")
    if not said:
        assert books.book(str(work))
        return
    with pytest.raises(ConfigError, match=said) as raised:
        books.book(str(work))
    assert f"{path.name}:{line}:" in str(raised.value)


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        ({"alow": []}, "unknown key 'alow'"),
        ({"allow": "x"}, "expected a list"),
        ({"allow": [5]}, "expected a rule"),
        ({"allow": [{"rule": "x", "mach": []}]}, "unknown key 'mach'"),
        ({"allow": [{"rule": "x", "match": "y"}]}, "list of examples"),
        ({"defaultMode": "maybe"}, "expected one of"),
        ({"defaultMode": "ask", "allow": ["x", {"rule": "x", "match": ["y"], "note": "n"}]}, None),
    ],
)
def test_the_form_of_the_section(policy: dict[str, object], said: str | None) -> None:
    problem = problem_with_policy(policy)
    assert said in problem if said and problem else problem == said


def test_a_project_tightens_and_allows_once_trusted(books: Rulebooks, home: Path, work: Path) -> None:
    own(home, "policy: {allow: [Bash(git push:*)]}\n")
    for name in ("config.yaml", "config.local.yaml"):
        path = work / ".handiwork" / name
        path.write_text("policy: {allow: [Bash(npm publish:*)], ask: [Bash(make:*)], deny: [Bash(dd:*)]}\n")
        held = texts(books.book(str(work)))
        assert held["allow"] == ["Bash(git push:*)"]
        assert held["ask"] == ["Bash(make:*)"]
        assert [rule.text for file in books.files(str(work)).files for rule in file.ignored] == ["Bash(npm publish:*)"]
        RuleTrust(str(home)).trust(str(path), allowed_in(str(path)))
        assert texts(books.book(str(work)))["allow"] == ["Bash(git push:*)", "Bash(npm publish:*)"]
        path.write_text(path.read_text().replace("npm publish", "npm"))  # what was trusted was something else
        assert texts(books.book(str(work)))["allow"] == ["Bash(git push:*)"]
        path.unlink()


def test_what_is_stored_holds_at_the_next_call_of_another(books: Rulebooks, home: Path, work: Path) -> None:
    (work / ".git" / "info").mkdir(parents=True)
    assert books.book(str(work)) is None
    project = store_rule(str(home), str(work), "terminal(git push:*)", "project")
    always = store_rule(str(home), str(work), "terminal(npm publish:*)", "always")
    assert project.file == rule_file(str(home), str(work), "project") == str(work / ".handiwork/config.local.yaml")
    assert always.file == str(home / "config.yaml")
    book = books.book(str(work))
    assert texts(book)["allow"] == ["terminal(npm publish:*)", "terminal(git push:*)"]
    store_rule(str(home), str(work), "terminal(make x)", "project")
    assert (work / ".git/info/exclude").read_text() == "**/.handiwork/config.local.yaml\n"
    drop_rule(str(home), project.file, "allow", "terminal(git push:*)")
    assert texts(books.book(str(work)))["allow"] == ["terminal(npm publish:*)", "terminal(make x)"]
    assert books.book(str(work.parent)) is not None


def test_an_answer_does_not_carry_a_strangers_rules_along(home: Path, work: Path) -> None:
    (work / ".handiwork/config.local.yaml").write_text("policy: {allow: [terminal]}\n")
    with pytest.raises(UsageError, match="nobody has trusted"):
        store_rule(str(home), str(work), "terminal(ls)", "project")
    with pytest.raises(UsageError, match="no project"):
        store_rule(str(home), "", "terminal(ls)", "project")


def test_a_worktree_shares_its_list_of_what_is_left_alone(home: Path, work: Path, tmp_path: Path) -> None:
    shared = tmp_path / "main/.git"
    (shared / "worktrees/w").mkdir(parents=True)
    (shared / "worktrees/w/commondir").write_text("../..\n")
    (work / ".git").write_text(f"gitdir: {shared}/worktrees/w\n")
    store_rule(str(home), str(work), "terminal(ls)", "project")
    assert "config.local.yaml" in (shared / "info/exclude").read_text()


def test_a_file_damaged_meanwhile_changes_nothing(books: Rulebooks, home: Path, work: Path) -> None:
    path = own(home, "policy: {deny: [Bash(rm:*)]}\n")
    before = books.book(str(work))
    path.write_text("policy: {deny: [Bash(rm:*)")
    assert books.book(str(work)) is before
    path.write_text("policy: {deny: [Bash(dd:*)]}\n")
    os.utime(path, ns=(1, 1))
    assert texts(books.book(str(work)))["deny"] == ["Bash(dd:*)"]


def test_a_look_at_the_files_is_good_for_a_moment(home: Path, work: Path) -> None:
    books = Rulebooks(str(home), house.default().registry, look_s=0.05)
    own(home, "policy: {deny: [Bash(rm:*)]}\n")
    assert texts(books.book(str(work)))["deny"] == ["Bash(rm:*)"]
    own(home, "policy: {deny: [Bash(mkfs:*)]}\n")
    time.sleep(0.06)
    assert texts(books.book(str(work)))["deny"] == ["Bash(mkfs:*)"]


def test_looking_costs_little(books: Rulebooks, home: Path, work: Path) -> None:
    own(home, "policy: {deny: [Bash(rm:*)]}\n")
    books.book(str(work))
    assert min(timeit.repeat(lambda: books.book(str(work)), timer=time.process_time, number=200, repeat=5)) / 200 < 1e-3


def test_a_house_without_files_has_no_rules() -> None:
    assert House(fresh_registry()).rules is None


def test_a_link_that_a_project_brings_is_not_written_through(home: Path, work: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    other.write_text("mode: ask\n")
    (work / ".handiwork/config.local.yaml").symlink_to(other)
    with pytest.raises(UsageError, match="link"):
        store_rule(str(home), str(work), "terminal(ls)", "project")
    (work / ".handiwork/config.local.yaml").unlink()
    (work / ".git/info").mkdir(parents=True)
    (work / ".git/info/exclude").symlink_to(other)
    store_rule(str(home), str(work), "terminal(ls)", "project")
    assert other.read_text() == "mode: ask\n"
