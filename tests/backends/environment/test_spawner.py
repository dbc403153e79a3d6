"""Real processes from the one spawner: what they are connected to, and that nothing of them stays."""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from handiwork.backends.environment.children.beginning import Ends
from handiwork.backends.environment.children.child import Nursery
from handiwork.backends.environment.children.spawner import SPAWNER, Spawner
from handiwork.backends.environment.follow import Follower
from handiwork.core.errors import HandiworkError, UsageError

pytestmark = pytest.mark.integration  # real processes and servers

ENV = {"PATH": os.environ["PATH"]}


@pytest.fixture
def nursery(living):
    nursery = Nursery()
    yield nursery
    nursery.close()
    assert living(1) == []


@pytest.fixture
def start(nursery, tmp_path):
    def begin(text, **more):
        return nursery.start(["bash", "-c", text], **{"cwd": str(tmp_path), "env": ENV, **more})

    return begin


def heard(child, seconds=10.0):
    """All output of a child that ends by itself."""
    chunks = []
    assert Follower(child, chunks.append).follow(seconds) == "ended"
    return b"".join(chunks).decode()


def wait_for(condition, seconds=10.0):
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)
    return found


def test_a_child_has_its_own_session_and_only_its_own_descriptors(start, tmp_path):
    child = start("ls -l /proc/self/fd | grep -c '\\->'; ps -o sid= -p $$ 2>/dev/null || echo $$; pwd")
    lines = heard(child).split()
    assert lines == ["4", str(child.pid), str(tmp_path)]  # 0, 1, 2 and the folder that ls reads
    assert child.poll() == 0 and not child.alive()


def test_the_environment_is_exactly_what_was_given(nursery, tmp_path):
    child = nursery.start(["env"], cwd=str(tmp_path), env={**ENV, "A": "ä\udcff"})
    chunks = []
    Follower(child, chunks.append).follow(5)
    assert sorted(b"".join(chunks).split(b"\n")[:-1]) == sorted([b"A=\xc3\xa4\xff", b"PATH=" + ENV["PATH"].encode()])


@pytest.mark.parametrize(
    ("argv", "cwd", "says"),
    [
        (["no-such-program"], ".", "no program 'no-such-program'"),
        (["./there/no"], ".", "no program"),
        (["true"], "nowhere", "no directory"),
        (["true"], "file", "no directory"),
        (["./file"], ".", "can't be started: Permission denied"),
        (["true", "x" * 200_000], ".", "more than the system takes"),
        (["true", "a\0b"], ".", "can't hold NUL"),
    ],
)
def test_what_can_not_be_started_is_told_with_what_to_do(nursery, tmp_path, argv, cwd, says):
    (tmp_path / "file").write_text("")
    for _ in range(2):
        with pytest.raises(UsageError, match=says) as refused:
            nursery.start(argv, cwd=str(tmp_path / cwd), env=ENV)
        assert refused.value.hint
    child = nursery.start(["true"], cwd=str(tmp_path), env=ENV)
    assert child.wait(5) == 0


def test_codes_are_those_of_a_shell(start):
    assert start("exit 7").wait(5) == 7
    assert start("kill -SEGV $$").wait(5) == 139
    quiet = start("yes | head -1; echo ${PIPESTATUS[0]}")
    assert heard(quiet) == "y\n141\n"  # SIGPIPE isn't ignored, as Python does it


def test_a_keyboard_is_typed_to_until_it_is_closed(start):
    child = start("cat; echo end", keyboard=True)
    os.write(child.stdin, b"typed\n")
    child.close_stdin()
    assert heard(child) == "typed\nend\n" and child.stdin == -1


