import os
import re
import signal
import tempfile
import threading
import time
from dataclasses import replace

import pytest

from handiwork.backends.environment.jobs import SessionJobs
from handiwork.backends.environment.local import LocalEnvironment
from handiwork.core.cancel import CancelToken
from handiwork.core.errors import UsageError
from handiwork.core.types import Done, Scope, ShellState
from handiwork.tools import terminal as tools
from handiwork.tools.terminal import process, terminal

pytestmark = pytest.mark.integration  # real processes and servers


@pytest.fixture
def scope(tmp_path):
    environment = LocalEnvironment(tmp_path / "results")
    yield Scope(cwd=str(tmp_path), session_id=os.urandom(4).hex(), environment=environment)
    environment.close()


@pytest.fixture
def session(scope):
    """The scope of a session whose commands follow each other."""
    return replace(scope, shell=ShellState(scope.cwd))


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


def test_folder_and_exported_variables_are_handed_on_and_nothing_else(session, tmp_path):
    (tmp_path / "sub").mkdir()
    first = terminal("cd sub; export CARRIED=1; alias ls=false; f() { :; }; PLAIN=1", scope=session)
    assert first.value["cwd"] == f"{tmp_path}/sub"
    told = terminal("echo $PWD $CARRIED [$PLAIN]; ls; type f 2>&1; cd -", scope=session).value
    assert told["output"].startswith(f"{tmp_path}/sub 1 []\n") and "not found" in told["output"]
    assert told["cwd"] == str(tmp_path)
    terminal("unset CARRIED PATH", scope=session)
    assert terminal("echo [${CARRIED-gone}]; echo ${PATH:+set}", scope=session).value["output"] == "[gone]\nset\n"


def test_what_was_unset_stays_so(session, monkeypatch):
    monkeypatch.setenv("LC_TIME", "C.UTF-8")
    assert terminal("echo $LC_TIME", scope=session).value["output"] == "C.UTF-8\n"
    terminal("unset LC_TIME", scope=session)
    assert terminal("echo [${LC_TIME-unset}]", scope=session).value["output"] == "[unset]\n"


def test_without_a_session_nothing_is_carried(scope, tmp_path):
    assert terminal("cd /; export CARRIED=1", scope=scope).value["cwd"] == str(tmp_path)
    assert terminal("echo $PWD $CARRIED", scope=scope).value["output"].strip() == str(tmp_path)


def test_a_folder_given_for_one_command_is_not_the_sessions(session, tmp_path):
    (tmp_path / "a" / "b").mkdir(parents=True)
    value = terminal("pwd; export X=1", cwd="a", scope=session).value
    assert (value["output"], value["cwd"]) == (f"{tmp_path}/a\n", str(tmp_path))
    value = terminal("cd b && pwd", cwd="a", scope=session).value
    assert value["cwd"] == f"{tmp_path}/a/b" and session.shell.exported["X"] == "1"
    assert terminal("pwd", cwd="..", scope=session).value["output"] == f"{tmp_path}/a\n"


@pytest.mark.parametrize("command", ["cd /; exec true", "cd /; kill -9 $$", "mkdir x; cd x; rmdir ../x"])
def test_where_the_end_is_not_told_the_old_state_stays_and_that_is_said(session, tmp_path, command):
    value = terminal(command, scope=session).value
    assert value["cwd"] == str(tmp_path) and "isn't known" in value["note"]


def test_a_timeout_hands_on_what_was_told(session):
    value = terminal("cd /usr; sleep 30", timeout=0.3, scope=session).value
    assert value["cwd"] in ("/usr", session.cwd)
    assert ("isn't known" in value["note"]) == (value["cwd"] == session.cwd)


def test_a_session_whose_folder_is_gone_is_taken_back(session, tmp_path):
    terminal("mkdir build; cd build", scope=session)
    (tmp_path / "build").rmdir()
    with pytest.raises(UsageError, match="is gone") as error:
        terminal("pwd", scope=session)
    assert str(tmp_path) in error.value.hint
    assert terminal("pwd", scope=session).value["output"] == f"{tmp_path}\n"


@pytest.mark.integration
def test_of_two_at_once_the_later_end_counts(session):
    session.shell.exported["BOTH"] = "1"
    outputs = {}

    def run(name, command):
        outputs[name] = terminal(command, scope=session).value["output"]

    slow = threading.Thread(target=run, args=("slow", "pwd; echo $BOTH; sleep 0.4; cd /usr; export BY=slow"))
    slow.start()
    time.sleep(0.15)
    run("fast", "cd /; export BY=fast")
    assert session.shell.cwd == "/"
    slow.join()
    assert outputs["slow"] == f"{session.cwd}\n1\n"
    assert session.shell.cwd == "/usr" and session.shell.exported["BY"] == "slow"


def test_a_signal_is_named(session):
    assert terminal("sh -c 'kill -9 $$'", scope=session).value["signal"] == "SIGKILL"
    assert "signal" not in terminal("exit 3", scope=session).value


