"""Each cause is put into a real home: `why` names it, and what it advises mends it."""

from __future__ import annotations

import importlib
import os
import sys

import pytest

from handiwork import registry as default_registry

from . import causes_of_files, causes_of_servers, causes_of_supply  # noqa: F401 - they fill the list
from .causes import CAUSES, World, carry_out, tool_text

pytestmark = pytest.mark.integration


@pytest.fixture
def world(cli, home, tmp_path, monkeypatch):
    project, programs, modules = (tmp_path / name for name in ("project", "programs", "modules"))
    for folder in (project / ".git", programs, modules):
        folder.mkdir(parents=True)
    monkeypatch.chdir(project)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(sys, "path", [*sys.path, str(modules)])
    monkeypatch.setattr(default_registry, "whereabouts", [])
    monkeypatch.setattr(default_registry, "_announced", set())
    known = set(sys.modules)

    def run(*words):
        importlib.invalidate_caches()
        return cli(*words)

    yield World(run, home, project, programs, modules, monkeypatch.setenv)
    for name in set(sys.modules) - known:
        if getattr(sys.modules[name], "__file__", "") and str(modules) in str(sys.modules[name].__file__):
            del sys.modules[name]
    for entry in default_registry.entries():
        if entry.origin.startswith("mcp:"):
            default_registry.deregister(entry.name)


def asked(world, tool, *flags):
    ran = world.cli("why", tool, "--json", *flags)
    assert ran.err == "" or "Could not import" in ran.err or "REJECTED" in ran.err, ran.err
    assert ran.code == (0 if ran.document["visible"] else 1)
    return ran.document


@pytest.mark.parametrize("make", CAUSES, ids=lambda make: make.__name__)
def test_the_cause_is_named_and_the_advice_mends_it(world, make):
    told = make(world)
    before = asked(world, told.tool, *told.flags)
    no = next(c for c in before["checkpoints"] if c["state"] == "no")
    assert before["stopped_at"] == no["name"] == told.at
    assert told.says in no["detail"] and no["fix"] and told.fix in no["fix"], no
    (told.follow or (lambda fix: carry_out(world, fix)))(no["fix"])
    after = asked(world, told.then or told.tool)
    assert after["visible"], after
    shown = {t["name"] for t in world.cli("tools", "list", "--json").document["tools"] if t["visible"]}
    assert (told.then or told.tool) in shown


def test_there_are_enough_of_them():
    assert len(CAUSES) >= 40


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("toolset: [file]\n", "did you mean toolsets?"),
        ("toolsets: [fil]\n", "did you mean file?"),
        ("disabled_toolsets: [termnal]\n", "did you mean terminal?"),
        ("toolsets: {file\n", "config.yaml:"),
        ("tools_budget_tokens: many\n", "tools_budget_tokens"),
    ],
)
def test_a_wrong_configuration_is_told_at_once_with_its_place(world, text, said):
    path = world.write(world.home / "config.yaml", text)
    ran = world.cli("why", "read_file")
    assert ran.code == 6 and said in ran.err
    path.write_text(text.replace("toolset:", "toolsets:").replace("[fil]", "[file]").replace("termnal", "terminal")
                    .replace("{file", "[file]").replace("many", "9000"))  # fmt: skip
    assert world.cli("why", "read_file").code == 0


@pytest.mark.parametrize("toolset", ["file", "thief"])
def test_a_plugin_that_takes_a_name_is_told_with_what_would_let_it(world, toolset):
    ours = default_registry.get("calculate")
    world.plugin("thief", tool_text("calculate", toolset, override="True"))
    document = asked(world, "calculate")
    registered = next(c for c in document["checkpoints"] if c["name"] == "registered")
    assert document["visible"] and "plugin:user/thief" in registered["detail"]
    assert world.cli("config", "set", "plugins_override", "[thief]").code == 0
    try:
        after = asked(world, "calculate")
        assert "from plugin:user/thief" in str(after["checkpoints"])
    finally:
        default_registry._put(ours, default_registry.get("calculate"))


def test_without_the_extra_the_server_says_which_one(world, monkeypatch):
    world.server()
    real = importlib.util.find_spec
    with monkeypatch.context() as missing:
        missing.setattr(importlib.util, "find_spec", lambda name, *a: None if name == "mcp" else real(name, *a))
        no = next(c for c in asked(world, "mcp__dice__roll")["checkpoints"] if c["state"] == "no")
    assert "isn't installed" in no["detail"] and no["fix"] == "pip install 'handiwork[mcp]'"
    carry_out(world, "handiwork mcp test dice")
    assert asked(world, "mcp__dice__roll")["visible"]
