"""The state of a command, whatever way it takes from the place where the command runs."""

import os

import pytest

from handiwork.backends.environment.launch import Launch
from handiwork.backends.environment.local import LocalLauncher
from handiwork.backends.environment.shell import ShellEnvironment
from handiwork.core.errors import FolderError, UsageError
from handiwork.core.types import Command


class FarLauncher:
    """A place from where only standard output and standard error come back, and which has something to say itself."""

    def launch(self, command, /):
        far = f"exec 9>&2 2>&1; {command.text}"
        near = 'echo "a word of the way" >&2; exec env -i bash -c "$1" 9>&-'
        return Launch(("bash", "-c", near, "x", far), command.cwd, dict(os.environ), state="stderr")


@pytest.fixture(params=[LocalLauncher, FarLauncher])
def env(request, tmp_path):
    environment = ShellEnvironment(request.param(), tmp_path / "results")
    environment.far = request.param is FarLauncher
    yield environment
    environment.close()


def test_the_state_comes_by_a_descriptor_or_by_standard_error(env, tmp_path):
    ran = env.run(Command("echo out; echo err >&2; cd /usr; export A=1; exit 3", cwd=str(tmp_path)))
    assert ran.exit_code == 3 and ran.output.startswith("out\nerr\n")
    assert ran.state.cwd == "/usr" and ran.state.exported["A"] == "1"
    assert ran.output == "out\nerr\n" + ("a word of the way\n" if env.far else "")


def test_what_is_in_the_background_tells_no_state(env):
    process = env.spawn(Command("echo out; echo err >&2", cwd="/"))
    assert process.wait(5) == 0
    assert process.output()[0].endswith("out\nerr\n")


def test_a_folder_that_is_not_there_and_a_text_that_is_too_long_are_different_mistakes(env):
    with pytest.raises(FolderError, match="no directory /does/not/exist"):
        env.run(Command("true", cwd="/does/not/exist"))
    with pytest.raises(UsageError, match="at most") as error:
        env.run(Command("x" * 200_000, cwd="/"))
    assert not isinstance(error.value, FolderError)


def test_no_program_finds_the_descriptor(env):
    ran = env.run(Command("ls /proc/self/fd | tr '\\n' ' '", cwd="/"))
    assert ran.output.startswith("0 1 2 3 ")
    assert "9" not in ran.output.splitlines()[0]
