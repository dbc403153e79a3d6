"""The example plugins, loaded as a person's plugins are."""

from __future__ import annotations

import os
import shutil
import sys
import time
from pathlib import Path

import pytest

from handiwork.catalog.discovery import Scanner
from handiwork.catalog.toolsets import Toolsets
from handiwork.core.types import Forbid, Scope, ToolCall, Traits
from handiwork.sources.modules import Harvest
from handiwork.sources.plugins import Plugins
from handiwork.sources.view import Ground

EXAMPLES = Path(__file__).parents[2] / "examples" / "plugins"


@pytest.fixture
def load(pipeline, tmp_path):
    """Loads one example; its module, to change its constants."""

    def load_example(name):
        folder = tmp_path / "plugins"
        folder.mkdir()
        shutil.copyfile(EXAMPLES / f"{name}.py", folder / f"{name}.py")
        harvest = Harvest()
        ground = Ground(pipeline.registry, pipeline.hooks, lambda name, args, _: "", Toolsets(pipeline.registry))
        plugins = Plugins(ground, harvest)
        plugins.load(lambda: plugins.of_folder(Scanner(), str(folder)))
        assert [f.error for f in harvest.loaded] == [""]
        return sys.modules[f"handiwork_plugins.{name}"]

    return load_example


def test_a_tool_is_called_so_often_and_then_again(load, add, run):
    add("terminal")
    add("other")
    limits = load("rate_limit").LIMITS
    limits["terminal"] = (3, 0.3)
    assert [run("terminal").status for _ in range(5)] == ["ok"] * 3 + ["refused"] * 2
    assert "may be called 3 times in 0.3 s" in run("terminal").content and run("other").status == "ok"
    time.sleep(0.31)
    assert run("terminal").status == "ok"


@pytest.fixture
def reads(add, pipeline, tmp_path):
    ran = []

    def read(args):
        ran.append(args)
        return (tmp_path / args["path"]).read_text()

    add("read_file", read, properties={"path": {"type": "string"}}, traits=Traits(read_only=True))

    def call(path="a"):
        return pipeline.run(ToolCall("read_file", {"path": path}, "c1", Scope(cwd=str(tmp_path)))).content, len(ran)

    return call


def write(path, text, age):
    path.write_text(text)
    os.utime(path, (time.time() - age, time.time() - age))


def test_what_was_read_is_kept_until_the_file_changes(load, reads, tmp_path):
    load("read_cache")
    write(tmp_path / "a", "one", 100)
    assert [reads(), reads(), reads()] == [("one", 1), ("one", 1), ("one", 1)]
    write(tmp_path / "a", "two", 50)
    assert [reads(), reads()] == [("two", 2), ("two", 2)]


def test_what_was_just_written_is_not_kept(load, reads, tmp_path):
    load("read_cache")
    write(tmp_path / "a", "one", 0)
    assert [reads(), reads()] == [("one", 1), ("one", 2)]


def test_errors_and_missing_files_are_not_kept(load, reads, tmp_path):
    load("read_cache")
    assert reads()[1] == 1 and reads()[1] == 2
    write(tmp_path / "a", "there", 100)
    assert reads() == ("there", 3)


def test_the_guard_judges_what_is_kept(load, reads, tmp_path, pipeline):
    load("read_cache")
    write(tmp_path / "a", "one", 100)
    reads()
    pipeline.judge = lambda ready: Forbid("not any more")
    assert "not any more" in reads()[0]


def test_only_so_much_is_kept(load, reads, tmp_path, monkeypatch):
    monkeypatch.setattr(load("read_cache"), "MOST_KEPT", 2)
    for name in "abc":
        write(tmp_path / name, name, 100)
        reads(name)
    assert reads("c") == ("c", 3) and reads("a") == ("a", 4)
