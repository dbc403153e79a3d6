"""What holds in every place where commands run."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest

from handiwork.core.cancel import CancelToken
from handiwork.core.errors import HandiworkError, UsageError
from handiwork.core.types import Command

pytestmark = pytest.mark.integration

# Lengths of sleeps by which the processes of one test are told from all others.
_NUMBER = iter(range(71_003, 79_000, 7))


@pytest.fixture(params=("local", "bubblewrap", "landlock", "ssh", "docker"))
def kind(request):
    return request.param


@pytest.fixture
def place(kind, open_place):
    return open_place(kind)


@pytest.fixture
def short(kind):
    """Long enough for a command to begin, where it must go far for that. Seconds."""
    return 2.0 if kind in ("ssh", "docker") else 0.5


@pytest.fixture
def here(kind, room, command):
    """Commands with a folder that the place has."""

    def make(text, **more):
        return command(text, **{"cwd": "/tmp", **more} if kind == "docker" else more)

    return make


@pytest.fixture
def nap():
    """A sleep that no other test sleeps, and the processes that sleep it."""

    class Nap:
        seconds = str(next(_NUMBER) + os.getpid() % 7)

        def sleepers(self):
            return _sleepers(self.seconds)

        def gone(self):
            deadline = time.monotonic() + 5
            while (left := self.sleepers()) and time.monotonic() < deadline:
                time.sleep(0.05)
            return not left

    return Nap()


def test_output_exit_code_and_folder(place, here, kind, room):
    ran = place.run(here("echo out; echo err >&2; pwd; exit 3"))
    assert ran.output == f"out\nerr\n{'/tmp' if kind == 'docker' else room}\n"
    assert ran.exit_code == 3 and not ran.timed_out and not ran.cancelled


def test_a_signal_is_told_as_a_shell_tells_it(place, here):
    assert place.run(here("kill -SEGV $$")).exit_code == 128 + signal.SIGSEGV


def test_a_folder_that_is_not_there_is_named(place, here):
    with pytest.raises(UsageError, match="no directory /does/not/exist"):
        place.run(here("true", cwd="/does/not/exist"))


def test_standard_input_is_empty(place, here):
    ran = place.run(here("cat; echo end", timeout_s=10))
    assert ran.output == "end\n" and not ran.timed_out


def test_our_variables_stay_here_and_given_ones_get_there(place, here, monkeypatch):
    monkeypatch.setenv("SOME_API" + "_KEY", "hidden" + "-value")
    ran = place.run(here("env", env={"GIVEN": "a 'b' \"c\" $HOME `id` \\ ü\n2"}))
    assert "hidden-value" not in ran.output
    assert "GIVEN=a 'b' \"c\" $HOME `id` \\ ü\n2\n" in ran.output
    assert "TERM=dumb" in ran.output


def test_a_text_is_not_read_twice(place, here):
    text = """printf '%s|' 'a b' "c'd" "e\\"f" 'g\\h' '$HOME' "é😀" '!!' '`x`' ; echo"""
    assert place.run(here(text)).output == "a b|c'd|e\"f|g\\h|$HOME|é😀|!!|`x`|\n"


def test_big_output_is_cut_and_kept(place, here):
    ran = place.run(here("seq 1 200000", max_output_chars=2000))
    assert ran.exit_code == 0 and len(ran.output) < 2500
    assert ran.output.startswith("1\n2\n") and ran.output.endswith("199999\n200000\n")
    assert Path(ran.path).read_text().splitlines()[123_456] == "123457"


@pytest.mark.parametrize(
    "frame", ["sleep N", "setsid sleep N & sleep N", "(setsid sh -c 'sleep N & sleep N' &) ; sleep N"]
)
def test_a_timeout_ends_the_tree_and_keeps_what_was_printed(place, here, nap, short, frame):
    ran = place.run(here(f"echo before; {frame.replace('N', nap.seconds)}", timeout_s=short))
    assert ran.timed_out and ran.output.startswith("before\n") and ran.exit_code >= 128
    assert nap.gone()


def test_a_command_that_will_not_listen_is_ended_too(place, here, nap, short):
    ran = place.run(here(f"trap '' TERM; echo deaf; sleep {nap.seconds}; sleep {nap.seconds}", timeout_s=short))
    assert ran.timed_out and nap.gone()


def test_a_cancel_ends_it_soon(place, here, nap):
    token = CancelToken()
    place.run(here("true"))  # a connection takes its time
    threading.Timer(0.5, token.cancel).start()
    began = time.monotonic()
    ran = place.run(here(f"sleep {nap.seconds}"), token)
    assert ran.cancelled and time.monotonic() - began < 4
    assert nap.gone()


