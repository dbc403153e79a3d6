"""What people reported of other agents' hands, end to end through our pipeline: files, results, order.

Each test's name says the kind of fault; the identifiers are those under which the reports are collected.
"""

from __future__ import annotations

import asyncio
import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from handiwork import discover, registry
from handiwork.apps.house import House
from handiwork.core.config import Config
from handiwork.core.types import Approver, ToolCall, ToolResult
from handiwork.guard.approval import allow_all
from handiwork.pipeline.turn import run_turn

LETTERS = "abcdefgh"
Call = Callable[..., dict[str, Any]]


@pytest.fixture
def house(home: Path) -> Any:
    discover()
    made = House(registry, home=str(home), config=Config(result_chars={"search_files": 3_000}))
    yield made
    made.close()


@pytest.fixture
def turn(house: House, tmp_path: Path) -> Callable[..., list[ToolResult]]:
    """Runs calls as one turn of a session in a folder of its own."""

    def run(*calls: tuple[str, dict[str, Any]], approver: Approver | None = allow_all, session: str = "s") -> list[Any]:
        scope = house.scope(session_id=session, cwd=str(tmp_path), approver=approver)
        asked = [ToolCall(name, args, LETTERS[n], scope) for n, (name, args) in enumerate(calls)]
        return asyncio.run(run_turn(house.pipeline, asked))

    return run


@pytest.fixture
def call(turn: Callable[..., list[ToolResult]]) -> Call:
    def run(tool: str, /, approver: Approver | None = allow_all, session: str = "s", **args: Any) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(turn((tool, args), approver=approver, session=session)[0].content)
        return told

    return run


# ------------------------------------------------------------------------------------------------ files


def test_fil01_a_backslash_r_stays_two_characters(call: Call, tmp_path: Path) -> None:
    (tmp_path / "a.bat").write_bytes(b"one\r\ntwo\r\nend\r\n")
    call("patch", path="a.bat", old_string="one\ntwo", new_string="one\ncall dir\\run_x.bat")
    assert (tmp_path / "a.bat").read_bytes() == b"one\r\ncall dir\\run_x.bat\r\nend\r\n"


