"""Terminals as agents use them: many sessions at once, floods, servers, ends, all through the whole pipeline."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import pytest

from handiwork.agent.spending import Budget
from handiwork.apps.agents import Face, build_agent
from handiwork.apps.house import House
from handiwork.catalog.discovery import Scanner
from handiwork.catalog.store import registry as built_in
from handiwork.core.cancel import CancelToken
from handiwork.core.types import ToolCall
from handiwork.sources.builtin import load_builtins
from handiwork.sources.modules import Harvest
from handiwork.testing import ScriptedModel

pytestmark = pytest.mark.integration


@pytest.fixture
def house(tmp_path):
    load_builtins(built_in, Scanner(""), Harvest())
    opened = House(built_in, home=str(tmp_path / "home"))
    yield opened
    opened.close()


def call(house, session, name, *, cwd, **args):
    """One call of a session as a face would make it, with a person who says yes."""
    scope = house.scope(session_id=session, cwd=str(cwd), approver=lambda *_: True)
    result = house.pipeline.run(ToolCall(name, args, scope=scope))
    return json.loads(result.content)


def python(folder, script, *args, typed="", code=0):
    """What a Python of its own prints."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "HANDIWORK_HOME": str(folder / "h")}
    env["TMPDIR"] = str(folder)
    argv = [sys.executable, "-c", script, *args]
    done = subprocess.run(argv, input=typed, env=env, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    return done.stdout


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def running(mark):
    """The command lines in the process table that hold *mark*, but for those of a sandbox around them."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                line = file.read().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if mark in line and "bwrap" not in line:
            found.append(line)
    return found


def gone(mark, seconds=5.0):
    deadline = time.monotonic() + seconds
    while running(mark) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not running(mark)


def test_a_hundred_sessions_do_not_hear_of_each_other(house, tmp_path):
    """Folder, variables and processes of 100 sessions whose calls interleave (R13)."""
    mark = f"60.{os.getpid()}{time.time_ns() % 1_000_000}"

    def live(number):
        name, home = f"s{number}", tmp_path / f"w{number}"
        home.mkdir()
        say = partial(call, house, name, "terminal", cwd=tmp_path)
        look = partial(call, house, name, "process", cwd=tmp_path)
        say(command=f"cd w{number}; export MINE={number} ONLY_{number}=1")
        lifetime = "session" if number % 2 else "turn"
        started = say(command=f"echo from $MINE; exec sleep {mark}", background=True, lifetime=lifetime)
        seen = say(command="pwd; echo $MINE; env | grep -c ^ONLY_; touch here")
        listed = look(action="list")["processes"]
        late = look(action="wait", id=started["id"], until_text="from", timeout=20)
        return seen["output"], [row["id"] for row in listed], started["id"], late["latest_output"], os.listdir(home)

    with ThreadPoolExecutor(12) as pool:
        lives = list(pool.map(live, range(100)))
    for number, (output, listed, started, printed, files) in enumerate(lives):
        assert output == f"{tmp_path}/w{number}\n{number}\n1\n"
        assert listed == [started] and printed == f"from {number}\n" and files == ["here"]
    assert len({started for _, _, started, _, _ in lives}) == 100
    assert len(running(mark)) == 100
    for number in range(100):
        house.background(f"s{number}").end_turn()
    assert len(running(mark)) == 50
    house.close()
    assert gone(mark)


def test_a_gibibyte_of_output_is_bounded_in_memory(tmp_path):
    script = """
import json, os, sys
from handiwork import handle_function_call
def resident(which):
    return next(int(l.split()[1]) for l in open("/proc/self/status") if l.startswith(which + ":")) / 1024
def call(command):
    return json.loads(handle_function_call("terminal", {"command": command}, cwd=sys.argv[1], approver=lambda *_: True))
call("seq 30000")
open("/proc/self/clear_refs", "w").write("5")
before = resident("VmRSS")
said = call("head -c 1073741824 /dev/zero | tr '\\\\0' x; echo; echo the end")
grown, shown, file = resident("VmHWM") - before, said["output"], os.stat(said["whole_output"])
print(json.dumps([grown, len(shown), shown[-8:], file.st_mode & 0o777, file.st_size]))
"""
    grown, shown, end, mode, size = json.loads(python(tmp_path, script, str(tmp_path)))
    assert grown <= 8 and shown <= 50_000 and end == "the end\n"
    assert mode == 0o600 and size == 256 << 20


@pytest.mark.parametrize(
    "command",
    [
        "{server} & echo started",  # TRM01, TRM09 and kin: whoever holds the pipe, the answer comes
        "setsid {server} & disown; echo started",
        "({server} &) ; echo started",
        "nohup {server} > log 2>&1 & echo started",
        "bash -c '{server} & wait' & echo started",
        "coproc {server}; echo started",
    ],
)
def test_a_server_that_is_left_behind_does_not_hold_the_answer(house, tmp_path, command):
    mark = f"61.{time.time_ns() % 1_000_000_000}"
    begin = time.monotonic()
    said = call(house, "s", "terminal", cwd=tmp_path, command=command.format(server=f"sleep {mark}"))
    assert time.monotonic() - begin < 3 and "started" in said["output"] and said["exit_code"] == 0
    assert running(mark)
    assert not call(house, "s", "process", cwd=tmp_path, action="kill", id=said["still_running"])["running"]
    assert gone(mark)


@pytest.mark.parametrize(
    "command",
    [
        "setsid sleep {m} & sleep {m}",
        "(setsid bash -c 'sleep {m} & sleep {m}' &); sleep {m}",
        "trap '' TERM HUP; sleep {m}; sleep {m}",
    ],
)
def test_a_timeout_and_a_cancel_leave_nothing(house, tmp_path, command):
    """CAN01, CAN04 and kin, wherever the children went."""
    mark = f"62.{time.time_ns() % 1_000_000_000}"
    said = call(house, "s", "terminal", cwd=tmp_path, command=command.format(m=mark), timeout=0.3)
    assert "ended after" in said["note"] and gone(mark, 1)
    token = CancelToken()
    scope = house.scope(session_id="c", cwd=str(tmp_path), approver=lambda *_: True)
    bound = house.pipeline.bind(replace(scope, cancel=token))
    threading.Timer(0.3, token.cancel).start()
    begin = time.monotonic()
    said = json.loads(
        house.pipeline.run(ToolCall("terminal", {"command": command.format(m=mark)}, scope=bound)).content
    )
    assert "cancelled" in said["note"] and time.monotonic() - begin < 3 and gone(mark, 1)


@pytest.mark.parametrize(
    "command",
    [
        "cat",
        "read x; echo [$x]",
        "cat /dev/tty",
        "python3 -c 'input()'",
        "(exec < /dev/tty) 2>&1",
        "ssh-keygen -y -f x",
    ],
)
def test_nobody_reads_our_standard_input_or_our_terminal(tmp_path, command):
    """TRM02, CAN08: a host on stdio keeps its input, and none of its commands waits for it."""
    script = """
import json, sys
from handiwork import handle_function_call
said = json.loads(handle_function_call("terminal", {"command": sys.argv[1], "timeout": 20}, approver=lambda *_: True))
print(json.dumps([said["duration_ms"], sys.stdin.readline()]))
"""
    duration, line = json.loads(python(tmp_path, script, command, typed="mine\n"))
    assert duration < 5000 and line == "mine\n"


def test_the_folder_of_the_call_is_where_it_runs_wherever_we_started(house, tmp_path, monkeypatch):
    """TRM04 and kin: configured folder, a folder with blanks, a link, a folder of one command, the session's."""
    (tmp_path / "a b").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "a b")
    monkeypatch.chdir("/")
    assert call(house, "1", "terminal", cwd=tmp_path / "a b", command="pwd")["output"] == f"{tmp_path}/a b\n"
    assert call(house, "2", "terminal", cwd=tmp_path / "link", command="pwd -P")["output"] == f"{tmp_path}/a b\n"
    assert call(house, "3", "terminal", cwd=tmp_path, command="cd 'a b' && pwd")["cwd"] == f"{tmp_path}/a b"
    assert call(house, "3", "terminal", cwd=tmp_path, command="ls -d ../link")["output"] == "../link\n"
    assert call(house, "3", "terminal", cwd=tmp_path, command="pwd")["output"] == f"{tmp_path}/a b\n"


