"""Plugins that come as installed packages: found by their entry points, and asked for again when that changes."""

from __future__ import annotations

import importlib
import os
import sys

import pytest

from handiwork.catalog.discovery import Scanner
from handiwork.sources.installed import Installed, installed_plugins

OURS = "from handiwork import tool\n@tool(toolset='pip')\ndef ours() -> str:\n    'Ours.'\n    return 'ours'\n"
THEIRS = (
    "from tools.registry import registry, tool_result\nfrom .part import run\n"
    "def register(ctx):\n    ctx.register_tool('theirs', 'pip', {}, run)\n"
)
PART = "from tools.registry import tool_result\ndef run(args, **kw):\n    return tool_result(theirs=True)\n"


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder of installed packages on `sys.path`."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
    yield folder
    for name in [n for n in sys.modules if n.partition(".")[0] in ("hw_ours", "hw_theirs", "hw_bad")]:
        del sys.modules[name]


def install(site, name, entry_points, **files):
    package = site / name
    package.mkdir()
    for file, text in files.items():
        (package / f"{file}.py").write_text(text)
    info = site / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "entry_points.txt").write_text(entry_points)
    os.utime(site, ns=(1, 1 + len(os.listdir(site))))


def load(shelf):
    found = [p for p in shelf.house.plugins.of_packages(Scanner(), "") if p.name.startswith(("ours", "theirs", "bad"))]
    shelf.house.plugins.load(lambda: found)
    return shelf.loaded


def test_both_groups_are_loaded(shelf, site):
    install(site, "hw_ours", "[handiwork.plugins]\nours = hw_ours\n", __init__=OURS)
    install(site, "hw_theirs", "[hermes_agent.plugins]\ntheirs = hw_theirs:register\n", __init__=THEIRS, part=PART)
    loaded = load(shelf)
    assert [(n, one.error, one.tools) for n, one in sorted(loaded.items())] == [
        ("ours", "", ("ours",)),
        ("theirs", "", ("theirs",)),
    ]
    assert shelf.house.registry.get("ours").origin == "plugin:package/ours"
    assert shelf.house.registry.dispatch("theirs", {}) == '{"theirs": true}'
    assert "tools" not in sys.modules


def test_loading_everything_anew_leaves_them_as_they_are(shelf, site):
    install(site, "hw_ours", "[handiwork.plugins]\nours = hw_ours\n", __init__=OURS)
    load(shelf)
    assert shelf.house.plugins.refresh(everything=True) == [] and shelf.call("ours") != "" and shelf.names == ["ours"]


def test_one_that_fails_is_named_and_gone(shelf, site):
    install(site, "hw_bad", "[handiwork.plugins]\nbad = hw_bad.part:nothing\n", __init__=OURS, part="")
    loaded = load(shelf)
    assert "nothing" in loaded["bad"].error and shelf.names == [] and "hw_bad" not in sys.modules


def test_a_package_that_failed_as_a_plugin_is_a_package_like_any_other(shelf, site):
    install(
        site, "hw_bad", "[handiwork.plugins]\nbad = hw_bad.part\n", __init__="", part="1/0", fine="import handiwork\n"
    )
    assert "ZeroDivisionError" in load(shelf)["bad"].error
    assert importlib.import_module("hw_bad.fine").handiwork is sys.modules["handiwork"]


def test_what_was_read_is_remembered_until_something_is_installed(site, tmp_path, monkeypatch):
    def ours(scanner):
        return [one for one in installed_plugins(scanner, "") if one.name.startswith(("ours", "more"))]

    install(site, "hw_ours", "[handiwork.plugins]\nours = hw_ours\n")
    scanner = Scanner(str(tmp_path / "cache"))
    assert ours(scanner) == [Installed("ours", "hw_ours")]
    scanner.save()
    (site / "hw_ours-1.0.dist-info" / "entry_points.txt").unlink()  # nobody looks: the folder hasn't changed
    assert ours(Scanner(str(tmp_path / "cache"))) == [Installed("ours", "hw_ours")]
    install(site, "hw_more", "[handiwork.plugins]\nmore = hw_more [extra]\n")
    assert ours(Scanner(str(tmp_path / "cache"))) == [Installed("more", "hw_more")]


@pytest.mark.parametrize(
    "text", ["", "[other]\nhandiwork.plugins = x\n", "[handiwork.plugins\nx", "[handiwork.plugins]\n"]
)
def test_odd_files_say_nothing(site, text):
    install(site, "hw_ours", text)
    assert not [one for one in installed_plugins(Scanner(), "") if one.target.startswith("hw_")]


def test_the_project_s_own_folder_is_passed_over(site, monkeypatch):
    """`python -m` puts the current folder on the path; a repository could bring an entry point."""
    install(site, "hw_ours", "[handiwork.plugins]\nours = hw_ours\n")
    assert not [one for one in installed_plugins(Scanner(), str(site)) if one.name == "ours"]
    monkeypatch.chdir(site)
    assert not [one for one in installed_plugins(Scanner(), "") if one.name == "ours"]
