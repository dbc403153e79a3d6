"""How rules are written, and what is told of those that could never match."""

from __future__ import annotations

import pytest

from handiwork.core.errors import UsageError
from handiwork.guard.rules.command_patterns import CommandPattern, escaped
from handiwork.guard.rules.examples import fits, shadow_of
from handiwork.guard.rules.globs import PathGlob, literal_glob

from .rule_calls import rule


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("terminal", "tool"),
        ("Bash(*)", "tool"),
        ("Bash(git status:*)", "command"),
        ("Read(./src/**)", "read"),
        ("search_files(./src)", "read"),
        ("Edit(~/x)", "write"),
        ("WebFetch(domain:example.com)", "host"),
        ("Bash(domain:example.com)", "host"),
        ("mcp__gh__create_issue", "tool"),
        ("origin:plugin:x", "origin"),
    ],
)
def test_kinds(text: str, kind: str) -> None:
    found = rule(text)
    assert (found.kind, found.text, str(found)) == (kind, text, f"allow {text}")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "malformed"),
        ("Bash(", "malformed"),
        ("Bash(a) b", "malformed"),
        ("Bashh(ls)", "did you mean Bash"),
        ("read_fil(x)", "did you mean read_file"),
        ("calculate(1+1)", "can never match"),
        ("Read(domain:example.com)", "can never match"),
        ("execute_code(print)", "can never match"),
        ("Bash(:*)", "names no program"),
        ("Read(./[z-a]/x)", "brackets"),
        ("Bash(* --force)", "names no program"),
        ("Bash(git 'push:*)", "close its quotes"),
        ("origin:", "malformed"),
        ("origin:mcp:x(y)", "malformed"),
    ],
)
def test_rules_that_can_never_match_are_told(text: str, said: str) -> None:
    with pytest.raises(UsageError) as raised:
        rule(text)
    assert said in f"{raised.value} {raised.value.hint}"


@pytest.mark.parametrize(
    ("text", "action", "yes", "no"),
    [
        ("Bash(git status:*)", "allow", "git status|git status -s", "git statusx|git|git status; ls|sudo git status"),
        ("Bash(git status:*)", "deny", "git status|sudo git status|ls; git -C x status", "git log|echo git status"),
        ("Bash(npm run *)", "allow", "npm run build|npm run a b|npm run", "npm runs|npm install|npm run a && ls"),
        ("Bash(git * main)", "allow", "git push origin main|git log main", "git push main x|git main2"),
        ("Bash(ls)", "allow", "ls|  ls ", "ls -l|ls; ls -l"),
        ("Bash(a | b)", "allow", "a | b", "a|c"),
        ("Bash(rm a\\*b)", "allow", "rm a*b", "rm aXb"),
        ("Read(./src/**)", "allow", "src/a.py|src/x/y", "src2|a|../src/a|/src/a"),
        ("Read(*.env)", "deny", "a.env|x/y/a.env|/etc/a.env", "a.env2"),
        ("Read(./secrets)", "deny", "secrets|secrets/x/y", "secrets2"),
        ("Read(./a[!b]c)", "allow", "axc", "abc|a/c"),
        ("Read(./a[^b]c/?)", "allow", "axc/d", "abc/d|a/c/d|axc/dd"),
        ("Read(./**/x/*.[ch])", "allow", "x/a.c|b/c/x/a.h", "x/a.cc|x/y/a.c|a.c"),
        ("Read(~/x/*.md)", "allow", "~/x/a.md", "~/x/y/a.md|~/x/.txt"),
        ("WebFetch(domain:example.com)", "allow", "https://example.com/a|https://a.example.com", "https://example.org"),
        ("WebFetch(domain:*.example.com)", "allow", "https://a.example.com", "https://example.com"),
        ("mcp__gh", "allow", "mcp__gh", "mcp__gl"),
    ],
)
def test_examples(text: str, action: str, yes: str, no: str) -> None:
    found = rule(text, action)  # type: ignore[arg-type]
    for example in yes.split("|") if " | " not in yes else [yes]:
        assert fits(found, example, "/work"), example
    for example in no.split("|"):
        assert not fits(found, example, "/work"), example


def test_what_is_escaped_means_itself() -> None:
    for text in ("rm *", "a\\b", "x:*", "a\\*", "é ' \" ("):
        assert CommandPattern(escaped(text)).is_text(text)
    for path in ("/a/[b]*?/c", "/a b"):
        assert PathGlob(literal_glob(path), "").covers(path)
    assert not PathGlob(literal_glob("/a/*"), "").covers("/a/b")


@pytest.mark.parametrize(
    ("allowed", "denied", "is_over"),
    [
        ("Bash(git push:*)", "Bash(git:*)", True),
        ("Bash(git push -f)", "terminal(git push:*)", True),
        ("Bash(git:*)", "Bash(git push:*)", False),
        ("Bash(ls)", "terminal", True),
        ("Read(./a/b)", "Read(./a/**)", True),
        ("Read(./a/**)", "Read(./a/b)", False),
        ("Edit(./a)", "Read(./a)", False),
        ("WebFetch(domain:a.example.com)", "WebFetch(domain:example.com)", True),
    ],
)
def test_what_a_deny_leaves_nothing_of(allowed: str, denied: str, is_over: bool) -> None:
    denying = rule(denied, "deny")
    assert shadow_of(rule(allowed), (denying,)) == (denying if is_over else None)