def test_a_terminal_is_controlling_and_has_a_size(start):
    child = start("tty; stty size; read line; echo got $line; trap 'stty size; exit' WINCH; echo x > /dev/tty; "
                  "while :; do sleep 0.02; done", terminal=(33, 77))  # fmt: skip
    seen = bytearray()

    def read_until(text):
        end = time.monotonic() + 5
        while text not in seen:
            assert select.select([child.pipe], [], [], end - time.monotonic())[0], seen
            seen.extend(os.read(child.pipe, 4096))

    read_until(b"33 77")
    assert seen.startswith(b"/dev/pts/")
    os.write(child.stdin, b"hello\n")
    read_until(b"got hello\r\nx\r\n")
    child.resize(10, 20)
    read_until(b"10 20")
    assert child.wait(5) == 0


def test_a_terminal_whose_program_ends_is_heard_to_its_end(start):
    child = start("read line; cat; echo last words", terminal=(24, 80))
    os.write(child.stdin, b"\n")
    child.close_stdin()
    assert heard(child).endswith("last words\r\n")


def test_state_is_read_after_the_end_and_delays_nobody(start, tmp_path):
    child = start("(sleep 30; echo late >&9) & echo \"$PWD\" >&9; printf 'a\\0b' >&9; echo said", state=True)
    begin = time.monotonic()
    said = heard(child)
    assert (said, child.poll()) == ("said\n", 0) and time.monotonic() - begin < 2
    written = f"{tmp_path}\na\0b".encode()
    assert child.state == written
    child.kill()
    child.release()
    assert child.state == written


def test_without_state_the_ninth_descriptor_is_closed(start):
    assert heard(start("(echo x >&9) 2>/dev/null || echo closed")) == "closed\n"


def test_signals_reach_the_whole_tree_and_killing_is_certain(start, living):
    child = start("trap 'echo told; exit 3' TERM; setsid bash -c 'trap \"echo too; exit\" TERM; sleep 60 & wait' & "
                  "sleep 60 & wait")  # fmt: skip
    wait_for(lambda: len(living()) == 4)
    child.terminate()
    assert child.wait(5) == 3 and child.wait_gone(5)
    assert sorted(os.read(child.pipe, 100).split()) == [b"told", b"too"]
    stubborn = start("trap '' TERM; setsid sleep 61 & env -i setsid sleep 62 & sleep 63")
    wait_for(lambda: len(living()) == 4)
    assert stubborn.kill() == 137
    assert living() == [] and not stubborn.alive() and stubborn.survivors() == []


def test_a_child_that_is_let_go_of_is_ended(start, living):
    child = start("setsid sleep 60 & sleep 60")
    wait_for(lambda: len(living()) == 3)
    child.release()
    assert living(5) == []
    assert child.poll() is None or child.poll() > 128
    child.terminate()
    child.release()


def test_keepers_are_used_again_and_a_late_signal_hits_nobody(start):
    first = start("true")
    assert first.wait(5) == 0 and first.wait_gone(5)
    keeper = first._keeper
    first.release()
    second = start("sleep 0.2; exit 5")
    assert second.keeper_pid == first.keeper_pid
    keeper.tell(signal.SIGCONT)  # as if sent to the first one when it was just over
    first.kill()
    assert second.wait(5) == 5


def test_a_fork_in_mid_start_does_not_keep_a_child_alive(start, monkeypatch):
    plain, forks = Ends.close_theirs, []

    def fork_first(ends):
        if ends.theirs and not forks:
            forks.append(os.fork())
            if not forks[0]:
                time.sleep(20)
                os._exit(0)
        plain(ends)

    monkeypatch.setattr(Ends, "close_theirs", fork_first)
    try:
        child = start("echo said")
        assert heard(child, 5) == "said\n" and child.wait_gone(2)
    finally:
        os.kill(forks[0], signal.SIGKILL)
        os.waitpid(forks[0], 0)


def test_a_fork_of_this_process_leaves_our_children_alone(start, nursery, tmp_path):
    child = start("sleep 0.2; exit 4")
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            nursery.close()
            own = Nursery().start(["sh", "-c", "exit 6"], cwd=str(tmp_path), env=ENV)
            code = 0 if own.wait(5) == 6 and own.keeper_pid != child.keeper_pid else 2
            SPAWNER.close()
        finally:
            os._exit(code)
    assert os.waitpid(pid, 0)[1] == 0
    assert child.wait(5) == 4


