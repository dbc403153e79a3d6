"""What works here, what doesn't, and what would mend it."""

from __future__ import annotations

import json
import os
import sys
import time
import tomllib
from pathlib import Path

import pytest

from handiwork.apps.cli.doctor import environment, mending, online, stores
from handiwork.apps.house import House
from handiwork.backends.embeddings import extra
from handiwork.core.config import Config

from .causes import SERVER
from .test_cli_tools import GATED

pytestmark = pytest.mark.integration  # real processes and servers


def test_a_new_home_has_warnings_only(cli, home):
    ran = cli("doctor", "--json")
    assert ran.code == 0 and ran.document["version"]
    groups = {f["group"] for f in ran.document["findings"]}
    assert groups >= {"environment", "configuration", "model", "tools"}
    assert all(f["state"] in ("ok", "warning") for f in ran.document["findings"])
    assert all(f["fix"] for f in ran.document["findings"] if f["state"] != "ok")
    text = cli("doctor").out
    assert str(home) in text and "✓" in text and "fix: " in text


def test_a_gated_tool_is_a_warning_with_its_fix(cli, plugin):
    plugin("weather", GATED)
    cli("tools", "enable", "weather")
    ran = cli("doctor", "--json")
    found = next(f for f in ran.document["findings"] if f["name"] == "forecast")
    assert ran.code == 0 and found["state"] == "warning" and "HANDIWORK_TEST_WEATHER_KEY" in found["fix"]


def test_a_home_that_cant_be_written_is_told(cli, monkeypatch, tmp_path):
    (tmp_path / "plain").write_text("")
    monkeypatch.setenv("HANDIWORK_HOME", str(tmp_path / "plain" / "home"))
    found = next(f for f in cli("doctor", "--json").document["findings"] if f["name"] == "home")
    assert found["state"] == "warning" and "HANDIWORK_HOME" in found["fix"]


def findings(ran):
    return {f["name"]: f for f in ran.document["findings"]}


def test_a_home_that_others_can_read_is_closed_by_fix(cli, home):
    home.chmod(0o755)
    found = findings(cli("doctor", "--json"))["home"]
    assert found["state"] == "warning" and found["mendable"] and found["fix"] == f"chmod 700 {home}"
    assert "left as it is" in cli("doctor", "--fix").err and home.stat().st_mode & 0o77  # nobody was there to say yes
    ran = cli("doctor", "--fix", "--yes", "--json")
    assert home.stat().st_mode & 0o777 == 0o700 and findings(ran)["home"]["state"] == "ok"
    (mended,) = ran.document["mended"]
    assert mended["would"] == f"chmod 700 {home}" and "owner's alone" in mended["done"]


def test_damaged_caches_and_files_of_killed_processes_are_removed_by_fix(cli, home):
    (home / "cache").mkdir()
    (home / "cache" / "discovery.json").write_text('{"version": 2, "fil')
    os.chmod(home / "cache" / "discovery.json", 0o400)
    left, ours = home / "config.yaml.4194999", home / f"config.yaml.{os.getpid()}"
    left.write_text("mode: ask")
    ours.write_text("being written")
    found = [*stores.look_at_caches(str(home))]
    assert {f.name for f in found} == {"cache", "left behind"}
    assert "is removed" in cli("doctor", "--fix", "--yes").err
    assert not left.exists() and ours.exists() and not [*stores.look_at_caches(str(home))]


def test_a_damaged_store_is_a_problem_and_is_mended_only_after_a_question(cli, home, script, monkeypatch):
    assert cli("run", "hello", "--model", script("hi")).code == 0
    assert findings(cli("doctor", "--json"))["sessions"]["state"] == "ok"
    path = home / "sessions.db"
    data = bytearray(path.read_bytes())
    data[4096:8192] = b"\xff" * 4096
    path.write_bytes(data)
    for beside in home.glob("sessions.db-*"):
        beside.unlink()
    ran = cli("doctor", "--json")
    assert ran.code == 1 and findings(ran)["sessions"]["fix"] == "handiwork check --repair"
    assert "needs an answer at a terminal" in cli("doctor", "--fix", "--yes").err
    monkeypatch.setattr(mending, "is_attended", lambda: True)
    monkeypatch.setattr(mending, "read_line", lambda question: "y")
    ran = cli("doctor", "--fix")
    assert "would do: handiwork check --repair" in ran.err
    assert findings(cli("doctor", "--json"))["sessions"]["state"] == "ok"


def test_a_record_that_was_cut_is_told(cli, command, home):
    command("tools", "call", "calculate", "expression=1")  # whose end has written all of it
    assert findings(cli("doctor", "--json"))["audit"]["state"] == "ok"
    with (home / "audit.jsonl").open("ab") as file:
        file.write(b'{"half a li')
    found = findings(cli("doctor", "--json"))["audit"]
    assert found["state"] == "warning" and found["fix"] == "handiwork audit verify"


