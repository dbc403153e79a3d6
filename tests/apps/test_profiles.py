"""Profiles: nothing has an effect outside of one, by whichever door."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from handiwork.apps import house
from handiwork.apps.house import House
from handiwork.apps.profiles import problem_with_profiles
from handiwork.core.errors import UnknownNameError
from handiwork.core.types import Allow, Forbid, Ready, ToolCall, Verdict
from handiwork.guard.approval import allow_all

CONFIG = """\
mode: yolo
sandbox: {backend: BACKEND}
profiles:
  docs:
    files: {read: ["./**"], write: ["./docs/**"]}
    hosts: [example.com]
  writer:
    files: {write: ["./docs/**"]}
    hosts: [example.com]
    tools: [file, terminal, process, tool_call, delegate_task, calculate]
    budgets: {max_steps: 3, max_tokens: 1000}
    mode: ask
    policy: {deny: ["Edit(*.secret)"], ask: [calculate]}
  drafts:
    files: {write: ["./docs/drafts/**"]}
"""


@pytest.fixture
def open_house(
    home: Path, tmp_path: Path, fresh_default: None, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., House]:
    work = tmp_path / "work"
    (work / "docs/drafts").mkdir(parents=True)
    (work / ".handiwork").mkdir()
    (work / "src").mkdir()
    (work / "src/a.py").write_text("a = 1\n")
    (work / "docs/link").symlink_to("../src")
    monkeypatch.chdir(work)

    def opened(*profiles: str, backend: str = "none") -> House:
        (home / "config.yaml").write_text(CONFIG.replace("BACKEND", backend))
        made = house.default()
        for name in profiles:
            made.use_profile(name)
        return made

    return opened


def judged(made: House, tool: str, args: dict[str, Any]) -> Verdict:
    entry = made.registry.get(tool)
    assert entry is not None
    return made.pipeline.judge(Ready(ToolCall(tool, scope=made.scope()), entry, args))


PATCH = "--- a/{0}\n+++ b/{0}\n@@ -1 +1 @@\n-a = 1\n+a = 2\n"
OUTSIDE = [
    ("write_file", {"path": "src/a.py", "content": "x"}),
    ("write_file", {"path": "docs/link/a.py", "content": "x"}),
    ("write_file", {"path": "docs/../src/a.py", "content": "x"}),
    ("write_file", {"path": "~/x", "content": "x"}),
    ("patch", {"path": "src/a.py", "old": "a = 1", "new": "a = 2"}),
    ("patch", {"patch": PATCH.format("src/a.py")}),
    ("terminal", {"command": "echo x > src/a.py"}),
    ("terminal", {"command": "cd docs && echo x > ../src/a.py"}),
    ("terminal", {"command": "rm src/a.py"}),
    ("terminal", {"command": "mv src/a.py docs/a.py"}),
    ("terminal", {"command": "echo x > $(cat name)"}),
    ("terminal", {"command": "touch x", "cwd": "src"}),
    ("terminal", {"command": "echo x > docs/link/a.py"}),
    ("terminal", {"command": "python3 -c \"open('src/a.py', 'w')\""}),
    ("terminal", {"command": "sh -c 'sed -i s/a/b/ src/a.py'"}),
    ("terminal", {"command": "curl https://example.org"}),
    ("terminal", {"command": "curl -o src/x https://example.com"}),
    ("process", {"action": "write", "text": "echo x > src/a.py"}),
]


@pytest.mark.parametrize(("tool", "args"), OUTSIDE)
@pytest.mark.parametrize("profile", ["docs", "writer"])
def test_nothing_is_done_outside_of_a_profile(
    open_house: Callable[..., House], profile: str, tool: str, args: dict[str, Any]
) -> None:
    verdict = judged(open_house(profile), tool, args)
    assert isinstance(verdict, Forbid)


def test_what_lies_inside_goes_on(open_house: Callable[..., House]) -> None:
    made = open_house("docs")
    assert isinstance(judged(made, "write_file", {"path": "docs/a.md", "content": "x"}), Allow)
    assert isinstance(judged(made, "patch", {"patch": PATCH.format("docs/a.md")}), Allow)
    assert isinstance(judged(made, "terminal", {"command": "cat src/a.py | wc -l"}), Allow)
    assert isinstance(judged(made, "read_file", {"path": "src/a.py"}), Allow)
    assert isinstance(judged(made, "read_file", {"path": "~/x"}), Forbid)
    assert isinstance(judged(made, "terminal", {"command": "cat /etc/hostname"}), Forbid)


def test_without_a_sandbox_only_readers_run(open_house: Callable[..., House]) -> None:
    made = open_house("writer")
    for command in ("make", "python3 docs/x.py", "npm test", "./run"):
        assert isinstance(judged(made, "terminal", {"command": command}), Forbid), command


def test_a_profile_narrows_and_never_widens(open_house: Callable[..., House]) -> None:
    made = open_house("writer")
    assert made.config.mode == "ask"
    assert made.inside.budgets == {"max_steps": 3, "max_tokens": 1000}
    assert isinstance(judged(made, "write_file", {"path": "docs/x.secret", "content": ""}), Forbid)
    assert isinstance(judged(made, "memory", {}), Forbid)
    made.use_profile("drafts")
    assert isinstance(judged(made, "write_file", {"path": "docs/a.md", "content": ""}), Forbid)
    assert not isinstance(judged(made, "write_file", {"path": "docs/drafts/a.md", "content": ""}), Forbid)
    with pytest.raises(UnknownNameError, match="profile"):
        made.use_profile("draft")


def test_calls_of_calls_and_of_processes_below_stand_inside_too(
    open_house: Callable[..., House], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HANDIWORK_PROFILE", "docs")
    made = open_house()
    scope = made.scope(approver=allow_all)
    assert scope.call is not None
    assert scope.shell is not None
    assert scope.shell.exported["HANDIWORK_PROFILE"] == "docs"
    assert "beyond the profile docs" in scope.call("write_file", {"path": "src/a.py", "content": "x"})
    assert Path("src/a.py").read_text() == "a = 1\n"


def test_another_place_for_commands_changes_what_is_kept(open_house: Callable[..., House]) -> None:
    made = open_house("writer", backend="auto")
    made.move_commands("local")
    assert isinstance(judged(made, "terminal", {"command": "make"}), Forbid)


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        (5, "expected a mapping"),
        ({"file": {}}, "unknown key 'file'"),
        ({"files": {"reed": []}}, "unknown key 'reed'"),
        ({"files": {"write": "x"}}, "expected a list"),
        ({"budgets": {"max_steps": 0}}, "more than 0"),
        ({"mode": "x"}, "expected one of"),
        ({"policy": {"allow": ["x"]}}, "a profile narrows"),
        ({"files": {"read": ["."]}, "mode": "ask", "budgets": {"max_seconds": 5}}, None),
    ],
)
def test_the_form(said: Any, problem: str | None) -> None:
    found = problem_with_profiles({"x": said})
    assert problem in found if problem and found else found == problem


def test_run_stands_inside(cli: Callable[..., Any], home: Path, script: Callable[..., str]) -> None:
    (home / "config.yaml").write_text(CONFIG.replace("BACKEND", "none"))
    calls = [{"name": "write_file", "arguments": {"path": "x", "content": "y"}}]
    ran = cli("run", "go", "--profile", "writer", "--model", script({"calls": calls}, "done"), "--yes", "--json")
    assert ran.document["calls"][0]["status"] == "refused"
    assert "beyond the profile writer" in ran.document["calls"][0]["content"]
    assert not Path("x").exists()
    task = {"tasks": [{"task": "write", "tools": ["write_file"]}]}
    delegated = [{"calls": [{"name": "delegate_task", "arguments": task}]}, {"calls": calls}, "child", "done"]
    ran = cli("run", "go", "--profile", "writer", "--model", script(*delegated), "--yes", "--json")
    assert json.loads(ran.document["calls"][0]["content"])["results"][0]["answer"] == "child"
    child = cli("sessions", "list", "--json").document["sessions"][0]
    assert "beyond the profile writer" in json.dumps(cli("sessions", "show", child["id"], "--json").document)
    assert not Path("x").exists()
    ran = cli("run", "go", "--profile", "nowhere", "--model", script("done"))
    assert ran.code == 2
    (home / "config.yaml").write_text("profile: nowhere\n")
    assert cli("tools", "list").code == 6


@pytest.mark.integration
@pytest.mark.parametrize("backend", ["bubblewrap", "landlock"])
def test_the_kernel_keeps_what_the_text_does_not_tell(open_house: Callable[..., House], backend: str) -> None:
    made = open_house("writer", backend=backend)
    scope = made.scope(approver=allow_all)
    probe = "for path in ('docs/ok', 'src/bad'):\n  try: open(path, 'w').write('x')\n  except OSError: pass\n"
    Path("docs/probe.py").write_text(probe)
    ran = made.pipeline.run(ToolCall("terminal", {"command": "python3 docs/probe.py"}, "1", scope))
    assert ran.status == "ok", ran.content
    assert Path("docs/ok").exists()
    assert not Path("src/bad").exists()
    made.close()


def test_tools_beyond_a_profile_are_not_shown(open_house: Callable[..., House]) -> None:
    made = open_house("writer")
    shown = made.supply.view(("handiwork-cli",), made.config.disabled_toolsets).names
    assert "write_file" in shown
    assert not shown & {"memory", "todo", "session_search"}
