from __future__ import annotations

from typing import Any

import pytest

from handiwork.sources.mcp.permissions import ASKING, Permissions, read_permissions
from handiwork.sources.mcp.settings import problem_with_servers, read_servers


def problem(**more: Any) -> str | None:
    return problem_with_servers({"s": {"command": "x", **more}})


def test_nothing_said_lends_no_model_asks_the_person_and_tells_the_folders():
    assert read_servers({"s": {"command": "x"}})[0].may == ASKING
    assert (ASKING.sampling, ASKING.elicitation, ASKING.roots, ASKING.rpm, ASKING.max_tokens) == (
        "off", "ask", "on", 10, 4096,
    )  # fmt: skip


def test_yaml_and_words_mean_the_same():
    said = {"sampling": True, "elicitation": False, "roots": ["/a"]}
    assert read_permissions(said) == Permissions(sampling="on", elicitation="off", folders=("/a",))
    mapping = {"sampling": {"mode": "on", "rpm": 2, "models": ["small-*"]}}
    assert read_permissions(mapping) == Permissions(sampling="on", rpm=2, models=("small-*",))
    assert read_permissions({"sampling": {"rpm": 2}}).sampling == "ask"


@pytest.mark.parametrize(
    "said",
    [
        {"sampling": "always"}, {"sampling": {"rpm": 0}}, {"sampling": {"rpm": True}}, {"sampling": {"tokens": 1}},
        {"sampling": {"models": "x"}}, {"elicitation": 1}, {"elicitation": []}, {"roots": [1]}, {"roots": "some"},
    ],
)  # fmt: skip
def test_what_can_not_be_meant_is_a_problem(said: dict[str, Any]):
    assert f"mcp_servers.s.{next(iter(said))}: expected" in str(problem(**said))


@pytest.mark.parametrize(
    ("auth", "fits"),
    [
        ("oauth", True), ("none", True), (None, True), ("basic", False), ({}, True), ({"client_id": "a"}, True),
        ({"client": "a"}, False), ({"grant": "client_credentials"}, False), ({"grant": "password"}, False),
        ({"grant": "client_credentials", "client_id": "a", "client_secret": "${B}"}, True),
        ({"grant": "client_credentials", "client_id": "a", "private_key": "${B}"}, True),
        ({"grant": "identity_assertion", "client_id": "a"}, False), ({"origins": ["https://a"]}, True),
        ({"origins": "https://a"}, False),
    ],
)  # fmt: skip
def test_a_login_is_checked_for_what_its_grant_needs(auth: Any, fits: bool):
    said = problem_with_servers({"s": {"url": "https://x", "auth": auth}})
    assert (said is None) is fits, said


def test_secrets_of_a_login_come_from_the_environment():
    server = read_servers({"s": {"url": "https://x", "auth": {"client_id": "a", "client_secret": "${B}"}}})[0]
    assert server.filled({"B": "b"}).auth == {"client_id": "a", "client_secret": "b"}
