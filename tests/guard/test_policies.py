"""Verdicts on calls, by traits and origin."""

from __future__ import annotations

import subprocess
import sys
import time
import timeit
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from handiwork.core.errors import UsageError
from handiwork.core.types import ALLOW, Ask, Forbid, Ready, Scope, ShellState, ToolCall, ToolEntry, Traits, Verdict
from handiwork.guard import policy

READ_FILE = Traits(effect="read", touches={"path": "path"})
WRITE_FILE = Traits(effect="write", touches={"path": "path"})
TERMINAL = Traits(effect="write", touches={"command": "command"})


def ready(traits: Traits, args: dict[str, Any], *, work: Path | None = None, origin: str = "builtin") -> Ready:
    scope = Scope(cwd=str(work), workspace=str(work)) if work else Scope()
    entry = ToolEntry("some_tool", "set", {"parameters": {}}, lambda args, /, **kw: "", traits=traits, origin=origin)
    return Ready(ToolCall("some_tool", scope=scope), entry, args)


def judged(call: Ready, mode: Any = "accept-edits", **kw: Any) -> Verdict:
    return policy(mode, **kw)(call)


def test_edits_by_mode(tmp_path: Path) -> None:
    call = ready(WRITE_FILE, {"path": "a.txt"}, work=tmp_path)
    assert judged(call) == ALLOW
    assert judged(call, "ask") == Ask("it changes a.txt", (f"path:write:{tmp_path}/a.txt",))
    assert isinstance(judged(call, "read-only"), Forbid)
    assert judged(call, "yolo") == ALLOW


