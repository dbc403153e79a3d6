"""Finding the workspace on a real file system."""

from __future__ import annotations

from pathlib import Path

from handiwork.guard import find_workspace
from handiwork.guard.workspace import is_inside


def test_find_workspace(tmp_path: Path) -> None:
    home = tmp_path / "home"
    repo = home / "repo"
    (repo / "a" / "b").mkdir(parents=True)
    (home / "plain").mkdir()
    (repo / ".git").mkdir()
    assert find_workspace(str(repo / "a" / "b"), home=str(home)) == str(repo)
    assert find_workspace(str(home / "plain"), home=str(home)) == str(home / "plain")
    assert find_workspace(str(home), home=str(home)) == ""
    assert find_workspace("/", home=str(home)) == ""
    (home / ".git").mkdir()
    assert find_workspace(str(home / "plain"), home=str(home)) == str(home / "plain")


def test_a_sibling_with_the_same_beginning_is_not_inside() -> None:
    assert is_inside("/w/a", "/w")
    assert is_inside("/w", "/w")
    assert not is_inside("/w-evil/a", "/w")
    assert not is_inside("/w", "")
