"""The part of the configuration that says what may be fetched beside the web."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .errors import UsageError
from .loading import Late

hosts = Late("handiwork.core.hosts")  # its patterns and ipaddress are for those who list something


@dataclass(frozen=True, slots=True)
class Fetching:
    """`allow` lists hosts of this machine and its network that may be fetched from: `localhost:3000`, `10.0.0.5`."""

    allow: tuple[str, ...] = ()


THE_WEB = Fetching()


def problem_with_fetching(said: Mapping[Any, Any]) -> str | None:
    """What is wrong with the mapping under `http`, in words, or None."""
    if unknown := sorted(str(key) for key in said if key != "allow"):
        return f"http: unknown key {unknown[0]!r}; there is allow"
    allow = said.get("allow", [])
    if not isinstance(allow, list) or not all(isinstance(entry, str) for entry in allow):
        return f"http.allow: expected a list of hosts, got {allow!r}"
    try:
        hosts.allow_list(allow, "http.allow")
    except UsageError as error:
        return f"{error} ({error.hint})"
    return None


def as_fetching(said: Mapping[str, Any]) -> Fetching:
    """The mapping under `http` as a value."""
    return Fetching(tuple(said.get("allow", ())))
