"""A damaged configuration is told with its place; a changed one keeps every other word."""

from __future__ import annotations

import os
import stat

import pytest
import yaml

from handiwork.apps.config_file import load_config, set_value
from handiwork.core.errors import ConfigError, UsageError

DAMAGED = [
    ("max_steps: [1\n", "2:1"),
    ("model: x\n  bad: y\n", "2:6"),
    ("a\tb: {\n", "1:2"),
    ("max_step: 3\n", "1:1", "did you mean max_steps?"),
    ("model: x\nquux: 3\n", "2:1", "known keys"),
    ("model: x\nmax_steps: many\n", "2:1", "whole number"),
    ("max_steps: true\n", "1:1", "whole number"),
    ("max_seconds: .nan\n", "1:1", "more than 0"),
    ("max_seconds: .inf\n", "1:1", "more than 0"),
    ("toolsets: file\n", "1:1", "list of names"),
    ("toolsets: [1]\n", "1:1", "list of names"),
    ("mode: yolO\n", "1:1", "yolo"),
    ("sandbox: on\n", "1:1", "mapping"),
    ("sandbox: {nework: off}\n", "1:1", "unknown key 'nework'", "network"),
    ("sandbox: {backend: gvisor}\n", "1:1", "sandbox.backend", "bubblewrap"),
    ("sandbox: {backend: 'ssh:-oProxyCommand=x'}\n", "1:1", "sandbox.backend", "ssh:HOST"),
    ("sandbox: {network: pypi.org}\n", "1:1", "on, off or a list"),
    ("sandbox: {writable: [data]}\n", "1:1", "whole paths"),
    ("sandbox: {memory_mb: 0}\n", "1:1", "more than 0"),
    ("version: 99\n", "1:1", "newer"),
    ("custom_toolsets: {x: {tool: [a]}}\n", "1:1", "custom_toolsets.x"),
    ("custom_toolsets: {x: {tools: abc}}\n", "1:1", "custom_toolsets.x.tools"),
    ("custom_toolsets: {x: {description: 3}}\n", "1:1", "custom_toolsets.x.description"),
    ("- a\n- b\n", "1:1", "mapping"),
    ("just text\n", "1:1", "mapping"),
    (b"model: x\nmode: \xff\xfe\n", "2:7", "UTF-8"),
    ("version: 2020-13-45\n", "1:1", "quotes"),
    ("model: !!python/object:os.system x\n", "1:8"),
    ("<<: {max_steps: 0}\n", "1:1", "more than 0"),
    ("[" * 500, "1:1"),
    ("model: x\n---\nmodel: y\n", "2:1"),
]


@pytest.mark.parametrize("case", DAMAGED, ids=lambda c: repr(c[0])[:40])
def test_damage_is_exit_6_with_its_place(cli, configure, case):
    text, place, *words = case
    path = configure(text)
    ran = cli("tools", "list")
    assert (ran.code, ran.out) == (6, "") and len(ran.err.splitlines()) <= 3
    assert ran.err.startswith(f"error: {path}:{place}: ")
    assert all(word in ran.err for word in words)
    assert cli("run", "hi", "--json").document["exit_code"] == 6
    assert cli("config", "set", "max_steps", "5").code == 6
    before = path.read_bytes()
    assert before == (text if isinstance(text, bytes) else text.encode())  # damage isn't written over


def test_a_folder_in_its_place_and_a_file_that_is_locked(cli, home):
    (home / "config.yaml").mkdir()
    for words in (["tools", "list"], ["config", "set", "max_steps", "3"], ["model", "list"]):
        ran = cli(*words)
        assert ran.code == 6 and "config.yaml" in ran.err and "directory" in ran.err


def test_doctor_tells_a_damaged_configuration_and_goes_on(cli, configure):
    configure("max_step: 1\n")
    ran = cli("doctor", "--json")
    assert ran.code == 1
    problems = [f for f in ran.document["findings"] if f["state"] == "problem"]
    assert len(problems) == 1 and "max_step" in problems[0]["detail"] and "max_steps" in problems[0]["fix"]


