"""Real processes that get real signals: they end soon, with the right code, and take their children along."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration

CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}
STUBBORN = """
import time
from handiwork import tool

@tool(toolset="stubborn")
def hold(note: str) -> str:
    'Hold on, whatever is said.'
    open(note, "w").write("here")
    end = time.monotonic() + 30
    while time.monotonic() < end:
        try:
            time.sleep(0.1)
        except BaseException:
            pass
    return "done"
"""


@pytest.fixture
def start(surroundings, tmp_path):
    """Starts `handiwork WORDS`; what is still running at the end is killed."""
    children = []

    def begin(*words, wrapper=(), stdin=subprocess.DEVNULL):
        child = subprocess.Popen(
            [*wrapper, sys.executable, "-m", "handiwork", *words],
            stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path, env=surroundings,
        )  # fmt: skip
        children.append(child)
        return child

    yield begin
    for child in children:
        child.kill()
        child.communicate()


def wait_for(condition, seconds=15):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


HELD = "touch held; sleep 300"
AFTER = {"name": "terminal", "arguments": {"command": HELD}}
TOOLS = """
import asyncio, os, time
from pathlib import Path
from handiwork import tool

@tool(toolset="waiting")
async def wait_async(seconds: int) -> str:
    'Wait on the loop.'
    Path("held").touch()
    try:
        await asyncio.sleep(seconds)
    finally:
        await asyncio.sleep(0.05)
        Path("ended").touch()
    return "done"

@tool(toolset="waiting")
def wait_thread(seconds: int) -> str:
    'Wait in a thread.'
    Path("held").touch()
    time.sleep(seconds)
    return "done"
