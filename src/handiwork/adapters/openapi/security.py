"""Who calls: the keys that an operation wants, and the variables of the environment that hold them."""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...core.errors import UsageError
from ...core.types import EnvNames
from .document import Document

_TOKENS = ("oauth2", "openIdConnect")


@dataclass(frozen=True, slots=True)
class Credential:
    """One key: where it is put (`header`, `query`, `cookie`), under which name, as what, and the variable it is in."""

    place: str
    name: str
    form: str  # "plain", "bearer" or "basic"
    variable: str

    def value(self, secret: str) -> str:
        """What is sent of a secret. For `basic` that is user:password."""
        if self.form == "basic":
            return f"Basic {base64.b64encode(secret.encode()).decode('ascii')}"
        return f"Bearer {secret}" if self.form == "bearer" else secret


@dataclass(frozen=True, slots=True)
class Access:
    """What an operation wants. Without `is_needed` it answers also those who don't say who they are."""

    credentials: tuple[Credential, ...] = ()
    is_needed: bool = False

    @property
    def variables(self) -> EnvNames:
        """The variables that must be set."""
        return tuple(c.variable for c in self.credentials) if self.is_needed else ()

    def secrets(self) -> list[tuple[Credential, str]]:
        """The credentials that are there just now, with what their variables hold."""
        found = [(c, os.environ.get(c.variable, "")) for c in self.credentials]
        return [(c, secret) for c, secret in found if secret]


def access_of(document: Document, operation: Mapping[str, Any], toolset: str, auth: Mapping[str, str]) -> Access:
    """How an operation is authorised. Raises `UsageError` where it wants only what isn't known here.

    *auth* names the variables by scheme; without it they are TOOLSET_SCHEME in capitals.
    """
    wanted = operation.get("security", document.data.get("security")) or []
    ways = [way for way in wanted if isinstance(way, Mapping)]
    problems: list[str] = []
    for way in filter(None, ways):
        try:
            found = tuple(_credential(document, scheme, toolset, auth) for scheme in way)
        except UsageError as error:
            problems.append(str(error))
            continue
        return Access(found, is_needed={} not in ways)
    if problems and {} not in ways:
        raise UsageError("; ".join(problems), "call it by a tool of your own")
    return Access()


def _credential(document: Document, scheme: str, toolset: str, auth: Mapping[str, str]) -> Credential:
    said = document.follow(document.security_schemes.get(scheme))
    if not isinstance(said, Mapping):
        raise UsageError(f"the security scheme {scheme!r} isn't defined")
    variable = auth.get(scheme) or re.sub(r"\W", "_", f"{toolset}_{scheme}").upper()
    kind, http = said.get("type"), str(said.get("scheme", "")).lower()
    if kind == "apiKey" and said.get("in") in ("header", "query", "cookie"):
        return Credential(said["in"], str(said["name"]), "plain", variable)
    if kind in _TOKENS or (kind == "http" and http == "bearer"):
        return Credential("header", "Authorization", "bearer", variable)
    if kind == "http" and http == "basic":
        return Credential("header", "Authorization", "basic", variable)
    raise UsageError(f"the security scheme {scheme!r} ({kind} {http}) isn't known here".replace(" )", ")"))