def test_a_terminal_is_there_when_it_is_asked_for(session):
    ask = "test -t 0 && test -t 1 && stty size; cat; printf '\\033[31mred\\033[0m\\r\\n'"
    value = terminal(ask, pty=True, timeout=10, scope=session).value
    assert value["output"] == "40 120\nred\n" and value["exit_code"] == 0
    assert terminal("test -t 1", scope=session).value["exit_code"] == 1
    assert terminal("cd /usr", pty=True, scope=session).value["cwd"] == "/usr"


def test_programs_for_people_are_answered_with_an_advice(session):
    assert "code" in terminal("python3 -q", scope=session).value["note"]
    assert "note" not in terminal("echo top", scope=session).value
    with pytest.raises(UsageError, match="nothing was run") as error:
        terminal("cd . && vim notes.txt", scope=session)
    assert "sed" in error.value.hint


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


def test_a_start_is_answered_with_its_handle_and_what_is_known(scope):
    started = terminal("echo up; sleep 30", background=True, scope=scope)
    assert isinstance(started, Done) and not started.is_error  # not pending: the call has its answer
    assert started.value["running"] and started.value["latest_output"] == "up\n"


def test_a_background_process_starts_with_the_sessions_state(session):
    terminal("cd /usr; export GIVEN=1", scope=session)
    value = terminal("echo $PWD $GIVEN; sleep 30", background=True, scope=session).value
    assert value["latest_output"] == "/usr 1\n" and value["cwd"] == "/usr"


def test_signals_waits_and_watches(scope):
    command = "trap 'echo got hup' HUP; echo ready; while :; do sleep 0.05; done"
    name = terminal(command, background=True, watch="got", scope=scope).value["id"]
    assert process("wait", id=name, until_text="ready", scope=scope)["came"] == "text"
    process("signal", id=name, signal="SIGHUP", scope=scope)
    assert process("wait", id=name, until_text="got hup", scope=scope)["came"] == "text"
    with pytest.raises(UsageError, match="no signal"):
        process("signal", id=name, signal="NOPE", scope=scope)
    table = SessionJobs(scope.environment, scope.session_id)
    assert "'got' once" in table.notices()[0]
    ended = process("signal", id=name, signal="KILL", scope=scope)
    assert ended["exit_code"] == 137 and ended["signal"] == "SIGKILL"
    assert "has ended" in table.notices()[0] and not table.notices()


@pytest.mark.integration
def test_a_program_for_a_terminal_is_talked_to(scope):
    name = terminal("python3 -q", background=True, pty=True, scope=scope).value["id"]
    assert process("wait", id=name, until_text=">>> ", timeout=20, scope=scope)["came"] == "text"
    process("write", id=name, text="print(6 * 7)\n", scope=scope)
    assert process("wait", id=name, until_text="42", scope=scope)["came"] == "text"
    process("write", id=name, text="\x04", scope=scope)
    assert process("wait", id=name, timeout=10, scope=scope)["exit_code"] == 0


def test_what_was_told_at_once_is_no_news(scope):
    terminal("exit 3", background=True, scope=scope)
    assert SessionJobs(scope.environment, scope.session_id).notices() == []


def test_lifetimes(scope):
    turn = terminal("sleep 30", background=True, lifetime="turn", scope=scope).value["id"]
    session = terminal("sleep 30", background=True, scope=scope).value["id"]
    SessionJobs(scope.environment, scope.session_id).end_turn()
    rows = {row["id"]: row for row in process("list", scope=scope)["processes"]}
    assert rows[turn]["exit_code"] == 137 and rows[session]["exit_code"] is None
    assert (rows[turn]["lifetime"], rows[session]["lifetime"]) == ("turn", "session")


@pytest.mark.integration
def test_what_is_detached_outlives_its_environment_and_says_how_to_end_it(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    environment = LocalEnvironment(tmp_path)
    scope = Scope(cwd="/", session_id="d", environment=environment)
    started = terminal("echo up; exec sleep 60", background=True, lifetime="detached", scope=scope)
    path, keeper = re.search(r"output is in (\S+), and `kill (\d+)`", started.value["note"]).groups()
    assert started.value["latest_output"] == "up\n" and os.stat(path).st_mode & 0o777 == 0o600
    with pytest.raises(UsageError, match="reads no input"):
        process("write", id=started.value["id"], text="x", scope=scope)
    for wrong in ({"watch": "up"}, {"pty": True}):
        with pytest.raises(UsageError, match="detached"):
            terminal("sleep 60", background=True, lifetime="detached", scope=scope, **wrong)
    environment.close()
    assert os.path.exists(f"/proc/{keeper}")
    os.kill(int(keeper), signal.SIGTERM)
    wait_until(lambda: process("poll", id=started.value["id"], scope=scope)["exit_code"] == 137)


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
    process("wait", id=name, timeout=20, scope=replace(scope, cancel=token))
    assert time.monotonic() - begin < 3


def test_without_a_scope_it_runs_on_this_machine():
    assert terminal("echo here").value["output"] == "here\n"
    assert tools.default_environment() is tools.default_environment()
