from __future__ import annotations

from typing import Any

import pytest

from handiwork.core.errors import UsageError
from handiwork.sources.mcp.settings import ServerSettings, masked, problem_with_servers, read_servers


def read(**entry: Any) -> ServerSettings:
    assert problem_with_servers({"s": entry}) is None
    return read_servers({"s": entry}, "config.yaml")[0]


def test_a_program_and_a_web_service():
    program = read(command="npx", args=["-y", "x"], env={"PORT": 80, "ON": True}, timeout=5)
    assert (program.kind, program.args, program.env) == ("stdio", ("-y", "x"), {"PORT": "80", "ON": "true"})
    assert program.timeout == 5 and program.enabled and not program.trust
    assert read(url="https://x/mcp").kind == "http"
    assert read(url="https://x/sse", transport="sse").kind == "sse"
    assert read(command="x", tools={"include": ["a*"], "exclude": ["ab"]}).include == ("a*",)


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"command": "x", "url": "http://y"}, "either a command"),
        ({}, "either a command"),
        ({"comand": "x"}, "did you mean command?"),
        ({"command": ["x"]}, "expected text"),
        ({"command": "x", "args": "y"}, "a list of texts"),
        ({"command": "x", "env": {"A": None}}, "a mapping of names to texts"),
        ({"command": "x", "timeout": 0}, "more than 0"),
        ({"command": "x", "timeout": 4000}, "at most 300"),
        ({"command": "x", "trust": "yes"}, "true or false"),
        ({"command": "x", "tools": {"only": ["a"]}}, "include and exclude"),
        ("npx", "expected a mapping"),
    ],
)
def test_what_is_wrong_is_named(entry: Any, words: str):
    problem = problem_with_servers({"s": entry})
    assert problem is not None and words in problem and problem.startswith("mcp_servers.s")


def test_variables_are_filled_and_a_missing_one_is_named():
    settings = read(
        command="${BIN:-npx}",
        args=["--key=${KEY}", "$HOME stays", "${EMPTY:-fallback}"],
        env={"T": "Bearer ${KEY}"},
        cwd="~/x",
    )
    filled = settings.filled({"KEY": "k", "EMPTY": ""})
    assert filled.command == "npx" and filled.args == ("--key=k", "$HOME stays", "fallback")
    assert filled.env == {"T": "Bearer k"} and not filled.cwd.startswith("~")
    assert settings.identity == read(command="${BIN:-npx}", args=list(settings.args), cwd="~/x").identity
    with pytest.raises(UsageError, match="'s': args needs the variable KEY, which isn't set"):
        settings.filled({})
    with pytest.raises(UsageError, match=r"headers\.A needs the variable TOKEN"):
        read(url="http://x", headers={"A": "Bearer ${TOKEN}"}).filled({})


def test_the_identity_is_the_command_or_the_url_and_not_the_name():
    assert read(command="a", args=["b"]).identity != read(command="a b").identity
    assert read(url="http://x").identity == read_servers({"other": {"url": "http://x"}})[0].identity


def test_what_may_be_a_secret_is_not_shown():
    entry = {"command": "x", "env": {"KEY": "k", "REF": "${KEY}"}, "headers": {"A": "Bearer x"}}
    shown = masked({"s": entry})["s"]
    assert shown == {"command": "x", "env": {"KEY": "***", "REF": "${KEY}"}, "headers": {"A": "***"}}