def test_variables_that_nothing_reads_are_told_with_the_near_one(cli, monkeypatch):
    monkeypatch.setenv("HANDIWORK_MODLE", "x")
    monkeypatch.setenv("HERMES_DISABLED_TOOLSETS", "web")
    found = findings(cli("doctor", "--json"))
    assert "did you mean HANDIWORK_MODEL?" in found["HANDIWORK_MODLE"]["fix"]
    assert "config.yaml" in found["HERMES_DISABLED_TOOLSETS"]["fix"]


def test_what_a_project_brings_waits_for_trust_and_starts_nothing(cli, tmp_path, monkeypatch):
    project, mark = tmp_path / "project", tmp_path / "started"
    (project / ".git").mkdir(parents=True)
    (project / ".handiwork" / "plugins").mkdir(parents=True)
    (project / ".handiwork" / "plugins" / "theirs.py").write_text(f"open({str(mark)!r}, 'w')\n" + GATED)
    (project / ".handiwork" / "config.yaml").write_text("policy: {allow: ['terminal(make:*)']}\n")
    skill = project / ".claude" / "skills" / "bake"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: bake\ndescription: Bakes.\n---\nBake.\n")
    server = {"command": "touch", "args": [str(mark)]}
    (project / ".mcp.json").write_text(json.dumps({"mcpServers": {"p": server}}))
    monkeypatch.chdir(project)
    found = [f for f in cli("doctor", "--json").document["findings"] if f["group"] == "trust"]
    fixes = {f["fix"] for f in found}
    asked = {"plugins trust", "mcp trust", "policy trust", "skills trust bake"}
    assert fixes == {f"handiwork {words}" for words in asked} and not mark.exists()
    assert cli("plugins", "trust", "--yes").code == 0
    assert "plugins" not in {f["name"] for f in cli("doctor", "--json").document["findings"] if f["group"] == "trust"}


def test_online_asks_the_model_and_says_what_it_answered(cli, endpoint, monkeypatch):
    def answer(handler):
        handler.send_response(401)
        handler.end_headers()

    monkeypatch.setattr(online, "_packages", lambda: online.Finding("online", "packages", "ok", "not asked here"))
    monkeypatch.setenv("HANDIWORK_BASE_URL", endpoint(answer))
    monkeypatch.setenv("HANDIWORK_MODEL", "some/model")
    asked = [f for f in cli("doctor", "--online", "--json").document["findings"] if f["group"] == "online"]
    assert {f["name"] for f in asked} == {"model", "packages"}
    assert "doesn't take the key" in asked[0]["detail"] or "501" in asked[0]["detail"]
    monkeypatch.setenv("HANDIWORK_BASE_URL", "http://127.0.0.1:9/v1")
    ran = cli("doctor", "--online", "--json")
    assert ran.code == 1 and "doesn't answer" in str(ran.document["findings"])
    assert not [f for f in cli("doctor", "--json").document["findings"] if f["group"] == "online"]


@pytest.mark.integration
def test_online_connects_to_servers_and_asks_pip_all_within_their_time(cli, home, tmp_path, configure, monkeypatch):
    """A server that works, one that hangs for ever, and an index that isn't there, at the same time."""
    monkeypatch.setattr(online, "MOST_S", 4.0)
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/")
    (tmp_path / "good.py").write_text(SERVER.format(name="roll", text="Roll a die."))
    (tmp_path / "hangs.py").write_text("import time\ntime.sleep(99)\n")
    servers = {n: {"command": sys.executable, "args": [str(tmp_path / f"{n}.py")]} for n in ("good", "hangs")}
    configure(json.dumps({"mcp_servers": servers}))
    began = time.monotonic()
    asked = {f["name"]: f for f in cli("doctor", "--online", "--json").document["findings"] if f["group"] == "online"}
    assert time.monotonic() - began < 12
    assert asked["MCP server good"]["state"] == "ok" and asked["MCP server hangs"]["state"] == "warning"
    assert asked["packages"]["state"] == "warning" and asked["packages"]["fix"]
    last = findings(cli("doctor", "--json"))
    assert last["good"]["detail"] == "connected"  # what was learnt is known from then on


def test_every_extra_is_looked_for():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    said = project["optional-dependencies"]
    assert {*environment.EXTRAS} == {*said} - {"dev", "dojo"}  # what only tests and benches take
    for name, packages in environment.EXTRAS.items():
        assert all(any(line.startswith(package) for line in said[name]) for package in packages.values()), name