@pytest.mark.parametrize("key", ["toolsets", "disabled_toolsets"])
def test_a_toolset_that_isnt_there_is_a_fault_of_the_configuration(cli, configure, key):
    configure(f"{key}: [trminal]\n")
    for words in (["tools", "list"], ["why", "patch"], ["tools", "enable", "file"], ["run", "x", "--model", "a/b"]):
        ran = cli(*words)
        assert ran.code == 6 and key in ran.err and "terminal" in ran.err and "config set" in ran.err
    ran = cli("doctor", "--json")
    assert ran.code == 1 and [f["name"] for f in ran.document["findings"] if f["state"] == "problem"] == [key]
    assert cli("config", "set", key, "[terminal]").code == 0 and cli("tools", "list").code == 0


def test_a_shipped_name_cant_be_taken_by_the_configuration(cli, configure):
    configure("custom_toolsets: {safe: {tools: [patch]}}\n")
    ran = cli("tools", "list")
    assert ran.code == 6 and "custom_toolsets" in ran.err and "another name" in ran.err


# ------------------------------------------------------------------------------------------- projects


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "work" / ".handiwork"

    def write(text, name="config.yaml"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
        return folder.parent

    return write


def test_a_project_narrows_what_holds_and_its_local_file_wins(cli, configure, project):
    configure("max_steps: 9\nmax_seconds: 5\n")
    project("max_steps: 7\n")
    here = project("max_steps: 3\n", "config.local.yaml")
    assert cli("config", "get", "max_steps").out == "3\n" and cli("config", "get", "max_seconds").out == "5\n"
    assert len(cli("config", "path", "--json").document["files"]) == 3
    (here / "src").mkdir()
    os.chdir(here / "src")
    assert cli("config", "get", "max_steps").out == "3\n"  # also from a folder inside


@pytest.mark.parametrize(
    "line",
    ["mode: yolo", "base_url: http://example.org/v1", "model: http://example.org/v1#m", "plugins_override: [x]",
     "plugins_disabled: [guard]"],
)  # fmt: skip
@pytest.mark.parametrize("name", ["config.yaml", "config.local.yaml"])
def test_what_comes_with_a_repository_cant_loosen_anything(cli, project, line, name):
    project(f"# ours\n{line}\n", name)
    ran = cli("tools", "list")
    assert ran.code == 6 and f"{name}:2:1" in ran.err and "not for a project" in ran.err


@pytest.mark.parametrize(
    ("own", "theirs", "holds"),
    [("read-only", "ask", "read-only"), ("ask", "accept-edits", "ask"), ("yolo", "ask", "ask"),
     ("ask", "read-only", "read-only")],
)  # fmt: skip
def test_of_two_modes_the_stricter_holds(cli, configure, project, own, theirs, holds):
    configure(f"mode: {own}\n")
    project(f"mode: {theirs}\n")
    assert cli("config", "get", "mode").out == f"{holds}\n"


# ------------------------------------------------------------------------------------------- changing

KEPT = [
    ("", "max_steps: 5\n"),
    ("# only words\n", "# only words\nmax_steps: 5\n"),
    ("model: x", "model: x\nmax_steps: 5\n"),
    ("max_steps: 9 # why\nmodel: x\n", "max_steps: 5 # why\nmodel: x\n"),
    ("'max_steps': 9\nmodel: x\n", "max_steps: 5\nmodel: x\n"),
    ("model: x\r\nmax_steps: 9\r\n", "model: x\nmax_steps: 5\n"),
    ("max_steps:   9\n\n\n# end\n", "max_steps: 5\n\n\n# end\n"),
    ("---\nmax_steps: 9\n", "---\nmax_steps: 5\n"),
]


@pytest.mark.parametrize(("before", "after"), KEPT)
def test_one_value_is_exchanged_and_all_else_stays(home, before, after):
    (home / "config.yaml").write_text(before)
    set_value(str(home), "max_steps", 5)
    assert (home / "config.yaml").read_text() == after


LISTS = [
    "toolsets:\n  - a\n  - b\n",
    "toolsets:\n- a\n# why b\n- b\n",
    "toolsets:\n  - a\n\n  - b  # last\n",
    "toolsets: [a,\n  b\n]\n",
    "toolsets: [a, b]\n",
    "toolsets: []\n",
    "toolsets:\n  - >\n    folded\n",
]


@pytest.mark.parametrize("before", LISTS)
def test_a_list_in_any_form_is_exchanged_whole(home, before):
    path = home / "config.yaml"
    path.write_text(f"# top\nmode: ask\n{before}\n# below\nmax_steps: 9\n")
    set_value(str(home), "toolsets", ["x", "y"])
    text = path.read_text()
    assert yaml.safe_load(text) == {"mode": "ask", "toolsets": ["x", "y"], "max_steps": 9}
    assert "# top" in text and "\n\n# below\nmax_steps: 9\n" in text


def test_a_file_in_braces_is_changed_too(home):
    (home / "config.yaml").write_text("{model: x, max_steps: 9}\n")
    set_value(str(home), "max_steps", 5)
    assert yaml.safe_load((home / "config.yaml").read_text()) == {"model": "x", "max_steps": 5}


def test_what_cant_be_changed_without_harm_stays_as_it_is(home):
    text = "disabled_toolsets: &x [a]\ntoolsets: *x\n"
    (home / "config.yaml").write_text(text)
    with pytest.raises(ConfigError, match="without harm"):
        set_value(str(home), "disabled_toolsets", ["b"])
    assert (home / "config.yaml").read_text() == text


def test_a_link_stays_a_link_and_a_mode_a_mode(home, tmp_path):
    real = tmp_path / "dotfiles.yaml"
    real.write_text("model: x\n")
    real.chmod(0o640)
    (home / "config.yaml").symlink_to(real)
    set_value(str(home), "max_steps", 5)
    assert (home / "config.yaml").is_symlink() and "max_steps: 5" in real.read_text()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert sorted(p.name for p in home.iterdir()) == ["audit.jsonl", "config.yaml"]


def test_a_new_file_is_its_owners_alone(home):
    set_value(str(home), "model", "a: b # c")
    assert stat.S_IMODE((home / "config.yaml").stat().st_mode) == 0o600
    assert load_config(str(home)).model == "a: b # c"


def test_a_wrong_value_is_not_written(home):
    with pytest.raises(UsageError):
        set_value(str(home), "max_steps", "many")
    assert not (home / "config.yaml").exists()


def test_commands_set_get_show_and_path(cli, home):
    assert cli("config", "path", "--json").document == {"files": []}
    assert "config.yaml would be read" in cli("config", "path").out
    ran = cli("config", "set", "toolsets", "[file, terminal]")
    assert ran.code == 0 and str(home / "config.yaml") in ran.out
    assert cli("config", "set", "mode", "ask", "--json").document["value"] == "ask"
    assert cli("config", "get", "toolsets").out == '["file", "terminal"]\n'
    assert cli("config", "get", "mode", "--json").document == {"key": "mode", "value": "ask"}
    shown = cli("config", "show", "--json").document
    assert shown["toolsets"] == ["file", "terminal"] and shown["max_steps"] == 50
    assert "max_steps" in cli("config", "show").out
    assert cli("config", "path").out == f"{home / 'config.yaml'}\n"


@pytest.mark.parametrize("value", ["{web: 0}", "{web: -1}", "{web: true}", "{web: many}", "{web: 1.5}", "[web]", "3"])
def test_how_many_calls_run_at_once_is_a_number_for_each_name(configure, home, value):
    configure(f"most_at_once: {value}\n")
    with pytest.raises(ConfigError, match="most_at_once"):
        load_config(str(home))
    configure("most_at_once: {web: 2}\nfail_fast: true\n")
    config = load_config(str(home))
    assert config.most_at_once == {"web": 2} and config.fail_fast
