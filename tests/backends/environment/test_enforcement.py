"""Who enforces what, told as it is here."""

from __future__ import annotations

import os

import pytest

from handiwork.backends.environment.sandboxes import enforcement
from handiwork.backends.environment.sandboxes.enforcement import enforced_in
from handiwork.core.types import SandboxPolicy


def by(name, **policy):
    return {e.subject: e.by for e in enforced_in(name, SandboxPolicy(**policy))}


def test_without_a_sandbox_only_rules_hold():
    told = {"files": "rules", "network": "rules", "processes": "rules", "limits": "nobody"}
    assert by("local") == by("docker:x") == told


@pytest.mark.parametrize("name", ["bubblewrap", "landlock"])
@pytest.mark.parametrize(("network", "who"), [("on", "rules"), ("off", "kernel"), (("pypi.org",), "kernel")])
def test_a_sandbox_keeps_files_and_what_is_set_of_the_network(name, network, who):
    told = by(name, network=network)
    assert told["files"] == "kernel" and told["network"] == who


def test_hosts_are_named():
    told = enforced_in("bubblewrap", SandboxPolicy(network=("pypi.org", "example.com")))
    assert "pypi.org, example.com" in told[1].how


@pytest.mark.parametrize(("version", "who"), [(5, "rules"), (6, "kernel")])
def test_signals_are_kept_in_by_newer_kernels(monkeypatch, version, who):
    monkeypatch.setattr(enforcement, "probe", lambda: _Offer(version))
    assert by("landlock")["processes"] == who


class _Offer:
    def __init__(self, landlock):
        self.landlock = landlock


def test_limits_that_are_set_are_named_and_root_has_none_of_processes():
    assert by("bubblewrap")["limits"] == "nobody"
    told = enforced_in("bubblewrap", SandboxPolicy(memory_bytes=1, processes=5))[-1]
    assert told.by == "kernel" and "memory" in told.how
    assert ("processes" in told.how) is (os.geteuid() != 0)