def test_what_is_left_in_the_background_does_not_hold_the_run(place, here, nap):
    began = time.monotonic()
    ran = place.run(here(f"sleep {nap.seconds} & echo started"))
    assert ran.output == "started\n" and ran.exit_code == 0 and time.monotonic() - began < 5
    assert nap.sleepers()
    place.close()
    assert nap.gone()


def test_a_spawned_command_reads_what_is_typed(place, here):
    process = place.spawn(here("cat; echo bye"))
    process.write("hello\n")
    process.write("\x04")
    assert process.wait(10) == 0
    assert process.output()[0] == "hello\nbye\n"


def test_a_spawned_command_is_killed_with_its_tree(place, here, nap):
    process = place.spawn(here(f"setsid sleep {nap.seconds} & sleep {nap.seconds}"))
    _await(nap.sleepers)
    assert process.poll() is None
    process.kill()
    assert nap.gone() and process.wait(2) != 0


def test_one_that_is_killed_at_once_never_runs_on(place, here, nap):
    place.spawn(here(f"sleep {nap.seconds}")).kill()
    time.sleep(0.5)
    assert nap.gone()


def test_closing_leaves_nothing_and_starts_nothing(place, here, nap):
    place.spawn(here(f"sleep {nap.seconds}"))
    _await(nap.sleepers)
    place.close()
    assert nap.gone()
    with pytest.raises(HandiworkError):
        place.run(here("true"))


def test_the_next_command_finds_the_files_of_the_one_before(place, here):
    place.run(here("echo kept > $PWD/a-file.txt; mkdir -p sub; ln -s a-file.txt link"))
    assert place.run(here("cat link; ls")).output.splitlines()[0] == "kept"


def test_a_private_temporary_folder_lasts_from_one_command_to_the_next(place, here):
    place.run(here('echo kept > "${TMPDIR:-/tmp}/between"'))
    ran = place.run(here('cat "${TMPDIR:-/tmp}/between"; rm "${TMPDIR:-/tmp}/between"'))
    assert ran.output == "kept\n"


def test_commands_run_side_by_side(place, here):
    place.run(here("true"))
    answers: dict[int, str] = {}

    def go(number):
        answers[number] = place.run(here(f"sleep 0.3; echo {number}")).output

    threads = [threading.Thread(target=go, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {n: f"{n}\n" for n in range(4)}


def test_a_command_hands_on_its_folder_and_variables(place, here):
    ran = place.run(here("mkdir -p deeper && cd deeper && export MADE='x y'"))
    assert ran.state is not None
    assert ran.state.cwd.endswith("/deeper") and ran.state.exported["MADE"] == "x y"


def test_files_are_written_listed_and_read_where_commands_run(place, here, kind, room):
    folder = "/tmp" if kind == "docker" else str(room)
    path = f"{folder}/it's é.txt"
    state = place.files.replace(path, b"one\0two\n", expected=None)
    assert place.run(here("cat \"it's é.txt\" | tr '\\0' ' '")).output == "one two\n"
    assert place.files.stat(path) == state and dict(place.files.names(folder))["it's é.txt"] == state
    place.run(here('printf changed > "it\'s é.txt"'))
    with place.files.open(place.files.real(path)) as file:
        assert file.read() == b"changed"
    place.files.remove(path, expected=place.files.stat(path))
    assert place.files.stat(path) is None


def _sleepers(seconds):
    words = ["pgrep", "-fx", f"sleep {seconds}"]
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout.split()


def _await(found):
    deadline = time.monotonic() + 5
    while not found() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert found()


def test_a_lost_connection_ends_what_ran_over_it(open_place, command, nap_of_ssh):
    place = open_place("ssh")
    place.spawn(command(f"sleep {nap_of_ssh.seconds}"))
    _await(nap_of_ssh.sleepers)
    os.kill(place._outpost._child.pid, signal.SIGKILL)
    assert nap_of_ssh.gone()
    assert place.run(command("echo again")).output == "again\n"


@pytest.fixture
def nap_of_ssh(request):
    class Nap:
        seconds = str(next(_NUMBER))

        def sleepers(self):
            return _sleepers(self.seconds)

        def gone(self):
            deadline = time.monotonic() + 8
            while self.sleepers() and time.monotonic() < deadline:
                time.sleep(0.05)
            return not self.sleepers()

    return Nap()


def test_a_host_that_does_not_answer_is_said_so(open_place, room):
    place = open_place("ssh")
    place._outpost._line._host = "nowhere.invalid"
    with pytest.raises(HandiworkError, match=r"no connection: .*nowhere\.invalid"):
        place.run(Command("true", cwd=str(room)))
