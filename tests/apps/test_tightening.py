"""A project's wishes about the sandbox hold where they are stricter than the person's."""

import pytest

from handiwork.apps.config_file import load_config
from handiwork.apps.tightening import tightened
from handiwork.core.errors import ConfigError


@pytest.mark.parametrize(
    ("own", "project", "holds"),
    [
        (True, False, False),
        (False, True, False),
        ("off", ["pypi.org"], "off"),
        (True, ["pypi.org"], ["pypi.org"]),
        (["pypi.org"], "on", ["pypi.org"]),
        (["pypi.org", "a.org"], ["b.org", "a.org"], ["a.org"]),
        (["pypi.org"], [], []),
        ("on", True, "on"),
    ],
)
def test_of_two_networks_the_smaller_holds(own, project, holds):
    assert tightened({"network": own}, {"network": project})["network"] == holds


def test_of_two_limits_the_lower_holds():
    own, project = {"cpu_seconds": 10, "memory_mb": 100}, {"cpu_seconds": 20, "memory_mb": 50, "max_processes": 5}
    assert tightened(own, project) == {"cpu_seconds": 10, "memory_mb": 50, "max_processes": 5}
    assert tightened({"cpu_seconds": 10}, {"cpu_seconds": None}) == {"cpu_seconds": 10}


def test_files_are_laid_over_one_another(tmp_path):
    home, project = tmp_path / "home", tmp_path / "project"
    (project / ".handiwork").mkdir(parents=True)
    home.mkdir()
    (home / "config.yaml").write_text("sandbox: {backend: landlock, network: [pypi.org, a.org], memory_mb: 100}\n")
    (project / ".handiwork" / "config.yaml").write_text("sandbox: {network: [a.org], memory_mb: 900}\n")
    (project / ".handiwork" / "config.local.yaml").write_text("sandbox: {network: off}\n")
    holds = load_config(str(home), str(project)).sandbox
    assert (holds.backend, holds.network, holds.memory_mb) == ("landlock", "off", 100)
    assert load_config(str(home)).sandbox.network == ("pypi.org", "a.org")


@pytest.mark.parametrize("said", ["backend: local", "writable: [/]", "readable: [~/.ssh]"])
def test_a_project_may_not_loosen_it(tmp_path, said):
    (tmp_path / ".handiwork").mkdir()
    (tmp_path / ".handiwork" / "config.yaml").write_text(f"sandbox: {{{said}}}\n")
    with pytest.raises(ConfigError, match="not for a project to say"):
        load_config(str(tmp_path / "home"), str(tmp_path))
