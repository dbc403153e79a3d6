"""A real terminal: colours, questions and their answers, and nothing of that where there is none."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration

ESCAPE = "\x1b"


@pytest.fixture
def asking(script, tmp_path):
    """Words of a run whose calls write outside the workspace, which asks."""

    def words(*names):
        calls = [
            {"calls": [{"name": "write_file", "arguments": {"path": str(tmp_path.parent / n), "content": "x"}}]}
            for n in names
        ]
        return ["run", "x", "--cwd", str(tmp_path), "--model", script(*calls, "The end.")]

    return words


# ------------------------------------------------------------------------------------------------ colour


def test_a_terminal_gets_colours_and_nobody_else_does(terminal, command, script):
    shown = terminal("why", "read_file")
    assert shown.end() == 0 and f"{ESCAPE}[32m" in shown.seen
    for variables in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        plain = terminal("why", "read_file", **variables)
        assert plain.end() == 0 and ESCAPE not in plain.seen and "visible" in plain.seen
    assert ESCAPE not in command("why", "read_file").out
    model = script({"calls": [{"name": "calculate", "arguments": {"expression": "1"}}]}, "done")
    coloured = terminal("run", "x", "--model", model)
    assert coloured.end() == 0 and ESCAPE in coloured.seen
    plain = terminal("run", "x", "--model", model, NO_COLOR="1")
    assert plain.end() == 0 and ESCAPE not in plain.seen


def test_what_a_tool_says_cant_drive_the_terminal(terminal, script):
    evil = "printf 'a\\033]0;title\\007\\033[2Jb'"
    model = script(
        {"calls": [{"name": "terminal", "arguments": {"command": evil}}]}, "an answer\x1b[2J with\u202e power"
    )
    shown = terminal("run", "x", "--yes", "--model", model, NO_COLOR="1")
    assert shown.end() == 0 and "an answer" in shown.seen
    assert not {ESCAPE, "\x07", "\u202e"} & set(shown.seen)


# ----------------------------------------------------------------------------------------------- answers


@pytest.mark.parametrize(("key", "allowed"), [("\n", False), ("1\n", True), ("y\n", True), ("n\n", False),
                                              ("what?\n", False), ("\x04", False)])  # fmt: skip
def test_only_a_clear_yes_is_a_yes(terminal, asking, tmp_path, key, allowed):
    shown = terminal(*asking("outside.txt"))
    shown.until("Allow? (Enter = no)")
    assert "write_file" in shown.seen and "asks because:" in shown.seen and f"in {tmp_path}" in shown.seen
    shown.type(key)
    assert shown.end() == (0 if allowed else 5)
    outside = tmp_path.parent / "outside.txt"
    assert outside.exists() == allowed
    outside.unlink(missing_ok=True)


def test_what_was_typed_too_early_does_not_answer(terminal, script, tmp_path):
    outside = tmp_path.parent / "early.txt"
    slow = {"calls": [{"name": "terminal", "arguments": {"command": "sleep 1"}}]}
    write = {"calls": [{"name": "write_file", "arguments": {"path": str(outside), "content": "x"}}]}
    shown = terminal("run", "x", "--model", script(slow, write, "The end."))
    shown.until("sleep 1")
    shown.type("1\n1\ny\n")
    shown.until("Allow?")
    time.sleep(0.3)
    assert shown.child.poll() is None and not outside.exists()
    shown.type("\n")
    assert shown.end() == 5 and not outside.exists()


def test_no_answer_in_time_is_a_no(terminal, asking, command, tmp_path):
    command("config", "set", "approval_seconds", "0.5")
    shown = terminal(*asking("outside.txt"))
    shown.until("no answer within 0.5 s")
    assert shown.end() == 5 and not (tmp_path.parent / "outside.txt").exists()


def test_a_rule_that_is_kept_holds_for_the_next_run(terminal, asking, tmp_path):
    outside = tmp_path.parent / "kept.txt"
    (tmp_path / ".handiwork").mkdir()
    shown = terminal(*asking("kept.txt"), NO_COLOR="1")
    shown.until("Allow?")
    assert f"[3] yes, in this project: write_file({outside}) -> .handiwork/config.local.yaml" in shown.seen
    shown.type("3\n")
    assert shown.end() == 0 and "kept in .handiwork/config.local.yaml:" in shown.seen
    outside.unlink()
    again = terminal(*asking("kept.txt"))
    assert again.end() == 0 and "Allow?" not in again.seen and outside.exists()
    outside.unlink()
    other = terminal(*asking("other.txt"))
    other.until("Allow?")
    other.type("\n")
    assert other.end() == 5


def test_the_breadth_is_chosen_apart(terminal, asking, tmp_path):
    folder = tmp_path.parent / "around"
    folder.mkdir(exist_ok=True)
    shown = terminal(*asking("around/a.txt"), NO_COLOR="1")
    shown.until("Allow?")
    assert f"(now), or by its folder: write_file({folder}/**)" in shown.seen
    shown.type("b\n")
    shown.until("Allow?", times=2)
    assert f"[4] yes, always: write_file({folder}/**) ->" in shown.seen
    shown.type("2\n")
    assert shown.end() == 0
    (folder / "a.txt").unlink()


def test_what_changed_after_the_question_is_not_written_over(terminal, script, tmp_path):
    outside = tmp_path.parent / "raced.txt"
    outside.write_text("one\n")
    write = {"calls": [{"name": "write_file", "arguments": {"path": str(outside), "content": "two\n"}}]}
    shown = terminal("run", "x", "--model", script(write, "The end."), NO_COLOR="1")
    shown.until("Allow?")
    assert "│ -one" in shown.seen and "│ +two" in shown.seen
    outside.write_text("somebody else\n")
    shown.type("1\n")
    shown.end()
    assert outside.read_text() == "somebody else\n" and "was changed between the question and the write" in shown.seen
    outside.unlink()


def test_yes_for_the_session_is_asked_once_for_the_same(terminal, asking, tmp_path):
    shown = terminal(*asking("same.txt", "same.txt", "other.txt"))
    shown.until("Allow?")
    assert "[2] yes, this session:" in shown.seen
    shown.type("2\n")
    shown.until("Allow?", after="other.txt")
    shown.type("\n")
    assert shown.end() == 5 and shown.seen.count("Allow?") == 2  # the other file was asked anew
    assert (tmp_path.parent / "same.txt").exists() and not (tmp_path.parent / "other.txt").exists()
    (tmp_path.parent / "same.txt").unlink()


def test_no_with_a_reason_reaches_the_model(terminal, asking, tmp_path):
    with open(tmp_path / "out.json", "w") as out:
        shown = terminal(*asking("outside.txt"), "--json", stdout=out)
        shown.until("Allow?")
        shown.type("w\n")
        shown.until("instead?")
        shown.type("write it here\n")
        assert shown.end() == 5
    assert "write it here" in (tmp_path / "out.json").read_text()


def test_questions_stay_out_of_the_result(terminal, asking, tmp_path):
    with open(tmp_path / "out.txt", "w") as out:
        shown = terminal(*asking("outside.txt"), stdout=out)
        shown.until("Allow?")
        shown.type("1\n")
        assert shown.end() == 0
    assert (tmp_path / "out.txt").read_text() == "The end.\n"
    (tmp_path.parent / "outside.txt").unlink()


def test_a_call_by_hand_asks_too(terminal, tmp_path):
    for key, code in (("\n", 5), ("1\n", 0)):
        shown = terminal("tools", "call", "write_file", f"path={tmp_path.parent / 'outside.txt'}", "content=x")
        shown.until("Allow?")
        shown.type(key)
        assert shown.end() == code
    (tmp_path.parent / "outside.txt").unlink()


def test_deny_and_yes_dont_ask(terminal, asking, tmp_path):
    shown = terminal(*asking("outside.txt"), "--deny")
    assert shown.end() == 5 and "Allow?" not in shown.seen
    shown = terminal(*asking("outside.txt"), "--yes")
    assert shown.end() == 0 and "Allow?" not in shown.seen
    (tmp_path.parent / "outside.txt").unlink()


@pytest.mark.parametrize("how", ["key", "signal"])
def test_an_interrupt_at_a_question_ends_the_run(terminal, asking, tmp_path, how):
    shown = terminal(*asking("outside.txt"))
    shown.until("Allow?")
    began = time.monotonic()
    shown.child.send_signal(signal.SIGINT if how == "key" else signal.SIGTERM)
    assert shown.end() == (130 if how == "key" else 143) and time.monotonic() - began < 3
    assert not (tmp_path.parent / "outside.txt").exists() and "Fatal" not in shown.seen


def test_a_lost_terminal_is_a_no(terminal, asking, tmp_path):
    shown = terminal(*asking("outside.txt"))
    shown.until("Allow?")
    os.close(shown._master)
    shown._master = os.open(os.devnull, os.O_RDONLY)
    assert shown.child.wait(10) != 0
    assert not (tmp_path.parent / "outside.txt").exists()


def test_clarify_asks_the_person(terminal, script, tmp_path):
    question = {"name": "clarify", "arguments": {"question": "Which one?", "choices": ["red", "blue"]}}
    with open(tmp_path / "out.json", "w") as out:
        shown = terminal("run", "x", "--json", "--model", script({"calls": [question]}, "done"), stdout=out)
        shown.until("> ", after="[2] blue")
        shown.type("2\n")
        assert shown.end() == 0
    assert "blue" in (tmp_path / "out.json").read_text()


def test_chat_talks_until_the_person_leaves(terminal, script):
    shown = terminal("chat", "--model", script("one", "two"))
    shown.until("you> ")
    shown.type("hello\n")
    shown.until("one\n")
    shown.type("again\n")
    shown.until("two\n")
    shown.type("\x04")
    assert shown.end() == 0


def test_an_interrupt_stops_a_turn_of_a_chat_not_the_chat(terminal, script):
    busy = {"calls": [{"name": "terminal", "arguments": {"command": "echo begun; sleep 30"}}]}
    shown = terminal("chat", "--yes", "--model", script(busy, "after"))
    shown.until("you> ")
    shown.type("work\n")
    shown.until("sleep 30")
    time.sleep(0.5)
    shown.child.send_signal(signal.SIGINT)
    shown.until("cancelled")
    shown.type("and now?\n")
    shown.until("after")
    shown.type("/quit\n")
    assert shown.end() == 0


def test_an_interrupt_stops_a_call_of_a_server_and_gives_the_prompt_back(terminal, script, command, home, tmp_path):
    pytest.importorskip("mcp")
    peer, notes = Path(__file__).parents[1] / "integration" / "mcp" / "peer.py", tmp_path / "notes"
    entry = {"command": sys.executable, "args": [str(peer), "stdio"], "env": {"PEER_NOTES": str(notes)}}
    (home / "config.yaml").write_text(json.dumps({"mcp_servers": {"p": entry}}))
    assert command("mcp", "test", "p").code == 0
    busy = {"calls": [{"name": "mcp__p__slow", "arguments": {"seconds": 60}}]}
    shown = terminal("chat", "--yes", "--model", script(busy, "after"))
    shown.until("you> ")
    shown.type("work\n")
    deadline = time.monotonic() + 30
    while not (notes.exists() and "begun" in notes.read_text()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    began = time.monotonic()
    shown.child.send_signal(signal.SIGINT)
    shown.until("cancelled")
    assert time.monotonic() - began < 2
    shown.type("and now?\n")
    shown.until("after")
    shown.type("/quit\n")
    assert shown.end() == 0 and "cancelled" in notes.read_text()
