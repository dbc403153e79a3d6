"""Commands that want a person get an advice; those that don't get none."""

import pytest

from handiwork.backends.environment.exits import ending, one_is_an_answer, signal_name, signal_number
from handiwork.backends.environment.hints import hint, hopeless
from handiwork.core.types import Ran


def advice(command, output="", code=1, *, timed_out=False):
    return hint(command, Ran(output, code, 1.0, timed_out=timed_out))


@pytest.mark.parametrize(
    ("command", "about"),
    [
        ("vim notes.txt", "editor"),
        ("cd src && EDITOR=x nano a.py", "editor"),
        ("top", "top -b"),
        ("sudo htop", "top -b"),
        ("watch -n1 ls", "for ever"),
        ("git log | less", "pages"),
        ("python3", "without a script"),
        ("source x; python", "without a script"),
        ("node", "without a script"),
        ("psql mydb", "keyboard"),
        ("git commit", "-m"),
        ("git commit --amend", "-m"),
        ("crontab -e", "nobody is there"),
        ("su postgres", "nobody is there"),
    ],
)
def test_programs_for_people_are_known_when_they_fail_or_print_nothing(command, about):
    assert about in advice(command)
    assert about in advice(command, code=0)


@pytest.mark.parametrize(
    ("command", "output", "code"),
    [
        ("top -b -n 1", "Tasks: 1", 0),
        ("python3 script.py", "", 0),
        ("python3 -c 'pass'", "", 0),
        ("echo vim", "vim\n", 0),
        ("git commit -am x", "nothing to commit", 1),
        ("git commit --no-edit", "", 1),
        ("psql -c 'select 1'", "error", 1),
        ("python3 <<'EOF'\nprint(1)\nEOF", "", 0),
        ("ls nothing", "No such file", 2),
        ("git log | less", "commit 1", 0),
        ("emacs --batch -l x.el", "", 0),
        ("cat topology", "", 1),
        ("git rebase -i HEAD~1", "fatal: not a git repository", 128),
    ],
)
def test_others_get_no_advice(command, output, code):
    assert advice(command, output, code) == ""


@pytest.mark.parametrize(
    ("command", "timed_out", "about"),
    [
        ("tail -f log", True, "background"),
        ("tail -f log", False, ""),
        ("kubectl logs -f pod", True, "background"),
        ("ping localhost", True, "background"),
        ("ping -c 3 localhost", True, ""),
        ("git rebase -i HEAD~3", False, "GIT_SEQUENCE_EDITOR"),
        ("git commit --dry-run -m x", False, ""),
        ("git add -p", False, "whole files"),
    ],
)
def test_what_never_ends_and_what_silently_does_nothing(command, timed_out, about):
    found = advice(command, "some output", 143 if timed_out else 0, timed_out=timed_out)
    assert about in found and bool(found) == bool(about)


@pytest.mark.parametrize("command", ["vim", "vi a b", "cd x && vim notes.txt", "sudo vi /etc/hosts", "FOO=1 nvim x"])
def test_what_would_wait_for_a_key_is_known_beforehand(command):
    assert "sed" in hopeless(command)


@pytest.mark.parametrize(
    "command",
    [
        "vim +wq x",
        "vim -es x",
        "echo vim",
        "grep -r vim .",
        "echo 'a; vim x'",
        "cat <<E\nvim x\nE",
        "git vim",
        "vimprove x",
        "apt-get install vim",
    ],
)
def test_where_it_is_not_plain_nothing_is_said_beforehand(command):
    assert hopeless(command) == ""


@pytest.mark.parametrize(
    ("output", "about"),
    [
        ("sudo: a terminal is required to read the password", "sudo asks"),
        ("sudo: a password is required", "sudo asks"),
        ("Host key verification failed.", "known_hosts"),
        ("git@host: Permission denied (publickey).", "a key"),
        ("fatal: could not read Username for 'https://x': terminal prompts disabled", "login"),
        ("the input device is not a TTY", "pty=true"),
        ("Do you want to continue? [Y/n] Abort.", "-y"),
        ("overwrite? (yes/no)", "-y"),
    ],
)
def test_questions_are_known_by_what_was_printed(output, about):
    assert about in advice("./install.sh", output)
    assert advice("./install.sh", output, 0) == ""


def test_exit_codes_and_signals_in_words():
    assert [signal_name(code) for code in (0, 1, 128, 130, 137, 143, 192, 255)] == [
        "",
        "",
        "",
        "SIGINT",
        "SIGKILL",
        "SIGTERM",
        "",
        "",
    ]
    assert ending(0) == "exit code 0" and ending(143) == "exit code 143 (SIGTERM)"
    assert [signal_number(name) for name in ("INT", "sigterm", "9", " HUP ", "NOPE", "99", "", "_DFL")] == [
        2,
        15,
        9,
        1,
        None,
        None,
        None,
        None,
    ]
    assert one_is_an_answer("cd x && grep y z") and not one_is_an_answer("grep y z; make")