def test_a_flood_in_the_background_is_drained_and_capped(house, tmp_path):
    """TRM13: the pipe never fills, memory stays, what is lost is said."""
    started = call(house, "s", "terminal", cwd=tmp_path, command="yes | head -c 300000000; sleep 60", background=True)
    end = "process"
    for _ in range(200):
        state = call(house, "s", end, cwd=tmp_path, action="poll", id=started["id"])
        if state["next_offset"] >= 300_000_000:
            break
        time.sleep(0.05)
    assert state["next_offset"] == 300_000_000 and state["running"]
    page = call(house, "s", end, cwd=tmp_path, action="output", id=started["id"])
    assert "no longer kept" in page["output"]


def test_a_flood_of_matches_is_few_notices(house, tmp_path):
    """TRM08: as often as it is asked, once."""
    call(
        house,
        "s",
        "terminal",
        cwd=tmp_path,
        command="yes ERROR | head -c 3000000; sleep 60",
        background=True,
        watch="ERROR",
    )
    beside, told = house.background("s"), []
    deadline = time.monotonic() + 2
    while time.monotonic() < deadline:
        told += beside.notices()
        time.sleep(0.01)
    assert len(told) == 1


def test_a_server_is_started_waited_for_used_and_ended(house, tmp_path):
    port = free_port()
    (tmp_path / "page").write_text("hello")
    command = f"sleep 0.3; exec python3 -m http.server --bind 127.0.0.1 {port}"
    started = call(house, "s", "terminal", cwd=tmp_path, command=command, background=True)
    assert started["running"]
    came = call(house, "s", "process", cwd=tmp_path, action="wait", id=started["id"], until_port=port, timeout=20)
    assert came["came"] == "port"
    fetch = f"python3 -c \"import urllib.request as u; print(u.urlopen('http://127.0.0.1:{port}/page').read())\""
    assert "hello" in call(house, "s", "terminal", cwd=tmp_path, command=fetch)["output"]
    ended = call(house, "s", "process", cwd=tmp_path, action="signal", id=started["id"], signal="INT")
    came = call(house, "s", "process", cwd=tmp_path, action="wait", id=started["id"], timeout=5)
    assert came["came"] == "end" and not came["running"], ended
    assert len(house.background("s").notices()) == 1


