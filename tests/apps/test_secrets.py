"""Secrets of a configuration: masked from the start, handed to commands as placeholders, told by doctor."""

from __future__ import annotations

import pytest

from handiwork.apps.cli.doctor import _secrets
from handiwork.apps.house import House
from handiwork.core.config import Config
from handiwork.core.errors import UsageError
from handiwork.core.fetching import Fetching, problem_with_fetching
from handiwork.core.sandbox import Sandbox
from handiwork.core.secrets import Secret
from handiwork.core.types import Command
from handiwork.guard import redact

HOSTS = ("api.example.com",)


def house_with(registry, *secrets: Secret, backend: str = "local") -> House:
    return House(registry, config=Config(secrets=secrets, sandbox=Sandbox(backend)))


def test_values_at_hand_are_masked_before_anything_runs(registry, monkeypatch, tmp_path):
    monkeypatch.setenv("NOT_NAMED_SO", "plain-looking-one")
    (tmp_path / "kept").write_text("plain-looking-two\n")
    house = house_with(
        registry,
        Secret("ONE", "env", "NOT_NAMED_SO", HOSTS),
        Secret("TWO", "file", str(tmp_path / "kept"), HOSTS),
        Secret("THREE", "env", "NOT_SET_AT_ALL", HOSTS),
    )
    assert redact("plain-looking-one, plain-looking-two") == "***, ***"
    house.close()


@pytest.mark.integration
def test_commands_get_placeholders_and_results_are_masked(registry, tmp_path):
    house = house_with(registry, Secret("ONE", "command", "echo told-by-a-command", HOSTS))
    ran = house.scope(cwd=str(tmp_path)).environment.run(Command('echo "${#ONE} $ONE $https_proxy"', cwd=str(tmp_path)))
    size, placeholder, proxy = ran.output.split()
    assert (size, len(placeholder), proxy[:17]) == ("17", 17, "http://127.0.0.1:")
    assert placeholder != "told-by-a-command"
    assert redact("it was told-by-a-command") == "it was ***"
    house.close()


def test_a_value_that_isnt_there_is_told_when_a_command_needs_it(registry, tmp_path):
    house = house_with(registry, Secret("ONE", "env", "NOT_SET_AT_ALL", HOSTS))
    with pytest.raises(UsageError, match="the secret ONE: the variable NOT_SET_AT_ALL isn't set"):
        house.scope(cwd=str(tmp_path)).environment.run(Command("true", cwd=str(tmp_path)))
    house.close()


@pytest.mark.parametrize(("backend", "says"), [("local", "without a sandbox"), ("ssh:there", "only masked")])
def test_doctor_says_where_secrets_are_only_masked(registry, monkeypatch, backend, says):
    monkeypatch.setenv("NOT_NAMED_SO", "plain-looking-one")
    house = house_with(registry, Secret("ONE", "env", "NOT_NAMED_SO", HOSTS), backend=backend)
    place, one = _secrets(house)
    assert (place.state, says in place.detail) == ("warning", True)
    assert (one.state, one.detail) == ("ok", "from env NOT_NAMED_SO, to api.example.com (headers)")
    house.close()


@pytest.mark.parametrize(
    ("said", "says"),
    [({"deny": []}, "unknown key 'deny'"), ({"allow": "x"}, "a list of hosts"), ({"allow": ["a b"]}, "is no host")],
)
def test_the_mistakes_under_http(said, says):
    assert says in str(problem_with_fetching(said))


def test_the_house_hands_out_the_client_with_the_persons_list(registry):
    house = House(registry, config=Config(http=Fetching(("localhost:3000",))))
    assert house.scope().http is house.http
    house.close()
