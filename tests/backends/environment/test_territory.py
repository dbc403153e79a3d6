"""Which files are seen and written under a policy, without starting anything."""

import os
from pathlib import Path

import pytest

from handiwork.backends.environment.gitdirs import gitdirs
from handiwork.backends.environment.nesting import deepest, inside, outermost
from handiwork.backends.environment.territory import Person, survey
from handiwork.core.errors import UsageError
from handiwork.core.types import SandboxPolicy


@pytest.fixture
def person(tmp_path):
    for folder in (".ssh", ".aws", ".cargo/bin", ".config/git", "projects/mine", ".handiwork/results", "bin"):
        (tmp_path / "p" / folder).mkdir(parents=True)
    home = tmp_path / "p"
    for file in (".netrc", ".gitconfig", ".cargo/credentials.toml", ".config/git/config", ".config/git/credentials"):
        (home / file).write_text("x")
    own = home / ".handiwork"
    return Person(str(home), {"PATH": f"{home}/bin:/usr/bin:{home}"}, str(own), str(own / "results"))


def seen(person, *paths, policy=SandboxPolicy(), workspace=""):  # noqa: B008 - frozen
    land = survey(workspace, policy, person)
    return [path for path in paths if land.sees(os.path.join(person.home, path))]


def test_a_home_is_hidden_but_for_its_tools(person):
    shown = (".gitconfig", ".cargo/bin/cargo", ".config/git/config", "bin/tool", ".handiwork/results/a")
    hidden = (
        ".ssh/id",
        ".netrc",
        ".cargo/credentials.toml",
        ".config/git/credentials",
        "notes",
        ".handiwork/config.yaml",
    )
    assert seen(person, *shown, *hidden) == list(shown)


def test_a_folder_on_path_that_would_show_the_home_or_keys_is_not_shown(person):
    for entry in (person.home, f"{person.home}/.ssh", f"{person.home}/.ssh/bin", "/", "relative"):
        os.makedirs(os.path.join(person.home, entry), exist_ok=True)
        other = Person(person.home, {"PATH": entry}, person.own)
        assert seen(other, ".ssh/id", "notes", ".netrc") == []


def test_keys_stay_hidden_in_a_folder_that_is_listed_unless_they_are_listed_themselves(person):
    listed = SandboxPolicy(readable=("~",))
    assert seen(person, "notes", ".ssh/id", ".netrc", ".handiwork/config.yaml", policy=listed) == ["notes"]
    assert seen(person, ".ssh/id", ".netrc", policy=SandboxPolicy(readable=("~/.netrc",))) == [".netrc"]


def test_a_home_is_no_workspace(person):
    for workspace in (person.home, os.path.dirname(person.home), "/", ""):
        land = survey(workspace, SandboxPolicy(), person)
        assert land.workspace == "" and land.writable == ()


@pytest.mark.parametrize("path", ["~", "/", "~/.handiwork", "~/.handiwork/plugins"])
def test_no_policy_gives_the_whole_home_or_our_own_settings(person, path):
    with pytest.raises(UsageError, match=r"sandbox\.writable"):
        survey("", SandboxPolicy(writable=(path,)), person)


def test_what_lies_in_a_writable_folder_has_no_rule_of_its_own(person):
    """A command could put a link there, which the next one's rule would follow."""
    room = f"{person.home}/projects"
    land = survey(room, SandboxPolicy(writable=(f"{room}/mine", f"{room}/mine/deeper")), person)
    assert land.writable == (room,)


def test_a_virtual_environment_brings_the_python_that_it_stands_on(person):
    home = Path(person.home)
    (home / "venv" / "bin").mkdir(parents=True)
    (home / "pythons" / "3.11" / "bin").mkdir(parents=True)
    (home / "pythons" / "3.11" / "lib").mkdir()
    (home / "pythons" / "3.11" / "bin" / "python3").touch(0o755)
    (home / "venv" / "pyvenv.cfg").write_text(f"home = {home}/pythons/3.11/bin\nversion = 3.11\n")
    other = Person(person.home, {"PATH": f"{home}/venv/bin"}, person.own)
    shown = ("venv/lib/x.py", "pythons/3.11/lib/os.py")
    assert seen(other, *shown, "pythons/3.12") == list(shown)


