"""Which place a configuration means here."""

import json
import shutil

import pytest

from handiwork.backends.environment import table
from handiwork.backends.environment.local import LocalEnvironment
from handiwork.backends.environment.remote.docker import DockerEnvironment
from handiwork.backends.environment.remote.ssh import SshEnvironment
from handiwork.backends.environment.sandboxes.sandboxed import SandboxEnvironment
from handiwork.backends.environment.sandboxes.strength import strength_of
from handiwork.core.errors import UsageError
from handiwork.core.sandbox import Sandbox
from handiwork.core.types import Command, SandboxPolicy


def test_a_policy_is_what_the_configuration_writes_down():
    said = Sandbox(
        network=("pypi.org",), writable=("/data",), cpu_seconds=5, memory_mb=2, max_processes=9, max_file_mb=1
    )
    assert table.policy_of(said) == SandboxPolicy(
        writable=("/data",), network=("pypi.org",), cpu_s=5, memory_bytes=2 << 20, file_bytes=1 << 20, processes=9
    )
    assert table.policy_of(Sandbox()) == SandboxPolicy()
    assert table.policy_of(Sandbox(network="off")).network == "off"


@pytest.mark.parametrize("name", ["local", "none"])
def test_no_sandbox_is_asked_for_by_two_names(name, tmp_path):
    assert isinstance(table.open_environment(str(tmp_path), Sandbox(backend=name)), LocalEnvironment)


def test_places_elsewhere_are_named_with_their_host(tmp_path):
    for name, kind in (("ssh:box", SshEnvironment), ("docker:box", DockerEnvironment)):
        place = table.open_environment(str(tmp_path), Sandbox(backend=name))
        assert isinstance(place, kind)
        place.close()


def test_the_strongest_that_works_is_chosen_and_the_others_have_reasons(monkeypatch):
    answers = {"bubblewrap": "", "landlock": ""}
    monkeypatch.setattr(table, "why_not", lambda name, own="": answers[name])
    assert table.choose("auto") == table.Choice("bubblewrap", {})
    answers["bubblewrap"] = "it isn't installed"
    assert table.choose("auto") == table.Choice("landlock", {"bubblewrap": "it isn't installed"})
    answers["landlock"] = "no"
    assert table.choose("auto") == table.Choice("local", {"bubblewrap": "it isn't installed", "landlock": "no"})


def test_what_is_asked_for_by_name_and_missing_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match=r"bubblewrap doesn't work here: .*isn't installed") as refused:
        table.open_environment(str(tmp_path), Sandbox(backend="bubblewrap"))
    assert "install the package bubblewrap" in refused.value.hint


@pytest.mark.parametrize("backend", ["auto", "local", "ssh:box"])
def test_a_limit_that_nothing_would_keep_is_no_limit_left_out(monkeypatch, tmp_path, backend):
    monkeypatch.setattr(table, "why_not", lambda name, own="": "no namespaces")
    for wish in ({"network": "off"}, {"network": ("pypi.org",)}, {"memory_mb": 10}):
        with pytest.raises(UsageError, match=r"nothing here would keep sandbox\.(network|memory_mb)"):
            table.open_environment(str(tmp_path), Sandbox(backend=backend, **wish))


@pytest.mark.integration
@pytest.mark.skipif(not shutil.which("bwrap"), reason="bubblewrap isn't installed")
def test_that_it_works_is_tried_once(tmp_path, monkeypatch):
    assert table.why_not("bubblewrap", str(tmp_path)) == ""
    monkeypatch.setattr(table, "_try", None)  # not called again
    assert table.why_not("bubblewrap", str(tmp_path)) == ""
    file = tmp_path / "cache" / "sandbox.json"
    file.write_text(json.dumps({"bubblewrap": "another machine"}))
    monkeypatch.setattr(table, "_try", lambda name: "tried anew")
    assert table.why_not("bubblewrap", str(tmp_path)) == "tried anew"
    file.write_text("damaged")
    assert table.why_not("bubblewrap", str(tmp_path)) == "tried anew"


@pytest.mark.integration
def test_the_configured_place_runs_commands(tmp_path, home):
    for name in table.LAUNCHERS:
        if table.why_not(name):
            continue
        place = table.open_environment(str(tmp_path), Sandbox(backend=name), str(home))
        assert isinstance(place, SandboxEnvironment)
        assert place.run(Command("echo here", cwd=str(tmp_path), workspace=str(tmp_path))).output == "here\n"
        place.close()


def test_a_strength_is_told_for_every_place():
    for name in table.LAUNCHERS:
        assert strength_of(name, SandboxPolicy()).keeps
    bare = strength_of("local", SandboxPolicy())
    assert not bare.keeps and bare.leaves
    assert any("pypi.org" in said for said in strength_of("bubblewrap", SandboxPolicy(network=("pypi.org",))).keeps)
