"""Real processes: what is started here ends, whatever it does."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from handiwork.backends.environment.local import LocalEnvironment
from handiwork.core.cancel import CancelToken
from handiwork.core.errors import HandiworkError, UsageError
from handiwork.core.types import Command

pytestmark = pytest.mark.integration  # real processes and servers


@pytest.fixture
def env(tmp_path, living):
    environment = LocalEnvironment(tmp_path / "results")
    yield environment
    environment.close()
    assert living() == []


@pytest.fixture
def command(tmp_path):
    def make(text, **more):
        return Command(text, cwd=str(tmp_path), **more)

    return make


def test_output_order_exit_code_and_directory(env, command, tmp_path):
    ran = env.run(command("echo out; echo err >&2; pwd; exit 3"))
    assert ran.output == f"out\nerr\n{tmp_path}\n"
    assert ran.exit_code == 3 and not ran.timed_out and not ran.cancelled and not ran.path


def test_a_signal_is_told_as_a_shell_tells_it(env, command):
    assert env.run(command("kill -SEGV $$")).exit_code == 128 + signal.SIGSEGV


def test_standard_input_is_empty_and_no_terminal_is_there(env, command):
    ran = env.run(command("cat; (: < /dev/tty) 2>/dev/null || echo none; echo $PAGER $TERM", timeout_s=5))
    assert ran.output == "none\ncat dumb\n"


def test_our_keys_do_not_reach_a_child_and_its_own_variables_do(env, command, monkeypatch):
    monkeypatch.setenv("SOME_API" + "_KEY", "hidden")
    ran = env.run(command("env", env={"GIVEN": "seen"}))
    assert "hidden" not in ran.output and "GIVEN=seen" in ran.output


def test_a_directory_that_is_not_there_is_named(env):
    with pytest.raises(UsageError, match="no directory /does/not/exist"):
        env.run(Command("true", cwd="/does/not/exist"))


def test_a_text_that_no_system_takes_is_refused(env, command):
    for text in ("x" * 200_000, "echo \0"):
        with pytest.raises(UsageError, match="at most"):
            env.run(command(text))


@pytest.mark.parametrize("text", ["sleep 25 & echo started", "setsid sleep 31 & echo started; disown"])
def test_a_background_child_that_keeps_the_pipe_does_not_hang_the_run(env, command, text):
    begin = time.monotonic()
    ran = env.run(command(text))
    assert ran.output == "started\n" and ran.exit_code == 0
    assert time.monotonic() - begin < 2
    assert ran.process is not None and ran.process.poll() is None
    ran.process.kill()
    assert ran.process.poll() == 0


def test_what_a_command_leaves_running_can_still_be_heard(env, command):
    ran = env.run(command("(sleep 0.3; echo later) & echo now"))
    assert ran.output == "now\n"
    assert ran.process.wait(5) == 0
    assert ran.process.output()[0] == "later\n"


def test_a_server_with_its_output_in_a_file_is_noticed_too(env, command):
    ran = env.run(command("sleep 30 > log 2>&1 &"))
    assert ran.process is not None and ran.process.poll() is None
    ran.process.kill()
    assert ran.process.wait(2) == 0


@pytest.mark.parametrize(
    "text",
    [
        "echo before; sleep 30",
        "echo before; trap '' TERM; while :; do sleep 0.05; done",
        "echo before; setsid sleep 77 & sleep 30",
        "echo before; (setsid bash -c 'sleep 78 & sleep 79' &) ; sleep 30",
        "echo before; sleep 30 | sleep 30 | sleep 30",
    ],
)
def test_a_timeout_ends_the_whole_tree_and_keeps_what_was_printed(env, command, living, text):
    begin = time.monotonic()
    ran = env.run(command(text, timeout_s=0.3))
    assert ran.timed_out and ran.output == "before\n" and ran.exit_code >= 128
    assert time.monotonic() - begin < 2.5
    assert living() == []


def test_last_words_after_the_request_to_end_are_heard(env, command):
    ran = env.run(command("trap 'echo bye; exit 9' TERM; echo hi; sleep 30 & wait", timeout_s=0.3))
    assert ran.timed_out and ran.output == "hi\nbye\n" and ran.exit_code == 9


def test_cancelling_from_another_thread_ends_it_soon(env, command):
    token = CancelToken()
    threading.Timer(0.2, token.cancel).start()
    begin = time.monotonic()
    ran = env.run(command("echo hi; sleep 30"), token)
    assert ran.cancelled and not ran.timed_out and ran.output == "hi\n"
    assert time.monotonic() - begin < 1.5


def test_a_cancelled_token_starts_nothing(env, command, tmp_path):
    token = CancelToken()
    token.cancel()
    assert env.run(command("touch ran"), token).cancelled
    assert not (tmp_path / "ran").exists()


def test_huge_output_is_bounded_in_memory_and_whole_in_a_file(command, tmp_path):
    script = f"""
import resource, sys
from pathlib import Path
from handiwork.backends.environment.local import LocalEnvironment
from handiwork.core.types import Command
env = LocalEnvironment(Path({str(tmp_path)!r}) / "results")
env.run(Command("echo warm", cwd="/"))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
ran = env.run(Command("head -c 62914560 /dev/zero | tr '\\\\0' x", cwd="/"))
grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
print(grown, len(ran.output), Path(ran.path).stat().st_size)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=_python_env())
    grown, shown, size = map(float, done.stdout.split())
    assert grown <= 8 and shown <= 50_000 and size == 62_914_560