def test_fil03_an_edit_that_was_escaped_twice_is_read_alike_on_both_sides(call: Call, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("line1\nline2\n")
    assert call("patch", path="a.txt", old_string="line1\\nline2", new_string="lineA\\nlineB")["replaced"] == 1
    assert (tmp_path / "a.txt").read_text() == "lineA\nlineB\n"


def test_fil04_and_16_what_only_begins_and_ends_alike_is_not_taken_for_it(call: Call, tmp_path: Path) -> None:
    text = "def f():\n    alpha()\n    beta()\n    return alpha\n"
    (tmp_path / "a.py").write_text(text)
    told = call("patch", path="a.py", old_string="def f():\n    gamma()\n    delta()\n    return alpha", new_string="x")
    assert "not found" in told["error"] and "alpha()" in told["error"] and (tmp_path / "a.py").read_text() == text


def test_fil06_and_18_new_files_have_what_umask_leaves_and_old_ones_keep_their_mode(call: Call, tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        call("write_file", path="new.txt", content="x")
    finally:
        os.umask(before)
    (tmp_path / "old.md").write_text("x")
    (tmp_path / "old.md").chmod(0o660)
    call("write_file", path="old.md", content="y", force=True)
    assert [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("new.txt", "old.md")] == [0o644, 0o660]


def test_fil08_bytes_that_are_no_utf8_come_back_as_they_were(call: Call, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("café\nbar\n".encode("latin-1"))
    told = call("read_file", path="a.txt")
    assert "\ufffd" not in told["content"] and told["encoding"] != "utf-8"
    call("patch", path="a.txt", old_string="bar", new_string="baz")
    assert (tmp_path / "a.txt").read_bytes() == "café\nbaz\n".encode("latin-1")


def test_fil09_an_error_names_the_file_that_was_meant(call: Call, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    told = call("write_file", path="file/below.txt", content="x")
    assert "file/below.txt" in told["error"] and ".tmp" not in told["error"]


@pytest.mark.parametrize("direct", [True, False])
def test_fil10_and_11_a_protected_file_asks_under_every_name(call: Call, tmp_path: Path, direct: bool) -> None:
    secret = tmp_path / ".ssh" / "authorized_keys"
    secret.parent.mkdir()
    secret.write_text("mine")
    (tmp_path / "ok").symlink_to(secret)
    path = ".ssh/authorized_keys" if direct else "ok"
    assert "approval" in call("write_file", approver=None, path=path, content="x")["error"]
    assert secret.read_text() == "mine"


def test_fil17_line_numbers_of_a_listing_are_left_out(call: Call, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\ny = 2\n")
    assert "note" in str(call("patch", path="a.py", old_string="     1: x = 1\n     2: y = 2", new_string="z = 3"))
    assert (tmp_path / "a.py").read_text() == "z = 3\n"


def test_fil21_only_the_edited_line_changes_its_end(call: Call, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"a\r\nb\nc\r\n")
    call("patch", path="a.txt", old_string="b", new_string="B")
    assert (tmp_path / "a.txt").read_bytes() == b"a\r\nB\nc\r\n"


# ---------------------------------------------------------------------------------------------- results


def test_siz01_03_and_08_what_is_too_long_is_kept_whole_in_a_file_that_can_be_read(call: Call) -> None:
    told = call("terminal", command="seq 1 40000")
    assert told["output"].startswith("1\n") and told["output"].rstrip().endswith("40000")
    whole = call("read_file", approver=None, path=told["whole_output"], offset=20_000, limit=1)
    assert whole["content"] == "20000\n"


def test_siz04_a_hit_far_into_a_line_is_shown_with_its_hit(call: Call, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("A" * 5_000 + "NEEDLE_X" + "B" * 5_000 + "\n")
    told = call("search_files", pattern="NEEDLE_X")
    assert "NEEDLE_X" in told["hits"] and len(told["hits"]) < 2_000


def test_siz06_a_part_that_was_not_shown_is_never_called_unchanged(call: Call, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("".join(f"line {n} {'x' * 60}\n" for n in range(9_172)))
    first = call("read_file", path="a.txt")
    assert "next" in first and call("read_file", path="a.txt", offset=2_318, limit=1)["content"].startswith("line 2317")
    again = [call("read_file", path="a.txt") for _ in range(2)]
    assert any("line 0" in told.get("content", "") for told in again)


def test_siz07_masking_and_cutting_look_different(call: Call, tmp_path: Path) -> None:
    line = "SECRET_" + "KEY=os.environ.get('SECRET_" + "KEY', 'none')\n"
    (tmp_path / "a.py").write_text(line)
    assert call("read_file", path="a.py")["content"] == line


def test_siz10_a_limit_can_be_set_for_one_tool(turn: Any, tmp_path: Path) -> None:
    for n in range(300):
        (tmp_path / f"file-with-a-long-name-{n}.txt").write_text("hit\n")
    [result] = turn(("search_files", {"pattern": "hit", "limit": 300}))
    assert len(result.content) <= 3_000 and json.loads(result.content)["truncated"]


# ------------------------------------------------------------------------------------------------ order


def test_par01_02_and_04_calls_on_one_file_wait_for_each_other_however_it_is_named(turn: Any, tmp_path: Path) -> None:
    (tmp_path / "link.py").symlink_to(tmp_path / "a.py")
    body = "*** Begin Patch\n*** Update File: ./a.py\n@@\n-one\n+two\n*** End Patch\n"
    results = turn(
        ("write_file", {"path": "a.py", "content": "one = 1\n"}),
        ("patch", {"path": "link.py", "old_string": "one = 1", "new_string": "one"}),
        ("patch", {"patch": body}),
        ("read_file", {"path": "a.py"}),
    )
    assert [r.is_error for r in results] == [False] * 4 and json.loads(results[3].content)["content"] == "two\n"


def test_par03_two_edits_at_once_are_both_kept(turn: Any, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("A=0\nB=0\n")
    turn(*(("patch", {"path": "a.txt", "old_string": f"{x}=0", "new_string": f"{x}=1"}) for x in "AB"))
    assert (tmp_path / "a.txt").read_text() == "A=1\nB=1\n"


def test_par05_one_that_fails_stops_no_other_and_the_order_is_kept(turn: Any, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    results = turn(*(("read_file", {"path": path}) for path in ("a.txt", "missing", "a.txt")))
    assert [r.is_error for r in results] == [False, True, False] and [r.call.id for r in results] == ["a", "b", "c"]


def test_par08_what_another_session_changed_meanwhile_is_not_overwritten(call: Call, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    call("read_file", path="a.txt", session="mine")
    call("write_file", path="a.txt", content="theirs\n", session="theirs", force=True)
    told = call("write_file", path="a.txt", content="mine\n", session="mine")
    assert "changed" in told["error"] and (tmp_path / "a.txt").read_text() == "theirs\n"
