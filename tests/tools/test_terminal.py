import os
import threading
import time

import pytest

from handiwork.backends.environment.local import LocalEnvironment
from handiwork.core.cancel import CancelToken
from handiwork.core.errors import UsageError
from handiwork.core.types import Scope
from handiwork.tools import terminal as tools
from handiwork.tools.terminal import process, terminal


@pytest.fixture
def scope(tmp_path):
    environment = LocalEnvironment(tmp_path / "results")
    yield Scope(cwd=str(tmp_path), session_id=os.urandom(4).hex(), environment=environment)
    environment.close()


def wait_until(condition, seconds=5):
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert condition()


def test_a_command_runs_in_the_directory_of_the_scope(scope, tmp_path):
    done = terminal("pwd; echo err >&2", scope=scope)
    assert done.value["output"] == f"{tmp_path}\nerr\n"
    assert done.value["exit_code"] == 0 and done.value["cwd"] == str(tmp_path)
    assert not done.is_error and done.value["duration_ms"] >= 0
    (tmp_path / "sub").mkdir()
    assert terminal("pwd", cwd="sub", scope=scope).value["output"] == f"{tmp_path}/sub\n"
    assert terminal("pwd", cwd="/", scope=scope).value["output"] == "/\n"


def test_nothing_is_carried_from_one_call_to_the_next(scope, tmp_path):
    terminal("cd /; export CARRIED=1; alias ls=false", scope=scope)
    assert terminal("echo $PWD $CARRIED", scope=scope).value["output"].strip() == str(tmp_path)


@pytest.mark.parametrize(
    ("command", "is_error"),
    [
        ("echo x | grep y", False),
        ("cd . && grep -r nothing . ", False),
        ("test -f nowhere", False),
        ("X=1 /bin/grep y /dev/null", False),
        ("grep y /no/such/file", True),
        ("false", True),
        ("grep y /dev/null; false", True),
    ],
)
def test_finding_nothing_is_no_error(scope, command, is_error):
    done = terminal(command, scope=scope)
    assert done.value["exit_code"] != 0 and done.is_error == is_error
    assert ("note" in done.value) != is_error


def test_a_timeout_keeps_the_output_and_says_what_to_do(scope):
    done = terminal("echo before; sleep 30", timeout=0.3, scope=scope)
    assert done.is_error and done.value["output"] == "before\n" and "background=true" in done.value["note"]


def test_a_deadline_of_the_scope_comes_first(scope):
    begin = time.monotonic()
    short = Scope(cwd=scope.cwd, environment=scope.environment, deadline=begin + 0.3)
    assert terminal("sleep 30", scope=short).is_error
    assert time.monotonic() - begin < 3


def test_a_cancel_reaches_the_command(scope):
    token = CancelToken()
    threading.Timer(0.2, token.cancel).start()
    done = terminal("sleep 30", scope=Scope(cwd=scope.cwd, environment=scope.environment, cancel=token))
    assert "cancelled" in done.value["note"]


def test_a_question_that_nobody_answers_is_explained(scope):
    done = terminal("echo 'sudo: a terminal is required to read the password'; exit 1", scope=scope)
    assert "nobody is there" in done.value["note"]


def test_long_output_names_the_file_that_has_it_all(scope):
    value = terminal("seq 100000", scope=scope).value
    assert len(value["output"]) <= 50_000
    with open(value["whole_output"]) as file:
        assert file.read().count("\n") == 100_000


def test_mistakes_are_named(scope):
    with pytest.raises(UsageError, match="empty"):
        terminal("  ", scope=scope)
    with pytest.raises(UsageError, match="no directory"):
        terminal("true", cwd="nowhere", scope=scope)
    with pytest.raises(UsageError, match="unknown process"):
        process("poll", id="bg99", scope=scope)


def test_a_background_process_from_start_to_end(scope):
    started = terminal("echo up; read line; echo got $line; sleep 30", background=True, scope=scope).value
    assert started["running"] and started["latest_output"] == "up\n"
    name = started["id"]
    wrote = process("write", id=name, text="hello\n", scope=scope)
    assert "got hello" in wrote["latest_output"]
    assert process("list", scope=scope)["processes"][0]["id"] == name
    page = process("output", id=name, offset=started["next_offset"], scope=scope)
    assert page["output"] == "got hello\n"
    assert process("wait", id=name, timeout=0.1, scope=scope)["running"]
    killed = process("kill", id=name, scope=scope)
    assert not killed["running"] and killed["exit_code"] == 137
    # looking has no side effects: the end is told as often as it is asked for
    for _ in range(2):
        assert process("poll", id=name, scope=scope)["exit_code"] == 137


def test_what_fails_at_once_is_told_at_once(scope):
    done = terminal("echo no such thing; exit 3", background=True, scope=scope)
    assert done.is_error and done.value["exit_code"] == 3 and "no such thing" in done.value["latest_output"]


def test_a_server_started_with_an_ampersand_gets_a_handle(scope):
    value = terminal("(echo serving; sleep 30; echo later) & echo started", scope=scope).value
    assert "started" in value["output"]
    assert process("kill", id=value["still_running"], scope=scope)["running"] is False


def test_sessions_do_not_see_each_other(scope):
    name = terminal("sleep 30", background=True, scope=scope).value["id"]
    other = Scope(cwd=scope.cwd, session_id="another", environment=scope.environment)
    assert process("list", scope=other) == {"processes": []}
    with pytest.raises(UsageError):
        process("kill", id=name, scope=other)
    assert process("poll", id=name, scope=scope)["running"]


def test_waiting_hears_a_cancel(scope):
    name = terminal("sleep 30", background=True, scope=scope).value["id"]
    token = CancelToken()
    threading.Timer(0.2, token.cancel).start()
    begin = time.monotonic()
    process("wait", id=name, timeout=20, scope=Scope(session_id=scope.session_id, cancel=token))
    assert time.monotonic() - begin < 3


def test_ended_processes_are_forgotten_in_the_end(scope, monkeypatch):
    monkeypatch.setattr(tools, "MAX_ENDED", 3)
    for _ in range(6):
        terminal("true", background=True, scope=scope)
    running = terminal("sleep 30", background=True, scope=scope).value["id"]
    ids = [row["id"] for row in process("list", scope=scope)["processes"]]
    assert len(ids) == 4 and running in ids


def test_without_a_scope_it_runs_on_this_machine():
    assert terminal("echo here").value["output"] == "here\n"
    assert tools.default_environment() is tools.default_environment()