"""


def shell(text, **more):
    return {"name": "terminal", "arguments": {"command": text, **more}}


# What a run is doing when the signal comes: its calls, of which the last holds on.
WORK = {
    "plain": [shell(HELD)],
    "ignores the request": [shell(f"trap '' TERM INT HUP; {HELD}; while :; do sleep 1; done")],
    "another session": [shell(f"setsid bash -c '{HELD}'")],
    "beside the shell": [shell(f"bash -c '{HELD}' & wait")],
    "left by the shell": [shell("setsid sleep 300 > /dev/null 2>&1 & sleep 300 &"), AFTER],
    "background tool": [shell("trap '' TERM HUP; while :; do sleep 0.2; done", background=True), AFTER],
    "async tool": [{"name": "wait_async", "arguments": {"seconds": 300}}],
    "thread tool": [{"name": "wait_thread", "arguments": {"seconds": 300}}],
}


def task(script, text):
    return [
        "run",
        "x",
        "--yes",
        "--model",
        script({"calls": [{"name": "terminal", "arguments": {"command": text}}]}, "?"),
    ]


@pytest.mark.parametrize("number", CODES, ids=lambda n: n.name)
@pytest.mark.parametrize("kind", WORK)
def test_a_signal_ends_a_run_and_all_that_it_started(start, script, plugin, tmp_path, living, number, kind):
    plugin("waiting", TOOLS)
    calls = [{"calls": [call]} for call in WORK[kind]]
    child = start("run", "x", "--yes", "--json", "--model", script(*calls, "?"))
    wait_for((tmp_path / "held").exists)
    began = time.monotonic()
    child.send_signal(number)
    out, err = child.communicate(timeout=10)
    assert child.returncode == CODES[number] and time.monotonic() - began < 4
    assert json.loads(out)["ending"] == "cancelled" and "Traceback" not in err
    assert living(5) == [] and (tmp_path / "ended").exists() == (kind == "async tool")


@pytest.mark.parametrize("kind", [kind for kind in WORK if "tool" not in kind and len(WORK[kind]) == 1])
def test_a_run_that_is_killed_leaves_nothing(start, script, tmp_path, living, kind):
    child = start("run", "x", "--yes", "--model", script(*({"calls": [call]} for call in WORK[kind]), "?"))
    wait_for((tmp_path / "held").exists)
    child.kill()
    child.communicate()
    assert living(5) == []


PEER = Path(__file__).parents[1] / "integration" / "mcp" / "peer.py"


@pytest.fixture
def on_server(home, script, command, tmp_path):
    """A model that waits for a tool of a server, and the file in which the server says what happens to it."""
    pytest.importorskip("mcp")
    notes = tmp_path / "notes"
    entry = {"command": sys.executable, "args": [str(PEER), "stdio"], "env": {"PEER_NOTES": str(notes)}}
    (home / "config.yaml").write_text(json.dumps({"mcp_servers": {"p": entry}}))
    assert command("mcp", "test", "p").code == 0  # from now on its tools are known from the start
    return script({"calls": [{"name": "mcp__p__slow", "arguments": {"seconds": 300}}]}, "?"), notes


def waits(notes):
    return notes.exists() and "begun" in notes.read_text()


@pytest.mark.parametrize("number", CODES, ids=lambda n: n.name)
def test_a_signal_ends_a_run_that_waits_for_a_server(start, on_server, living, number):
    model, notes = on_server
    child = start("run", "x", "--yes", "--json", "--model", model)
    wait_for(lambda: waits(notes), 30)
    began = time.monotonic()
    child.send_signal(number)
    out, err = child.communicate(timeout=10)
    assert child.returncode == CODES[number] and time.monotonic() - began < 5
    assert json.loads(out)["ending"] == "cancelled" and "Traceback" not in err
    assert "cancelled" in notes.read_text() and living(5) == []


def test_a_run_that_is_killed_leaves_nothing_of_a_server(start, on_server, living):
    model, notes = on_server
    child = start("run", "x", "--yes", "--model", model)
    wait_for(lambda: waits(notes), 30)
    child.kill()
    child.communicate()
    assert living(5) == []


@pytest.mark.parametrize("number", CODES, ids=lambda n: n.name)
def test_a_signal_ends_a_call_by_hand_and_its_child(start, tmp_path, living, number):
    child = start("tools", "call", "terminal", f"command={HELD}", "--yes", "--json")
    wait_for((tmp_path / "held").exists)
    child.send_signal(number)
    out, err = child.communicate(timeout=10)
    assert child.returncode == CODES[number] and json.loads(out)["exit_code"] == CODES[number]
    assert "interrupted" in err and "Traceback" not in err
    assert living(3) == []


def test_what_a_call_left_in_the_background_ends_with_it(start, tmp_path, living):
    child = start("tools", "call", "terminal", f"command=sh -c '{HELD}' &", "--yes")
    wait_for((tmp_path / "held").exists)
    assert child.wait(15) == 0
    assert living(3) == []


def test_a_second_interrupt_quits_at_once(start, script, plugin, tmp_path):
    plugin("stubborn", STUBBORN)
    for words in (
        ["tools", "call", "hold", "note=note"],
        ["run", "x", "--toolsets", "stubborn", "--model",
         script({"calls": [{"name": "hold", "arguments": {"note": "note"}}]}, "?")],
    ):  # fmt: skip
        (tmp_path / "note").unlink(missing_ok=True)
        child = start(*words)
        wait_for((tmp_path / "note").exists)
        child.send_signal(signal.SIGINT)
        time.sleep(0.3)
        if child.poll() is None:
            child.send_signal(signal.SIGINT)
        assert child.wait(3) == 130


def test_a_model_that_hangs_is_interrupted(start, endpoint):
    asked = []
    url = endpoint(lambda handler: asked.append(1) or time.sleep(20))
    child = start("run", "x", "--model", f"{url}#m")
    wait_for(lambda: asked)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=5)
    assert (child.returncode, out) == (130, "") and "cancelled" in err


def test_waiting_for_standard_input_is_interrupted(start, script):
    child = start("run", "-", "--model", script("hi"), stdin=subprocess.PIPE)
    time.sleep(1)
    child.send_signal(signal.SIGTERM)
    assert child.wait(5) == 143


def test_nohup_outlives_the_terminal(start, script, tmp_path):
    child = start(*task(script, "touch held; sleep 1.5"), wrapper=("nohup",))
    wait_for((tmp_path / "held").exists)
    child.send_signal(signal.SIGHUP)
    assert child.communicate(timeout=10)[0] == "?\n" and child.returncode == 0


def test_term_ends_a_chat_also_between_turns(start, script, tmp_path):
    child = start("chat", "--model", script("one", "two"), stdin=subprocess.PIPE)
    child.stdin.write("hello\n")
    child.stdin.flush()
    time.sleep(1)
    child.send_signal(signal.SIGTERM)
    assert child.wait(5) == 143


def test_a_plugin_that_holds_up_the_start_is_interrupted(start, plugin, tmp_path):
    plugin("spin", "from pathlib import Path\nPath('note').touch()\nwhile True: pass\n# \nregistry.register()\n")
    child = start("tools", "list")
    wait_for((tmp_path / "note").exists)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=5)
    assert (child.returncode, out) == (130, "") and "Traceback" not in err
