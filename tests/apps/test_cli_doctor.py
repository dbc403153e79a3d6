"""What works here, what doesn't, and what would mend it."""

from __future__ import annotations

import pytest

from handiwork.apps.house import House
from handiwork.backends.embeddings import extra
from handiwork.core.config import Config

from .test_cli_tools import GATED


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
    place, *others = findings_of(cli("doctor", "--json"), "sandbox")
    assert (place["detail"], place["state"]) == ("none", "warning") and "bubblewrap" in place["fix"]
    assert any("guard alone" in other["detail"] for other in others)


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
    assert any("pypi.org" in detail for name, detail in said if name == "keeps")
    assert any("chmod" in detail for name, detail in said if name == "leaves open")
