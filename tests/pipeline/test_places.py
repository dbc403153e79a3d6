"""A path is judged where it leads in the environment of the call, and that is what the tool is handed."""

import json
import os

import pytest

from handiwork.backends.environment.late import LateEnvironment
from handiwork.backends.environment.local import LocalEnvironment
from handiwork.backends.files.local import LocalFiles
from handiwork.core.errors import UsageError
from handiwork.core.types import ShellState, Traits
from handiwork.guard.policies import policy
from handiwork.testing import MockEnvironment


class ElsewhereFiles(LocalFiles):
    """A place whose root is a folder of this machine."""

    place = "elsewhere"

    def __init__(self, root):
        self.root = os.fspath(root)

    def real(self, path, /):
        if "unreachable" in path:
            raise UsageError("that place can't be reached")
        return super().real(self.root + path.replace("~", "/home", 1))


@pytest.fixture
def look(add):
    """A tool that answers what its path leads to."""
    add(
        "look",
        lambda args, *, real_paths: dict(real_paths),
        properties={"path": {"type": "string"}},
        traits=Traits(read_only=True, touches={"path": "path"}),
    )


def asked(run, path, **scope):
    return run("look", {"path": path}, **scope)


def test_the_environment_says_where_a_path_leads(look, run, tmp_path):
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/link").symlink_to("file")
    environment = MockEnvironment(files=ElsewhereFiles(tmp_path.resolve()))
    for path, leads in {"link": "etc/file", "/etc/link": "etc/file", "~/x": "home/x", "../y": "y"}.items():
        found = asked(run, path, cwd="/etc", environment=environment)
        assert json.loads(found.content) == {path: str(tmp_path.resolve() / leads)}
    found = asked(run, "link", environment=environment, shell=ShellState("/etc"))
    assert json.loads(found.content) == {"link": str(tmp_path.resolve() / "etc/file")}
    assert json.loads(asked(run, "unreachable", cwd="/", environment=environment).content) == {}


def test_without_an_environment_it_is_this_machine(look, run, tmp_path):
    (tmp_path / "link").symlink_to("file")
    found = asked(run, "link", cwd=str(tmp_path))
    assert json.loads(found.content) == {"link": str(tmp_path.resolve() / "file")}


def test_the_guard_looks_at_the_files_of_the_environment(look, run, tmp_path, pipeline):
    root = tmp_path.resolve()
    pipeline.judge = policy()
    os.mkfifo(root / "pipe")
    (root / "file").touch()
    scope = {"cwd": "/", "workspace": str(root), "environment": MockEnvironment(files=ElsewhereFiles(root))}
    assert asked(run, "file", **scope).status == "ok"
    for path, reason in {"pipe": "a device, socket or pipe", "unreachable": "can't be resolved"}.items():
        refused = asked(run, path, **scope)
        assert refused.status == "refused" and reason in refused.content


def test_a_result_has_the_room_that_the_pipeline_leaves_it(add, run, pipeline):
    add("wide", lambda args, *, room: {"room": room})
    add("narrow", lambda args, *, room: {"room": room}, max_result_size_chars=1234)
    assert json.loads(run("wide").content) == {"room": pipeline.limits.max_chars}
    assert json.loads(run("narrow").content) == {"room": 1234}


def test_files_of_this_machine_need_no_environment_that_is_opened(tmp_path):
    late = LateEnvironment(str(tmp_path))
    assert late.files.place == "local" and late.files is late.files and "_real" not in vars(late)
    environment = LocalEnvironment(str(tmp_path))
    assert environment.files.place == "local"
    environment.close()
