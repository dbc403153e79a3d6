"""Delegates and the processes that they start: ended with them, and with their principal."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration

SRC = Path(__file__).parents[2] / "src"
LONG = "sleep 300 & setsid sleep 300 & sleep 300"


def call(name, **arguments):
    return {"calls": [{"name": name, "arguments": arguments}]}


@pytest.fixture
def begin(tmp_path, home):
    """Starts `handiwork run` with a script of *replies*."""
    begun = []

    def start(*replies, **variables):
        path = tmp_path / "script.json"
        path.write_text(json.dumps(replies))
        kept = {key: os.environ[key] for key in ("PATH",)}
        words = [sys.executable, "-m", "handiwork", "run", "x", "--yes", "--json", "--sandbox", "none",
                 "--model", f"scripted:{path}"]  # fmt: skip
        environment = {**kept, "HOME": str(home), "HANDIWORK_HOME": str(home), "PYTHONPATH": str(SRC), **variables}
        begun.append(subprocess.Popen(words, cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE))  # fmt: skip
        return begun[-1]

    yield start
    for process in begun:
        process.kill()
        process.wait(10)


def wait_for(what, within=30):
    deadline = time.monotonic() + within
    while not what() and time.monotonic() < deadline:
        time.sleep(0.05)
    return what()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_a_stop_ends_delegates_and_all_that_they_started(begin, living, number):
    tasks = [{"task": "one"}, {"task": "two"}]
    process = begin(call("delegate_task", tasks=tasks), call("terminal", command=LONG), call("terminal", command=LONG))
    assert wait_for(lambda: sum("sleep 300" in line for line in living()) >= 6)
    began = time.monotonic()
    process.send_signal(number)
    assert process.wait(15) != 0 and time.monotonic() - began < 10
    assert living(10) == []


def test_a_stop_reaches_the_delegates_of_delegates(begin, living):
    down = call("delegate_task", tasks=[{"task": "x"}])
    process = begin(down, down, call("terminal", command=LONG))
    assert wait_for(lambda: sum("sleep 300" in line for line in living()) >= 3)
    process.send_signal(signal.SIGINT)
    assert process.wait(15) == 130 and living(10) == []


def test_what_a_delegate_left_running_ends_with_it(begin, tmp_path):
    left = call("terminal", command="exec sleep 301.75", background=True)
    count = call("terminal", command="pgrep -fxc 'sleep 301.75' || true")
    seen = call("terminal", command="pgrep -fx 'sleep 301.75' > seen; cat seen")
    process = begin(call("delegate_task", tasks=[{"task": "x"}]), left, seen, "It runs.", count, "Done.")
    out, err = process.communicate(timeout=60)
    calls = json.loads(out)["calls"]
    assert json.loads(calls[0]["content"])["results"][0]["state"] == "done", err
    assert (tmp_path / "seen").read_text().strip()
    assert json.loads(calls[1]["content"])["output"].strip() == "0"


def test_an_agent_that_is_started_by_a_command_counts(begin, tmp_path, home):
    deeper = tmp_path / "deeper.json"
    deeper.write_text(json.dumps(["I am deep."]))
    words = f"PYTHONPATH={SRC} HANDIWORK_HOME={home} {sys.executable} -m handiwork run y --model scripted:{deeper}"
    nested = call("terminal", command=f"{words}; echo code=$?")
    process = begin(nested, "Done.", HANDIWORK_DEPTH="1")
    assert "I am deep." in json.loads(process.communicate(timeout=60)[0])["calls"][0]["content"]
    process = begin(nested, "Done.", HANDIWORK_DEPTH="2")
    content = json.loads(process.communicate(timeout=60)[0])["calls"][0]["content"]
    assert "code=4" in content and "I am deep." not in content
