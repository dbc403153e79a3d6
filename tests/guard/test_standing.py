"""What a person said no to is asked about again, whichever door it comes by."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from handiwork.core.types import ALLOW, Answer, Ask, Ready, Scope, Standing, ToolCall, ToolEntry, Traits
from handiwork.guard import policy
from handiwork.guard.standing import covers, remember

KINDS = {
    "write": Traits(effect="write", touches={"path": "path", "patch": "patch"}),
    "read": Traits(effect="read", touches={"path": "path"}),
    "terminal": Traits(effect="write", touches={"command": "command"}),
}
PATCH = "*** Begin Patch\n*** Update File: other.txt\n@@\n-a\n+b\n*** Delete File: notes.txt\n*** End Patch\n"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    (tmp_path / "notes.txt").write_text("a\n")
    (tmp_path / "link.txt").symlink_to("notes.txt")
    (tmp_path / "sub").mkdir()
    return tmp_path


def call(kind: str, work: Path, standing: Standing, **args: Any) -> Ready:
    entry = ToolEntry(kind, "s", {"parameters": {}}, lambda args, /, **kw: "", traits=KINDS[kind], origin="builtin")
    return Ready(ToolCall(kind, scope=Scope(cwd=str(work), workspace=str(work), standing=standing)), entry, args)


def denied(work: Path) -> Standing:
    """A session in which a person said no to writing notes.txt."""
    standing = Standing()
    remember(call("write", work, standing, path="notes.txt"), Ask("it changes notes.txt", ("k",)), Answer(False))
    return standing


DOORS = [
    ("write", {"path": "notes.txt"}),
    ("write", {"path": "sub/../link.txt"}),
    ("write", {"patch": PATCH}),
    *(
        ("terminal", {"command": command})
        for command in (
            "printf x > notes.txt",
            "sed -i s/a/b/ notes.txt",
            "echo x | tee -a ./notes.txt",
            "cp other.txt notes.txt",
            "mv other.txt notes.txt",
            "rm notes.txt",
            "echo x > link.txt",
            "cd sub && echo x > ../notes.txt",
            "python3 -c \"open('notes.txt', 'w').write('x')\"",
            "node -e \"require('fs').writeFileSync('notes.txt', 'x')\"",
            "dd if=other.txt of=notes.txt",
            "printf '1d\\nw\\n' | ed notes.txt",
            "sh -c 'echo x > notes.txt'",
            "curl -o notes.txt https://example.org/x",
            "./tool --output=notes.txt",
        )
    ),
]


@pytest.mark.parametrize("mode", ["accept-edits", "auto"])
@pytest.mark.parametrize(("kind", "args"), DOORS)
def test_other_doors_to_a_denied_file_ask_and_name_the_no(work: Path, mode: Any, kind: str, args: Any) -> None:
    verdict = policy(mode)(call(kind, work, denied(work), **args))
    assert isinstance(verdict, Ask) and verdict.firm, verdict
    assert "you said no to changing" in verdict.reason and "notes.txt" in verdict.reason
    assert policy("yolo")(call(kind, work, denied(work), **args)) == ALLOW


@pytest.mark.parametrize(
    ("kind", "args"),
    [
        ("write", {"path": "other.txt"}),
        ("read", {"path": "notes.txt"}),
        *(("terminal", {"command": c}) for c in ("cat notes.txt", "grep a notes.txt", "echo x > b.txt", "make")),
        ("terminal", {"command": "echo x > my-notes.txt"}),
    ],
)
def test_what_was_not_denied_does_not_ask(work: Path, kind: str, args: Any) -> None:
    assert policy()(call(kind, work, denied(work), **args)) == ALLOW


def test_an_effect_that_was_denied_asks_by_another_text(work: Path) -> None:
    standing = Standing()
    ready = call("terminal", work, standing, command="npm publish")
    asked = policy("auto")(ready)
    assert isinstance(asked, Ask)
    remember(ready, asked, Answer(False))
    again = policy("auto")(call("terminal", work, standing, command="cd . && npm publish"))
    assert isinstance(again, Ask) and again.firm and "you said no" in again.reason


def test_a_no_to_a_file_holds_for_the_folder_around_it(work: Path) -> None:
    standing = Standing()
    ready = call("write", work, standing, path="build/notes.txt")
    remember(ready, Ask("it changes it", ("k",)), Answer(False))
    assert isinstance(policy()(call("terminal", work, standing, command="rm -rf build")), Ask)


def test_a_yes_takes_the_no_back(work: Path) -> None:
    standing = denied(work)
    ready = call("terminal", work, standing, command="echo x > notes.txt")
    asked = policy()(ready)
    assert isinstance(asked, Ask)
    remember(ready, asked, Answer(True))
    assert policy()(ready) == ALLOW and not standing.denied


def test_a_yes_for_the_session_covers_exactly_its_keys(work: Path) -> None:
    standing = Standing()
    ready = call("write", work, standing, path="../x")
    one, both = Ask("why", ("a",)), Ask("why", ("a", "b"))
    remember(ready, one, Answer(True))
    assert not covers(ready, one)
    remember(ready, one, Answer(True, "session"))
    assert covers(ready, one) and not covers(ready, both)
    assert not covers(ready, Ask("without keys")) and not covers(ready, Ask("why", ("a",), firm=True))


def test_a_yes_by_a_rule_covers_what_the_rule_does(work: Path) -> None:
    standing = Standing()

    def asked(command: str) -> tuple[Ready, Ask]:
        ready = call("terminal", work, standing, command=command)
        verdict = policy()(ready)
        assert isinstance(verdict, Ask)
        return ready, verdict

    first = asked("git push --force origin main")
    assert not covers(*asked("git push --force origin other"))
    remember(*first, Answer(True, "session", rule="terminal(git push:*)"))
    assert covers(*asked("git push --force origin other"))
    assert not covers(*asked("git push --force origin main && npm publish"))
    assert not covers(*asked("npm publish"))