def test_a_helper_that_was_killed_is_replaced_and_costs_no_running_child(start, living):
    child = start("sleep 0.2; exit 8")
    os.kill(SPAWNER._helper, signal.SIGKILL)
    others = [start("exit 9") for _ in range(12)]  # more than there are free keepers
    assert [other.wait(5) for other in others] == [9] * 12
    assert child.wait(5) == 8


def test_what_a_killed_keeper_leaves_is_ended(start, living):
    child = start("setsid sleep 60 & env -i setsid sleep 61 & sleep 62")
    wait_for(lambda: len(living()) == 4)
    os.kill(child.keeper_pid, signal.SIGKILL)
    assert child.wait(5) == 137 and child.wait_gone(5)
    assert living(5) == []
    again = start("exit 2")
    assert again.wait(5) == 2


def test_a_detached_tree_outlives_its_nursery_and_ends_with_its_keeper(tmp_path, living):
    nursery = Nursery()
    log = tmp_path / "log"
    child = nursery.start(
        ["bash", "-c", "echo up; setsid sleep 60 & sleep 60"], cwd=str(tmp_path), env=ENV, detached=str(log)
    )
    assert child.pipe == -1
    wait_for(lambda: log.exists() and log.read_text() == "up\n" and len(living()) == 3)
    nursery.close()
    child.release()
    time.sleep(0.1)
    assert len(living()) == 3 and oct(log.stat().st_mode)[-3:] == "600"
    os.kill(child.keeper_pid, signal.SIGTERM)
    assert living(5) == []


def test_a_nursery_that_nobody_closed_is_asked_to_end_at_exit(tmp_path, living):
    script = f"""
from handiwork.backends.environment.children.child import Nursery
nursery = Nursery()
words = ["bash", "-c", "trap 'echo bye > said; exit' TERM; touch up; while :; do sleep 0.01; done"]
nursery.start(words, cwd={str(tmp_path)!r}, env={{"PATH": "/usr/bin:/bin"}})
while not __import__("os").path.exists({str(tmp_path / "up")!r}): pass
"""
    subprocess.run([sys.executable, "-c", script], check=True, env=python_env())
    assert living() == [] and (tmp_path / "said").read_text() == "bye\n"


def test_tools_are_listed_without_any_of_it():
    script = """
import sys
import handiwork
from handiwork.tools import terminal
print([name for name in sys.modules if "spawn" in name or name in ("subprocess", "ctypes", "socket")])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=python_env())
    assert done.stdout == "[]\n"


def test_a_spawner_that_started_nothing_has_nothing_to_close():
    spawner = Spawner()
    spawner.close()
    assert spawner._socket is None


def python_env():
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


HOST = """
import sys, time
from handiwork.backends.environment.children.child import Nursery
nursery = Nursery()
where = sys.argv[1]
for text in sys.argv[2:]:
    nursery.start(["bash", "-c", text], cwd=where, env={"PATH": "/usr/bin:/bin"})
