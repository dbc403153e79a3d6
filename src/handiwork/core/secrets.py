"""The part of the configuration that says which secrets commands may use without holding them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .errors import UsageError
from .loading import Late

hosts = Late("handiwork.core.hosts")
SOURCES = ("env", "file", "command")
PLACES = ("headers", "query", "body")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Secret:
    """A variable that commands see, where its value comes from, and the hosts that get the value.

    `kind` is `env`, `file` or `command`, `source` the variable, the path or the command line. `places` are the
    parts of a request in which the value is put in.
    """

    name: str
    kind: str
    source: str
    hosts: tuple[str, ...]
    places: tuple[str, ...] = ("headers",)


def problem_with_secrets(said: Mapping[Any, Any]) -> str | None:
    """What is wrong with the mapping under `secrets`, in words, or None."""
    for name, about in said.items():
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            return f"secrets: {name!r} can't be a variable; write such as GITHUB_TOKEN"
        if problem := _problem_with(about):
            return f"secrets.{name}: {problem}"
    return None


def _problem_with(about: Any) -> str:
    if not isinstance(about, dict):
        return f"expected a mapping with {' or '.join(SOURCES)}, and hosts; got {about!r}"
    if unknown := sorted(str(key) for key in about if key not in (*SOURCES, "hosts", "in")):
        return f"unknown key {unknown[0]!r}; there are {', '.join(SOURCES)}, hosts, in"
    named = [key for key in SOURCES if about.get(key)]
    if len(named) != 1 or not isinstance(about[named[0]], str):
        return f"expected one of {', '.join(SOURCES)}, as text"
    places = about.get("in", ["headers"])
    if not isinstance(places, list) or not places or any(place not in PLACES for place in places):
        return f"in: expected a list of {', '.join(PLACES)}, got {places!r}"
    return _problem_with_hosts(about.get("hosts"))


def _problem_with_hosts(named: Any) -> str:
    if not isinstance(named, list) or not named or not all(isinstance(host, str) for host in named):
        return f"hosts: expected a list of hosts such as [api.github.com], got {named!r}"
    try:
        hosts.allow_list(named, "hosts")
    except UsageError as error:
        return str(error)
    return ""


def as_secrets(said: Mapping[str, Any]) -> tuple[Secret, ...]:
    """The mapping under `secrets` as values."""
    return tuple(_as_secret(name, about) for name, about in said.items())


def _as_secret(name: str, about: Mapping[str, Any]) -> Secret:
    kind = next(key for key in SOURCES if about.get(key))
    return Secret(name, kind, about[kind], tuple(about["hosts"]), tuple(about.get("in", ("headers",))))