def test_what_a_workspace_says_of_its_python_is_no_proof(person):
    """A command can write there that the Python lies in any folder, or put a link to one on PATH."""
    home = Path(person.home)
    (home / "venv" / "bin").mkdir(parents=True)
    (home / "private" / "papers").mkdir(parents=True)
    (home / "venv" / "pyvenv.cfg").write_text(f"home = {home}/private/papers\n")
    (home / "linked").symlink_to(home / "private")
    other = Person(person.home, {"PATH": f"{home}/venv/bin:{home}/linked"}, person.own)
    assert seen(other, "private/papers/letter", "linked") == []


def test_our_own_state_deep_in_a_workspace_is_refused(tmp_path):
    """Its parent could be exchanged, mounts and all."""
    own = tmp_path / "room" / "deep" / "own"
    own.mkdir(parents=True)
    with pytest.raises(UsageError, match="where Handiwork keeps its settings"):
        survey(str(tmp_path / "room"), SandboxPolicy(), Person(str(tmp_path / "home"), {}, str(own)))
    with pytest.raises(UsageError, match="where Handiwork keeps its settings"):
        survey(str(own), SandboxPolicy(), Person(str(tmp_path / "home"), {}, str(own)))


@pytest.fixture
def repository(tmp_path):
    """A repository with a worktree elsewhere, as git lays them out."""
    main, tree = tmp_path / "main" / ".git", tmp_path / "tree"
    (main / "worktrees" / "tree").mkdir(parents=True)
    (main / "objects").mkdir()
    (main / "HEAD").write_text("ref: refs/heads/main\n")
    (main / "worktrees" / "tree" / "gitdir").write_text(f"{tree}/.git\n")
    tree.mkdir()
    (tree / ".git").write_text(f"gitdir: {main}/worktrees/tree\n")
    return main, tree


def test_a_worktree_brings_its_repository(repository):
    main, tree = repository
    assert gitdirs(str(tree)) == (str(main),)


def test_a_pointer_that_is_not_answered_is_not_believed(repository, tmp_path):
    main, tree = repository
    secret = tmp_path / "secret"
    secret.mkdir()
    for pointer in (f"gitdir: {secret}", f"gitdir: {main}", "gitdir: /", "gitdir:", "nothing", "gitdir: \0"):
        (tree / ".git").write_text(pointer)
        assert gitdirs(str(tree)) == ()
    other = tmp_path / "other"
    other.mkdir()
    (other / ".git").write_text(f"gitdir: {main}/worktrees/tree")  # it answers to somebody else
    assert gitdirs(str(other)) == ()


def test_a_forged_repository_in_the_workspace_brings_nothing(tmp_path):
    room = tmp_path / "room"
    (room / "fake" / "worktrees" / "x").mkdir(parents=True)
    (room / "fake" / "objects").mkdir()
    (room / "fake" / "HEAD").write_text("ref: x")
    (room / "fake" / "worktrees" / "x" / "gitdir").write_text(f"{room}/.git")
    (room / "fake" / "worktrees" / "x" / "commondir").write_text("/etc")
    (room / ".git").write_text("gitdir: fake/worktrees/x")
    assert gitdirs(str(room)) == ()


def test_a_pointer_that_is_a_link_is_not_followed(repository, tmp_path):
    _, tree = repository
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / ".git").symlink_to(tree / ".git")
    assert gitdirs(str(tmp_path / "other")) == ()


def test_nesting():
    assert inside("/a/b", "/a") and inside("/a", "/a") and inside("/a", "/") and not inside("/ab", "/a")
    assert outermost(["/a/b/c", "/a/b", "/d", "/a/bc"]) == ("/d", "/a/b", "/a/bc")
    assert deepest("/a/b/c", ("/a", "/a/b", "/x")) == 4 and deepest("/y", ("/a",)) == -1