print("up", flush=True)
time.sleep(60)
"""
TREES = {
    "plain": "exec sleep 70",
    "another session": "setsid sleep 71 & wait",
    "forked twice": "(setsid bash -c 'sleep 72 & sleep 73' &) ; exit 0",
    "emptied environment": "env -i setsid sleep 74 & sleep 75",
    "ignores TERM": "trap '' TERM HUP INT; while :; do sleep 0.1; done",
    "goes on forking": "while :; do sleep 0.03 & sleep 0.01; done",
}


def run_host(folder, living, number=signal.SIGKILL):
    """Start a host with all kinds of trees, end it, and give the time until nothing of them is left."""
    host = subprocess.Popen(
        [sys.executable, "-c", HOST, str(folder), *TREES.values()], stdout=subprocess.PIPE, env=python_env(), cwd="/"
    )
    try:
        assert host.stdout.readline() == b"up\n"
        wait_for(lambda: len(living()) >= 10)
    finally:
        host.send_signal(number)
        host.wait()
        host.stdout.close()
    began = time.monotonic()
    assert living(5) == []
    return time.monotonic() - began


@pytest.mark.integration
def test_a_killed_host_leaves_nothing_20_of_20(tmp_path, living):
    assert max(run_host(tmp_path, living) for _ in range(20)) < 5


@pytest.mark.integration
def test_a_host_that_is_asked_to_end_leaves_nothing(tmp_path, living):
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        run_host(tmp_path, living, number)


FLURRY = """
import sys, threading
from handiwork.backends.environment.children.child import Nursery
nursery = Nursery()
def work():
    while True:
        words = ["bash", "-c", "setsid sleep 80 & sleep 81"]
        child = nursery.start(words, cwd=sys.argv[1], env={"PATH": "/usr/bin:/bin"})
        print("up", flush=True)
        child.wait(0.05)
        child.kill()
        nursery.forget(child)
for _ in range(4):
    threading.Thread(target=work).start()
"""


@pytest.mark.integration
def test_a_host_that_is_killed_while_it_starts_children_leaves_nothing(tmp_path, living):
    for turn in range(12):
        host = subprocess.Popen(
            [sys.executable, "-c", FLURRY, str(tmp_path)], stdout=subprocess.PIPE, env=python_env(), cwd="/"
        )
        assert host.stdout.readline().startswith(b"up")
        time.sleep(0.013 * turn)  # while being born, running, or being ended
        host.kill()
        host.wait()
        host.stdout.close()
        assert living(5) == []


@pytest.mark.integration
def test_a_host_with_busy_threads_may_be_forked(tmp_path):
    script = """
import os, threading, time
from handiwork.backends.environment.children.child import Nursery
ENV = {"PATH": "/usr/bin:/bin"}
nursery, busy = Nursery(), True
def work():
    while busy:
        child = nursery.start(["true"], cwd="/", env=ENV)
        assert child.wait(9) == 0 and child.wait_gone(9)
        nursery.forget(child)
        time.sleep(0.01)
threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads:
    thread.start()
codes = []
for _ in range(5):
    pid = os.fork()
    if pid == 0:
        os._exit(Nursery().start(["sh", "-c", "exit 3"], cwd="/", env=ENV).wait(9) or 0)
    codes.append(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
busy = False
for thread in threads:
    thread.join()
print(codes)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=python_env(), timeout=60
    )
    assert done.stdout == f"{[3] * 5}\n" and not done.stderr


