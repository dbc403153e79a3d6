"""Ordinary development goes on in every sandbox as it does without one."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from handiwork.backends.environment.gateway import python
from handiwork.core.errors import UsageError

pytestmark = pytest.mark.integration


@pytest.fixture(params=("bubblewrap", "landlock"))
def kind(request):
    return request.param


@pytest.fixture
def works(kind, open_place, command):
    """Runs a text that must succeed; answers what it printed."""
    opened = []

    def run(text, policy=None, **more):
        if not opened:
            opened.append(open_place(kind, **policy or {}))
        ran = opened[0].run(command(text, **{"timeout_s": 60.0, **more}))
        assert ran.exit_code == 0, ran.output + ran.note
        return ran.output

    return run


def git(*words: object, cwd: Path) -> str:
    settings = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
    done = subprocess.run(["git", *settings, *map(str, words)], cwd=cwd, capture_output=True, text=True, check=True)
    return done.stdout


COMMIT = "git -c user.name=A -c user.email=a@example.org commit -qm two"


def test_git_in_a_repository(works, room):
    git("init", cwd=room)
    works(f"echo one > a; git add a; {COMMIT}; git switch -qc side; echo more >> a; git diff --stat; git stash")
    works("git clone -q . ../copy 2>/dev/null; git clone -q . copy && ls copy/a; git config user.name B; git gc -q")
    assert "two" in git("log", "--oneline", "side", cwd=room)


def test_git_in_a_worktree_whose_repository_lies_elsewhere(works, command, tmp_path, room):
    home = tmp_path / "main-repository"
    home.mkdir()
    git("init", cwd=home)
    git("commit", "--allow-empty", "-qm", "one", cwd=home)
    git("worktree", "add", tmp_path / "tree", "-b", "side", cwd=home)
    tree = str(tmp_path / "tree")
    works(f"echo x > a; git add a; {COMMIT}; git status", cwd=tree, workspace=tree)
    assert "two" in git("log", "--oneline", "side", cwd=home)


def test_git_in_a_submodule(works, tmp_path, room):
    library = tmp_path / "library"
    library.mkdir()
    git("init", cwd=library)
    git("commit", "--allow-empty", "-qm", "one", cwd=library)
    git("init", cwd=room)
    git("-c", "protocol.file.allow=always", "submodule", "add", library, "part", cwd=room)
    part = str(room / "part")
    works(f"echo x > a; git add a; {COMMIT}", cwd=part, workspace=part)
    assert "two" in git("log", "--oneline", cwd=room / "part")


def test_the_person_s_git_settings_hold(works, person):
    Path(person.home, ".gitconfig").write_text("[user]\n\tname = Ada\n")
    assert works("git config user.name") == "Ada\n"


def test_a_virtual_environment_and_its_tests(works, room):
    (room / "test_it.py").write_text("def test_it(tmp_path):\n    (tmp_path / 'x').write_text('y')\n")
    works(f"{python()} -m venv --without-pip venv")
    works("venv/bin/python -c 'import sys; assert sys.prefix != sys.base_prefix'")
    works(f"{python()} -m unittest -q test_it; {python()} -m py_compile test_it.py", cwd=str(room))


@pytest.mark.skipif(not shutil.which("make"), reason="make isn't installed")
def test_make_and_scripts(works, room):
    (room / "Makefile").write_text("all:\n\t@echo built > out; chmod +x run; ./run\n")
    (room / "run").write_text("#!/usr/bin/env sh\necho ran\n")
    assert works("make -s") == "ran\n"


def test_processes_that_share_memory(works, room):
    (room / "many.py").write_text(
        "from concurrent.futures import ProcessPoolExecutor\n"
        "from multiprocessing import Lock, Queue\n"
        "def double(x): return 2 * x\n"
        "if __name__ == '__main__':\n"
        "    Lock(); Queue().put(1)\n"
        "    print(sum(ProcessPoolExecutor(2).map(double, range(4))))\n"
    )
    assert works(f"{python()} many.py") == "12\n"


def test_devices_locale_names_and_temporary_files(works):
    works("echo x > /dev/null; head -c 4 /dev/urandom | wc -c; test -r /etc/resolv.conf; test -x /bin/sh; date")
    assert works("printf é | wc -m").strip() == "1"
    assert works("f=$(mktemp); echo kept > $f; cat $f; d=$(mktemp -d); rmdir $d; rm $f") == "kept\n"
    assert works("cat < <(echo through); cat <<E\nhere\nE") == "through\nhere\n"
    assert works("id -un; whoami | wc -l").splitlines()[1] == "1"


def test_a_server_is_reached_by_the_next_command(works):
    works(f"{python()} -m http.server 0 --bind 127.0.0.1 > log 2>&1 & sleep 1; cat log")
    works("port=$(sed -n 's/.*port \\([0-9]*\\).*/\\1/p' log) && " + _FETCH)


_FETCH = f"{python()} -c \"import sys, urllib.request as u; u.urlopen('http://127.0.0.1:' + sys.argv[1]).read()\" $port"


def test_a_workspace_inside_the_home(works, person):
    room = Path(person.home, "projects", "mine")
    room.mkdir(parents=True)
    here = {"cwd": str(room), "workspace": str(room)}
    works("mkdir -p src && echo x > src/a && cat src/a && cd .. && cd mine && ls", **here)
    assert (room / "src" / "a").read_text() == "x\n"


def test_a_folder_made_in_the_temporary_one_is_where_the_next_command_begins(kind, open_place, command):
    place = open_place(kind)
    there = place.run(command('mkdir -p "$TMPDIR/build" && cd "$TMPDIR/build" && touch made')).state.cwd
    ran = place.run(command("ls; cd ..; rm -r build", cwd=there))
    assert ran.output == "made\n"
    with pytest.raises(UsageError, match="no directory"):
        place.run(command("true", cwd=there))


def test_work_begins_in_a_home_without_its_files(kind, open_place, command, person):
    place = open_place(kind)
    ran = place.run(command("ls -A; pwd; mkdir -p ~/.cache/pip && touch ~/.cache/pip/x", cwd=person.home, workspace=""))
    assert ran.exit_code == 0 and ".ssh" not in ran.output and "notes.txt" not in ran.output
    again = place.run(command("ls ~/.cache/pip", cwd=ran.state.cwd, workspace=""))
    assert again.output == "x\n" and not Path(person.home, ".cache").exists()


def test_what_is_written_to_the_home_is_not_lost_without_a_word(open_place, command, person):
    ran = open_place("bubblewrap").run(command("touch ~/x"))
    assert ran.exit_code != 0 and "sandbox.writable" in ran.note and not Path(person.home, "x").exists()


def test_a_hidden_folder_is_no_place_for_commands(kind, open_place, command, person):
    with pytest.raises(UsageError, match=r"hides .*ssh"):
        open_place(kind).run(command("ls", cwd=f"{person.home}/.ssh"))


def test_long_results_can_be_read(works, person):
    folder = Path(person.results)
    folder.mkdir()
    (folder / "output.txt").write_text("whole")
    assert works(f"cat {folder}/output.txt") == "whole"


def test_listed_folders_are_written_and_read(works, tmp_path, person):
    shared, data = tmp_path / "shared", Path(person.home, "data")
    shared.mkdir()
    data.mkdir()
    (data / "table").write_text("rows")
    policy = {"writable": (str(shared),), "readable": ("~/data",)}
    assert works(f"echo x > {shared}/a; cat {data}/table", policy=policy) == "rows"
    assert (shared / "a").read_text() == "x\n"


def test_programs_of_the_home_that_are_on_path(works, person, monkeypatch):
    tools = Path(person.home, "tools")
    tools.mkdir()
    (tools / "hello").write_text("#!/bin/sh\necho hello\n")
    (tools / "hello").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")
    object.__setattr__(person, "env", {"PATH": f"{tools}:/usr/bin:/bin"})
    assert works("hello") == "hello\n"


@pytest.mark.skipif(not shutil.which("npm"), reason="npm isn't installed")
def test_npm(works, room):
    (room / "package.json").write_text('{"name": "x", "version": "1.0.0", "scripts": {"test": "node -p 6*7"}}')
    assert works("npm test --silent") == "42\n"