def test_an_agent_hears_once_of_what_it_started_and_what_was_for_its_turn_ends_with_it(house, tmp_path):
    mark = f"64.{time.time_ns() % 1_000_000_000}"

    def asks(command, **more):
        return {"calls": [{"name": "terminal", "arguments": {"command": command, **more}}]}

    model = ScriptedModel(
        [
            asks("sleep 0.3; exit 4", background=True),
            asks(f"exec sleep {mark}", background=True, lifetime="turn"),
            asks("sleep 0.6"),
            asks("echo more"),
            "done",
        ]
    )
    face = Face("test", ("terminal",), approver=lambda *_: True)
    agent = build_agent(house, model, face, cwd=str(tmp_path), budget=Budget())
    assert asyncio.run(agent.run("go")).answer == "done"
    said = [str(m["content"]) for m in agent.conversation.messages]
    news = [text for text in said if text.startswith("[background:")]
    assert news == ["[background: bg1 (sleep 0.3; exit 4) has ended with exit code 4]"]
    assert gone(mark, 1)


def test_what_is_detached_outlives_the_host_even_when_it_is_killed(tmp_path):
    mark = f"63.{time.time_ns() % 1_000_000_000}"
    script = """
import os, signal, sys
from handiwork import handle_function_call
for lifetime in ("detached", "session"):
    args = {"command": f"echo {lifetime}; exec sleep {sys.argv[1]}", "background": True, "lifetime": lifetime}
    print(handle_function_call("terminal", args, approver=lambda *_: True), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    note = json.loads(python(tmp_path, script, mark, code=-signal.SIGKILL).splitlines()[0])["note"]
    deadline = time.monotonic() + 5
    while len(running(f"sleep {mark}")) > 1 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert len(running(f"sleep {mark}")) == 1
    os.kill(int(note.rpartition("`kill ")[2].partition("`")[0]), signal.SIGTERM)
    assert gone(mark)