def test_the_same_remedy_is_said_once(cli, configure):
    configure("sandbox: {backend: none}\n")
    assert cli("doctor").out.count("install the package bubblewrap, or approve with care") == 1


def test_a_custom_toolset_that_names_what_isnt_there(cli, configure):
    configure("custom_toolsets: {mine: {tools: [patch, not_here]}}\n")
    ran = cli("doctor", "--json")
    found = next(f for f in ran.document["findings"] if f["name"] == "custom toolset")
    assert ran.code == 0 and "not_here" in found["detail"] and "patch" not in found["detail"]


def test_toolsets_that_ship_without_their_tools_are_no_fault(cli, configure):
    configure("disabled_toolsets: [web]\ntoolsets: [file_tools, safe]\n")
    assert cli("doctor").code == 0 and cli("tools", "list").code == 0


def test_no_key_is_shown(cli, monkeypatch):
    key = "sk-" + "proj-" + "Zq9" * 12
    monkeypatch.setenv("OPENAI_API_KEY", key)
    assert key not in cli("doctor").out + cli("doctor", "--json").out + cli("config", "show").out


def test_a_schema_that_an_api_does_not_take_is_named(cli, plugin):
    plugin(
        "odd",
        "from handiwork import registry\n"
        "registry.register(name='odd', toolset='utility', handler=lambda args: 'x', schema={'description': 'x',"
        " 'parameters': {'properties': {'größe': {}}, 'required': ['größe']}})\n",
    )
    found = [f for f in cli("doctor", "--json").document["findings"] if f["name"] == "odd"]
    assert any("gemini" in f["detail"] and "größe" in f["detail"] for f in found)


@pytest.mark.parametrize(("there", "state"), [(True, "ok"), (False, "warning")])
def test_search_by_meaning_is_told_where_it_is_wanted(cli, configure, monkeypatch, there, state):
    monkeypatch.setattr(extra, "find_spec", lambda name: object() if there else None)
    assert not [f for f in cli("doctor", "--json").document["findings"] if f["name"] == "search"]
    configure("tool_search_embeddings: true\n")
    found = next(f for f in cli("doctor", "--json").document["findings"] if f["name"] == "search")
    assert found["state"] == state and ("handiwork[embeddings]" in found["fix"]) is not there


def test_a_house_has_an_embedder_only_where_it_is_wanted_and_there(registry, monkeypatch):
    wanted = Config(tool_search_embeddings=True)
    monkeypatch.setattr(extra, "find_spec", lambda name: object())
    assert House(registry).embedder is None and House(registry, config=wanted).embedder is not None
    monkeypatch.setattr(extra, "find_spec", lambda name: None)
    assert House(registry, config=wanted).embedder is None


def findings_of(ran, group):
    return [f for f in ran.document["findings"] if f["group"] == group]


def test_no_sandbox_is_a_warning_that_says_what_to_do(cli, configure):
    configure("sandbox: {backend: none}\n")
    (place,) = findings_of(cli("doctor", "--json"), "sandbox")
    assert place["detail"].startswith("none: ") and "guard alone" in place["detail"]
    assert place["state"] == "warning" and "bubblewrap" in place["fix"]


def test_a_limit_that_nothing_keeps_is_a_problem(cli, configure):
    configure("sandbox: {backend: none, network: off}\n")
    (place,) = findings_of(cli("doctor", "--json"), "sandbox")
    assert place["state"] == "problem" and "network" in place["detail"]


def test_a_sandbox_that_is_asked_for_and_missing_is_a_problem(cli, configure, monkeypatch):
    configure("sandbox: {backend: bubblewrap}\n")
    monkeypatch.setenv("PATH", "/nowhere")
    ran = cli("doctor", "--json")
    (place,) = findings_of(ran, "sandbox")
    assert ran.code == 1 and place["state"] == "problem" and "isn't installed" in place["detail"]


def test_the_active_sandbox_is_told_with_what_it_keeps_and_leaves(cli, configure, monkeypatch):
    configure("sandbox: {network: [pypi.org]}\n")
    monkeypatch.setattr(
        "handiwork.backends.environment.table.why_not", lambda name, own="": {"landlock": ""}.get(name, "no")
    )
    found = findings_of(cli("doctor", "--json"), "sandbox")
    said = {(f["name"], f["detail"]) for f in found}
    assert ("place", "landlock") in said and ("bubblewrap", "isn't used: no") in said
    held = {f["name"]: f["detail"] for f in findings_of(cli("doctor", "--json"), "guard")}
    assert "pypi.org" in held["network"] and not any("network" in detail for _, detail in said)  # told once
    assert any("chmod" in detail for name, detail in said if name == "leaves open")