def test_outside_and_protected_paths_ask_with_the_real_path(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    found = judged(ready(WRITE_FILE, {"path": "../x"}, work=work))
    assert isinstance(found, Ask)
    assert found.keys == (f"path:write:{tmp_path}/x",)
    assert isinstance(judged(ready(READ_FILE, {"path": ".env"}, work=work)), Ask)
    assert judged(ready(READ_FILE, {"path": "a"}, work=work), "read-only") == ALLOW
    outside = ready(READ_FILE, {"path": str(tmp_path / "results.txt")}, work=work)
    assert isinstance(judged(outside), Ask)
    assert judged(outside, readable=[str(tmp_path)]) == ALLOW


def test_every_path_in_a_patch_is_judged_as_a_write(tmp_path: Path) -> None:
    traits = Traits(effect="write", touches={"path": "path", "patch": "patch"})
    patch = "*** Begin Patch\n*** Update File: {}\n*** Move to: {}\n*** Delete File: {}\n*** End Patch\n"

    def verdict(*names: str, mode: Any = "accept-edits") -> Verdict:
        return judged(ready(traits, {"patch": patch.format(*names)}, work=tmp_path), mode)

    assert verdict("a", "b", "c") == ALLOW
    for names in (
        ("../a", "b", "c"),
        ("a", "../b", "c"),
        ("a", "b", ".env"),
        ("a", "~/x", "c"),
        ("a", "b", ".git/config"),
    ):
        assert isinstance(verdict(*names), Ask)
    assert isinstance(verdict("a", "b", "/dev/sda"), Forbid)
    asked = verdict("a", "b", "c", mode="ask")
    assert isinstance(asked, Ask)
    assert asked.keys == tuple(f"path:write:{tmp_path}/{name}" for name in "abc")
    assert isinstance(verdict("a", "b", "c", mode="read-only"), Forbid)
    diff = "--- a/{0}\n+++ b/{0}\n@@ -1 +1 @@\n-a\n+b\n"
    assert judged(ready(traits, {"patch": diff.format("x")}, work=tmp_path)) == ALLOW
    assert isinstance(judged(ready(traits, {"patch": diff.format("../x")}, work=tmp_path)), Ask)


def test_a_patch_that_cannot_be_read_asks(tmp_path: Path) -> None:
    traits = Traits(effect="write", touches={"patch": "patch"})
    found = judged(ready(traits, {"patch": "*** Begin Patch\n*** Update File: x\n"}, work=tmp_path))
    assert isinstance(found, Ask)
    assert "line 2" in found.reason or "line 3" in found.reason


def test_commands(tmp_path: Path) -> None:
    assert judged(ready(TERMINAL, {"command": "ls"}, work=tmp_path)) == ALLOW
    assert judged(ready(TERMINAL, {"command": "make > log"}, work=tmp_path)) == ALLOW
    assert isinstance(judged(ready(TERMINAL, {"command": "make > log"}, work=tmp_path), "ask"), Ask)
    asked = judged(ready(TERMINAL, {"command": "sudo make"}, work=tmp_path))
    assert isinstance(asked, Ask)
    assert asked.keys == (f"command:sudo make@{tmp_path}",)
    assert isinstance(judged(ready(TERMINAL, {"command": "rm -rf /"}, work=tmp_path), "yolo"), Forbid)
    assert judged(ready(TERMINAL, {"command": "ls"}, work=tmp_path), "read-only") == ALLOW
    assert isinstance(judged(ready(TERMINAL, {"command": "make"}, work=tmp_path), "read-only"), Forbid)
    assert isinstance(judged(ready(TERMINAL, {"other": "x"}, work=tmp_path), "read-only"), Forbid)


def test_the_folder_and_the_variables_of_the_session_are_known(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.txt").touch()

    def judged_after(command: str, **exported: str) -> Verdict:
        call = ready(TERMINAL, {"command": command}, work=tmp_path)
        shell = ShellState(str(tmp_path / "sub"), exported)
        return judged(replace(call, call=replace(call.call, scope=replace(call.call.scope, shell=shell))), "yolo")

    assert isinstance(judged_after("rm -rf $WHERE", WHERE="/"), Forbid)
    assert judged_after("rm -rf $WHERE", WHERE="old") == ALLOW
    assert isinstance(judged_after("rm -rf ../../../../../../../../../.."), Forbid)
    call = ready(TERMINAL, {"command": "cat $FILE"}, work=tmp_path)
    shell = ShellState(str(tmp_path / "sub"), {"FILE": "/etc/shadow"})
    known = replace(call, call=replace(call.call, scope=replace(call.call.scope, shell=shell)))
    assert isinstance(judged(known), Ask) and judged(call) == ALLOW


def test_a_yes_to_a_command_holds_for_the_variables_it_had(tmp_path: Path) -> None:
    call = ready(TERMINAL, {"command": "git push --force origin $TARGET"}, work=tmp_path)

    def keys(**exported: str) -> tuple[str, ...]:
        shell = ShellState(str(tmp_path), exported)
        asked = judged(replace(call, call=replace(call.call, scope=replace(call.call.scope, shell=shell))))
        assert isinstance(asked, Ask)
        return asked.keys

    assert keys() == keys(OTHER="1") == (f"command:git push --force origin $TARGET@{tmp_path}",)
    assert (
        keys(TARGET="all")
        == keys(TARGET="all", OTHER="1")
        == (f"command:git push --force origin $TARGET@{tmp_path} TARGET=all",)
    )
    assert len({keys(), keys(TARGET="all"), keys(TARGET="clean"), keys(PATH="/x"), keys(LD_PRELOAD="x")}) == 5


def test_urls_code_and_recipients() -> None:
    fetch = Traits(effect="read", touches={"urls": "url"})
    assert judged(ready(fetch, {"urls": ["https://example.com"]})) == ALLOW
    assert isinstance(judged(ready(fetch, {"urls": ["https://example.com", "http://127.1/"]})), Forbid)
    assert isinstance(judged(ready(Traits(touches={"code": "code"}), {"code": "1"})), Ask)
    assert isinstance(judged(ready(Traits(touches={"to": "recipient"}), {"to": "a@b.example"})), Ask)


def test_several_asks_become_one_with_all_keys(tmp_path: Path) -> None:
    found = judged(ready(WRITE_FILE, {"path": ["../a", "../b"]}, work=tmp_path))
    assert isinstance(found, Ask)
    assert len(found.keys) == 2


@pytest.mark.parametrize(
    ("origin", "traits", "asks"),
    [
        ("builtin", Traits(), False),
        ("code", Traits(), False),
        ("plugin:user/dice", Traits(), False),
        ("plugin:dice", Traits(), True),
        ("plugin:project/dice", Traits(), True),
        ("plugin:dice", Traits(effect="read"), False),
        ("mcp:files", Traits(), True),
        ("mcp:files", Traits(read_only=True), True),
    ],
)
def test_undeclared_tools_of_strangers_ask_once(origin: str, traits: Traits, asks: bool) -> None:
    found = judged(ready(traits, {}, origin=origin))
    assert isinstance(found, Ask) == asks
    if isinstance(found, Ask):
        assert found.keys == ("tool:some_tool",)


def test_an_unknown_mode_is_named() -> None:
    with pytest.raises(UsageError, match="sometimes"):
        policy("sometimes")  # type: ignore[arg-type]


def test_a_tool_that_touches_nothing_is_cheap() -> None:
    judge, call = policy(), ready(Traits(effect="read"), {})
    assert min(timeit.repeat(lambda: judge(call), timer=time.process_time, number=20_000, repeat=5)) / 20_000 < 5e-6


def test_the_judges_load_only_when_something_is_judged() -> None:
    code = "import sys, handiwork.guard.policies as p; p.policy(); print('handiwork.guard.commands' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "False"


def test_public_names_are_functions_whatever_was_imported_first():
    code = (
        "import importlib, pkgutil, handiwork.guard as g\n"
        "for m in pkgutil.iter_modules(g.__path__): importlib.import_module(f'handiwork.guard.{m.name}')\n"
        "print(all(callable(getattr(g, name)) for name in g.__all__))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "True"
