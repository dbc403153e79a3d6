"""What one shell hands on to the next, with real shells."""

import os
import shutil
import subprocess
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handiwork.backends.environment import handover
from handiwork.backends.environment.handover import exported, handed_on, telling
from handiwork.core.types import Command

SHELLS = [shell for shell in ("bash", "dash") if shutil.which(shell)]


@pytest.fixture(params=SHELLS)
def run(request, tmp_path):
    """Runs a text in a shell: its exit code, its output, the state it told."""

    def run_text(text, env=None):
        told = os.memfd_create("state")
        argv = ["bash", "-c", f'exec "$@" 9>&{told} {told}>&-', "x", request.param, "-c", telling(text)]
        base = {"PATH": os.environ["PATH"], "BASE": "1", **(env or {})}
        both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        done = subprocess.run(argv, check=False, cwd=tmp_path, env=base, pass_fds=(told,), timeout=10, **both)
        state, beside = handed_on(os.pread(told, 1 << 20, 0), Command(text, cwd=str(tmp_path), env=env or {}))
        os.close(told)
        assert not beside
        return done.returncode, done.stdout, state

    run_text.shell = request.param
    return run_text


def test_folder_and_exported_variables_are_told_and_nothing_else(run, tmp_path):
    (tmp_path / "sub dir").mkdir()
    _, _, state = run("cd 'sub dir'; export A=1; B=2; alias l=ls; f() { :; }; unset BASE", {"GIVEN": "kept"})
    assert state.cwd == f"{tmp_path}/sub dir"
    assert state.exported == {"GIVEN": "kept", "A": "1", "BASE": "", "OLDPWD": str(tmp_path)}


def test_nothing_changed_is_nothing_told(run, tmp_path):
    _, _, state = run("true", {"GIVEN": "kept"})
    assert (state.cwd, state.exported) == (str(tmp_path), {"GIVEN": "kept"})


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("cd /usr; exit 3", 3),
        ("set -e; cd /usr; false; echo never", 1),
        ("cd /usr; set -u; echo $nowhere", None),
        ("trap 'echo bye' EXIT; cd /usr", 0),
        ("set -x; cd /usr", 0),
        ("exec > /dev/null 2>&1 9>&-; cd /usr; nosuchprogram", 127),
        ("set -f; IFS=/; cd /usr; (exit 5)", 5),
        ("cd /usr; if", 2),
        ("cd /usr\nif", 2),
        ("cd /usr # a comment", 0),
        ("cat <<'E'\nit's \"$x\"\nE\ncd /usr", 0),
        ("printf() { :; }; command() { :; }; cd /usr", None),
    ],
)
def test_however_a_text_ends_its_exit_code_is_its_own(run, text, code):
    found, output, state = run(text)
    assert code is None or found == code
    assert b"never" not in output and b"export -p" not in output
    if "if" not in text and "command()" not in text:
        assert state.cwd == "/usr"


@pytest.mark.parametrize(
    "text", ["exec true", "kill -9 $$", "mkdir d; cd d; rmdir ../d", "trap 'echo bye' EXIT; exit 4", "set -n"]
)
def test_what_cannot_be_told_is_not_made_up(run, text):
    assert run(text)[2] is None


def test_no_program_of_the_text_can_tell_in_its_stead(run, tmp_path):
    spoof = r"printf '\0>/etc\n\0export SPOOFED=1\n\0<'"
    _, _, state = run(f'({spoof} >&9); sh -c "{spoof} >&9"; ls /proc/self/fd')
    assert state.cwd == str(tmp_path) and not state.exported
    assert run("ls /proc/self/fd")[1].split() == [b"0", b"1", b"2", b"3"]


def test_text_and_positional_parameters_are_what_they_would_be_without(run):
    assert run('echo "$# $-" | tr -d hB')[1].startswith(b"0 ")
    assert run("echo $LINENO")[1] in (b"1\n", b"\n")


@pytest.mark.parametrize(
    "value",
    [
        "",
        "a b",
        "it's",
        '"',
        "$HOME `id` \\",
        "a\nexport EVIL=1\nb",
        "tab\tesc\x1b",
        "é 你好",
        "\\n",
        "'\\''",
        "x" * 9000,
    ],
)
def test_values_come_back_as_they_were(run, value):
    assignment = "export V='" + value.replace("'", "'\\''") + "'"
    _, _, state = run(assignment)
    assert state.exported == {"V": value}
    _, output, _ = run('printf %s "$V"', state.exported)
    assert output.decode() == value


@given(st.text(st.characters(blacklist_characters="\0", blacklist_categories=["Cs"]), max_size=60))
def test_any_value_survives_the_quoting_of_bash(value):
    listing = subprocess.check_output(["bash", "-c", "export -p"], env={"V": value, "LC_ALL": "C.UTF-8"})
    assert exported(listing)["V"] == value


def test_arrays_functions_and_shellshock_stay_behind():
    listing = (
        b'declare -ax arr=([0]="1" [1]="2\ndeclare -x EVIL=\\"1\\"")\ndeclare -x BASH_FUNC_f%%="() { :; }"\n'
        b'declare -x F="() { :; }"\ndeclare -x NOVALUE\ndeclare -x PWD="/"\ndeclare -rx R="1"\n'
    )
    assert exported(listing) == {"R": "1"}


def test_nothing_comes_along_that_gives_the_next_text_another_meaning(run, tmp_path):
    (tmp_path / "x.sh").write_text("echo sneaked in")
    _, _, state = run("set -f; export BASH_ENV=x.sh IFS=/ ENV=x.sh PS4='$(echo no)' GOOD=1; export SHELLOPTS; true")
    assert state.exported == {"GOOD": "1"}


def test_a_function_that_is_exported_is_not_carried(run):
    if run.shell == "bash":
        assert run("f() { echo hi; }; export -f f; export A=1")[2].exported == {"A": "1"}


def test_the_largest_variables_stay_behind_beyond_the_limit(run, monkeypatch):
    monkeypatch.setattr(handover, "MOST_CARRIED", 1000)
    _, _, state = run("export BIG=$(printf %900s x) MID=$(printf %600s x) SMALL=1")
    assert sorted(state.exported) == ["MID", "SMALL"]


def test_a_state_that_came_on_stderr_is_told_from_what_was_said_there():
    told = b"warning\n\0>/a\n\0export A='1'\n\0<more\n\0>/b\n\0export A='2'\n\0<"
    state, beside = handed_on(told, Command("x", cwd="/start"))
    assert (state.cwd, state.exported, beside) == ("/b", {"A": "2"}, b"warning\nmore\n")


def test_a_listing_that_is_no_listing_takes_no_time():
    begin = time.process_time()
    exported(b"declare -x A=" + b"$'" * 50_000)
    exported(b'declare -x A="' + b"\\" * 99_999)
    assert time.process_time() - begin < 1
