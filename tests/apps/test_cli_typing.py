"""Typing on a real terminal while the agent works: nothing is lost, and nothing answers a question it didn't see."""

from __future__ import annotations

import json
import signal
import sqlite3
from contextlib import closing

import pytest

pytestmark = pytest.mark.integration


HOLD = """
import asyncio
from pathlib import Path
from handiwork import registry

async def hold(args):
    Path("held").touch()
    await asyncio.sleep(1)
    return "held"

registry.register(name="hold", toolset="waiting", handler=hold, is_async=True, traits={"read_only": True},
    schema={"name": "hold", "description": "Holds on.", "parameters": {"type": "object", "properties": {}}})
"""
WORK = {"calls": [{"name": "hold", "arguments": {}}]}


def write(path):
    return {"name": "write_file", "arguments": {"path": path, "content": "x"}}


def said(home):
    """The prompts and replies of the one session, in order."""
    with closing(sqlite3.connect(home / "sessions.db")) as db:
        rows = db.execute("SELECT kind, body FROM entries WHERE kind IN ('prompt', 'reply') ORDER BY key").fetchall()
    return [(kind, json.loads(body)["message"]["content"]) for kind, body in rows]


@pytest.fixture
def chat(terminal, script, plugin, tmp_path, eventually):
    """A chat that works on its first prompt."""

    def begin(*replies, flags=()):
        plugin("waiting", HOLD)
        shown = terminal("chat", *flags, "--model", script(WORK, *replies))
        shown.until("you> ")
        shown.type("work\n")
        eventually((tmp_path / "held").exists)
        return shown

    return begin


def test_lines_typed_while_a_tool_runs_are_heard_at_the_next_step_in_order(chat, home):
    shown = chat("heard")
    shown.type("first\n")
    shown.until("queued: first")
    shown.type("second\n")
    shown.until("queued: second")
    shown.until("› second")
    shown.until("heard\n")
    shown.type("/quit\n")
    assert shown.end() == 0
    assert said(home) == [("prompt", "work"), ("reply", ""), ("prompt", "first"), ("prompt", "second"),
                          ("reply", "heard")]  # fmt: skip


@pytest.mark.parametrize("typed", ["1\n", "1", "yes\n1\n"])
def test_what_was_typed_before_a_question_is_no_answer_to_it(chat, home, tmp_path, typed):
    outside = tmp_path.parent / f"{tmp_path.name}-outside.txt"
    shown = chat({"calls": [write(str(outside))]}, "understood")
    shown.type(typed)
    shown.until("Allow?")
    shown.type("\n")  # what was begun before isn't part of the answer
    shown.until("understood")
    shown.type("\x15/quit\n")
    if not typed.endswith("\n"):
        shown.type("/quit\n")
    assert shown.end() == 0 and not outside.exists()
    prompts = [text for kind, text in said(home) if kind == "prompt"]
    assert prompts[1:3] == {"1\n": ["1"], "1": ["1/quit"], "yes\n1\n": ["yes", "1"]}[typed]


def test_an_answer_is_an_answer_and_a_message_is_a_message(chat, home, tmp_path):
    outside = tmp_path.parent / f"{tmp_path.name}-outside.txt"
    shown = chat({"calls": [write(str(outside))]}, "done")
    shown.type("be quick\n")
    shown.until("queued: be quick")
    shown.until("Allow?")
    shown.type("1\n")
    shown.until("done\n")
    shown.type("/quit\n")
    assert shown.end() == 0 and outside.read_text() == "x"
    outside.unlink()
    assert [text for kind, text in said(home) if kind == "prompt"] == ["work", "be quick"]


def test_what_came_too_late_for_a_turn_is_the_next_prompt(chat, home):
    shown = chat("two", "three", flags=("--max-steps", "1"))
    shown.type("more\nand more\n/quit\n")
    assert shown.end() == 0
    assert "not sent: more" in shown.seen and "not sent: and more" in shown.seen
    assert [text for kind, text in said(home) if kind == "prompt"] == ["work"]


def test_a_turn_that_ends_at_a_limit_gives_what_is_left_to_the_next_one(chat, home):
    shown = chat("two", "three", flags=("--max-steps", "1"))
    shown.type("more\nand more\n")
    shown.until("two")
    shown.type("/quit\n")
    assert shown.end() == 0
    assert [text for kind, text in said(home) if kind == "prompt"] == ["work", "more", "and more"]


def test_an_interrupt_at_a_question_leaves_the_keyboard_to_the_chat(chat, home, tmp_path):
    shown = chat({"calls": [write(str(tmp_path.parent / "outside.txt"))]}, "after")
    shown.until("Allow?")
    shown.child.send_signal(signal.SIGINT)
    shown.until("you> ", after="Allow?")
    shown.type("and now?\n")
    shown.until("after")
    shown.type("\x04")
    assert shown.end() == 0
    assert [text for kind, text in said(home) if kind == "prompt"] == ["work", "and now?"]