def _python_env():
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def test_nothing_outlives_the_interpreter(tmp_path, living):
    script = f"""
import sys
from handiwork.backends.environment.local import LocalEnvironment
from handiwork.core.types import Command
env = LocalEnvironment()
here = {str(tmp_path)!r}
env.spawn(Command("exec sleep 301", cwd=here))
env.run(Command("setsid sleep 302 & sleep 303 & disown -a", cwd=here))
env.run(Command("setsid sleep 304 > /dev/null 2>&1 &", cwd=here))
env.run(Command("yes", cwd=here, timeout_s=0.2, max_output_chars=100))
print(env._results)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=_python_env())
    assert living() == []
    assert not Path(done.stdout.strip()).exists()


def test_a_closed_environment_starts_nothing(command):
    environment = LocalEnvironment()
    environment.close()
    with pytest.raises(HandiworkError, match="closed"):
        environment.run(command("true"))


@pytest.mark.integration
def test_an_environment_inside_an_environment_ends_with_the_outer_one(env, command, living):
    script = (
        "from handiwork.backends.environment.local import LocalEnvironment as L\n"
        "from handiwork.core.types import Command as C\n"
        "import os, signal\n"
        "L().spawn(C('sleep 305', cwd='/'))\n"
        "os.kill(os.getpid(), signal.SIGSTOP)"
    )
    (Path(command("").cwd) / "inner.py").write_text(script)
    ran = env.run(command(f"{sys.executable} inner.py", timeout_s=1.5, env=_python_env()))
    assert ran.timed_out
    assert living() == []


def test_a_process_is_typed_to_and_waited_for(env, command):
    process = env.spawn(command("read name; echo hello $name; cat; exit 4"))
    assert process.poll() is None
    process.write("world\n")
    process.write("more\n\x04")
    assert process.wait(5) == 4
    text, after = process.output()
    assert text == "hello world\nmore\n"
    assert process.output(after) == ("", after)
    assert process.output(-5)[0] == "more\n"
    with pytest.raises(UsageError, match="no input"):
        process.write("x")


def test_output_is_paged_without_splitting_a_character(env, command):
    process = env.spawn(command("printf 'aé%.0s' $(seq 50)"))
    process.wait(5)
    offset, seen = 0, ""
    while True:
        text, after = process.output(offset, 10)
        if not text:
            break
        seen, offset = seen + text, after
    assert seen == "aé" * 50


def test_a_background_flood_is_drained_and_capped(env, command):
    process = env.spawn(command("head -c 20000000 /dev/zero | tr '\\0' y; echo; echo end"))
    assert process.wait(20) == 0
    text, after = process.output(0, 100)
    assert "no longer kept" in text and after > 100
    assert process.output(-4)[0] == "end\n"
    assert len(process._ring._kept) < 1_000_000


def test_waiting_has_an_end_and_killing_is_whole(env, command, living):
    process = env.spawn(command("setsid sleep 306 & trap '' TERM; sleep 307; sleep 308"))
    assert process.wait(0.2) is None
    assert process.kill() == 128 + signal.SIGKILL
    assert living() == []


def test_a_process_that_does_not_read_says_so(env, command, monkeypatch):
    monkeypatch.setattr("handiwork.backends.environment.background._WRITE_S", 0.3)
    process = env.spawn(command("exec sleep 309"))
    with pytest.raises(UsageError, match="weren't taken"):
        process.write("x" * 300_000)


def test_many_calls_leave_no_descriptor_and_no_thread(env, command):
    env.run(command("true"))
    files, threads = len(os.listdir("/proc/self/fd")), threading.active_count()
    for _ in range(40):
        env.run(command("true"), CancelToken())
        env.spawn(command("true")).wait(5)
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline and (
        len(os.listdir("/proc/self/fd")) > files or threading.active_count() > threads
    ):
        time.sleep(0.01)
    assert len(os.listdir("/proc/self/fd")) <= files
    assert threading.active_count() <= threads


def test_parallel_runs_keep_their_outputs_apart(env, command):
    found = {}

    def one(number):
        found[number] = env.run(command(f"for i in 1 2 3; do echo {number}; done")).output

    threads = [threading.Thread(target=one, args=(n,)) for n in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {n: f"{n}\n" * 3 for n in range(12)}


def test_it_costs_little_over_a_plain_process(env, command):
    def plain():
        return subprocess.run(["bash", "-c", "true"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True)

    ours, theirs = [], []
    for _ in range(25):
        for times, work in ((ours, lambda: env.run(command("true"))), (theirs, plain)):
            begin = time.perf_counter()
            work()
            times.append(time.perf_counter() - begin)
    assert min(ours) - min(theirs) < 0.03  # 0.5 ms on a quiet machine; a login shell would add 500


def test_an_interrupt_of_the_caller_ends_the_command(env, command, living):
    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(KeyboardInterrupt):
            env.run(command("setsid sleep 310 & sleep 311"))
    finally:
        signal.signal(signal.SIGALRM, before)
    assert living() == []
    assert not env._nursery._children


def test_what_is_left_running_is_limited_in_number(env, command, monkeypatch):
    monkeypatch.setattr("handiwork.backends.environment.shell.MAX_BACKGROUND", 2)
    kept = [env.run(command("sleep 312 &")).process for _ in range(3)]
    assert [process is not None for process in kept] == [True, True, False]
    with pytest.raises(UsageError, match="are running"):
        env.spawn(command("sleep 313"))
    kept[0].kill()
    assert env.spawn(command("sleep 314")).poll() is None
