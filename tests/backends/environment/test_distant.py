"""A text reaches the other shell as it is, whatever is in it."""

import os
import shutil
import subprocess

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from handiwork.backends.environment.distant_scripts import frame, one_line
from handiwork.core.errors import UsageError

pytestmark = pytest.mark.integration

SHELLS = [shell for shell in ("sh", "bash", "dash", "zsh", "fish", "ksh", "tcsh", "busybox") if shutil.which(shell)]
WORDS = st.text(st.characters(blacklist_characters="\0", blacklist_categories=["Cs"]), max_size=40)


def said_by(shell, line):
    words = [shell, "sh", "-c"] if shell == "busybox" else [shell, "-c"]
    return subprocess.run([*words, line], capture_output=True, check=True, env={"PATH": os.environ["PATH"]}).stdout


@pytest.mark.parametrize("shell", SHELLS)
@settings(max_examples=15, deadline=None)
@given(word=WORDS)
@example(word="'\"\\`$!\n\t;&|<>*?[]{}()~#=%\\'\\\\ $(id) !! ^x^y é😀\r")
def test_any_login_shell_reads_a_line_alike(shell, word):
    quoted = word.replace("'", "'\\''")
    assert said_by(shell, one_line(f"printf %s '{quoted}'")) == word.encode()


@settings(max_examples=15, deadline=None)
@given(word=WORDS, value=WORDS, folder=st.from_regex(r"[a-z '\"$`;é-]{1,12}", fullmatch=True))
def test_text_variables_and_folder_are_not_read_twice(tmp_path_factory, word, value, folder):
    room = tmp_path_factory.mktemp("r")
    place = room / f"x{folder}"
    place.mkdir()
    quoted = word.replace("'", "'\\''")
    text = f'printf %s "$GIVEN"; printf "|%s|" \'{quoted}\'; pwd'
    script = frame(text, {"D": str(room), "N": "n", "C": str(place)}, {"GIVEN": value})
    assert said_by("sh", one_line(script)) == f"{value}|{word}|{place}\n".encode()


def test_a_folder_that_begins_with_a_dash_is_no_option(tmp_path):
    script = frame("true", {"D": str(tmp_path), "N": "n", "C": "-P"}, {})
    done = subprocess.run(["sh", "-c", one_line(script)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (97, "handiwork-remote: there is no directory -P\n")


def test_a_variable_that_is_none_is_refused(open_place, command):
    with pytest.raises(UsageError, match="can't be the name of a variable"):
        open_place("ssh").run(command("true", env={"X=1; touch here; Y": "z"}))