@pytest.mark.integration
def test_64_at_once_from_many_threads(start):
    codes = {}

    def one(number):
        child = start(f"sleep 0.2; echo {number}; exit {number}")
        codes[number] = (heard(child), child.poll())

    threads = [threading.Thread(target=one, args=(number,)) for number in range(64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert codes == {number: (f"{number}\n", number) for number in range(64)}


@pytest.mark.integration
def test_200_commands_leave_no_descriptor_and_no_process(nursery, start):
    def counts():
        children = [p for p in os.listdir("/proc") if p.isdigit() and _parent(p) in (os.getpid(), SPAWNER._helper)]
        return len(os.listdir("/proc/self/fd")), len(children)

    def some(number):
        for _ in range(number):
            child = start("true", keyboard=True, state=True)
            assert child.wait(5) == 0 and child.wait_gone(5)
            nursery.forget(child)
            with pytest.raises(UsageError):
                start("true", cwd="/does/not/exist")

    some(3)
    before = counts()
    some(200)
    assert counts() == before


def _parent(pid):
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except FileNotFoundError:
        return 0


@pytest.mark.integration
def test_what_others_have_opened_is_not_held_by_the_helper(tmp_path):
    script = """
import os
from handiwork.backends.environment.children.child import Nursery
ours, theirs = os.pipe()
os.set_inheritable(theirs, True)  # as libraries do that aren't Python's
nursery = Nursery()
child = nursery.start(["sh", "-c", "exec sleep 5"], cwd="/", env={"PATH": "/usr/bin:/bin"})
os.close(theirs)
print(os.read(ours, 1))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=python_env())
    assert done.stdout == "b''\n"


@pytest.mark.integration
def test_a_thread_that_blocks_all_signals_may_start_the_helper(tmp_path):
    script = """
import signal, sys, threading
from handiwork.backends.environment.children.child import Nursery
def work():
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    child = Nursery().start(["sh", "-c", "kill -TERM $$"], cwd="/", env={"PATH": "/usr/bin:/bin"})
    print(child.wait(5), child.wait_gone(5))
thread = threading.Thread(target=work)
thread.start()
thread.join()
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=python_env())
    assert done.stdout == "143 True\n"


NOBODY = ("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups")


def _runs_as_nobody(python):
    check = f"exec {python} -c 'import sys, handiwork; sys.exit(sys.version_info < (3, 11))'"
    done = subprocess.run([*NOBODY, "sh", "-c", check], check=False, capture_output=True, env=python_env(), cwd="/")
    return done.returncode == 0


@pytest.mark.integration
@pytest.mark.skipif(os.getuid() != 0 or not shutil.which("setpriv"), reason="needs root, to become two other users")
def test_what_can_not_be_ended_is_named(tmp_path):
    python = next(filter(_runs_as_nobody, (sys.executable, "/usr/bin/python3", "/usr/local/bin/python3")), None)
    if python is None:
        pytest.skip("no Python and no Handiwork that other users may read")
    tmp_path.chmod(0o777)
    for folder in list(tmp_path.parents)[:-2]:
        folder.chmod(folder.stat().st_mode | 0o055)
    tool = tmp_path / "other"
    shutil.copy(shutil.which("setpriv"), tool)
    tool.chmod(0o4755)
    script = f"""
import time
from handiwork.backends.environment.children.child import Nursery
nursery = Nursery()
command = "{tool} --reuid 0 --regid 0 --clear-groups sleep 4 & sleep 60"
child = nursery.start(["bash", "-c", command], cwd="/", env={{"PATH": "/usr/bin:/bin"}})
time.sleep(0.5)
print(child.kill(), [line.partition(" ")[2] for line in child.survivors()], child.alive(), flush=True)
print(child.wait_gone(10), child.survivors())
"""
    done = subprocess.run(
        [*NOBODY, python, "-c", script],
        check=False, capture_output=True, text=True, env=python_env(), cwd="/",
    )  # fmt: skip
    assert done.stdout == "137 [\"'sleep'\"] True\nTrue []\n", done.stderr


@pytest.mark.integration
@pytest.mark.skipif(os.getuid() != 0 or not shutil.which("prlimit"), reason="needs another user's limit of processes")
def test_a_fork_bomb_is_ended(start, living):
    bomb = "f() { f | f & }; f; sleep 0.3; while :; do f; sleep 0.1; done"
    child = start(f"exec setpriv --reuid 65534 --clear-groups prlimit --nproc=250 bash -c '{bomb}' 2>/dev/null")
    wait_for(lambda: len(living()) > 150)
    began = time.monotonic()
    child.send_signal(signal.SIGKILL)
    assert child.wait_gone(10)
    assert time.monotonic() - began < 5 and living() == []


@pytest.mark.integration
def test_a_keeper_that_is_stopped_is_named_not_waited_for(start, monkeypatch):
    child = start("true")
    assert child.wait_gone(5)
    child.release()
    monkeypatch.setattr("handiwork.backends.environment.children.spawner.ANSWER_S", 0.3)
    os.kill(child.keeper_pid, signal.SIGSTOP)
    try:
        with pytest.raises(HandiworkError, match="gone or stopped"):
            for _ in range(9):
                start("true")
    finally:
        os.kill(child.keeper_pid, signal.SIGCONT)
