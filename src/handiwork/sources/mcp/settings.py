"""What is configured of a server: read, checked, and filled with the variables it names."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from ...core.errors import UsageError, near_names
from . import permissions
from .permissions import ASKING, Permissions

DEFAULT_TIMEOUT_S = 60.0
# The loop gives no call more.
MOST_TIMEOUT_S = 300.0
CONNECT_TIMEOUT_S = 30.0
Kind: TypeAlias = Literal["stdio", "http", "sse"]
_VARIABLE = re.compile(r"\$\{(\w+)(?::-([^}]*))?\}")
_TRANSPORTS: Mapping[str, Kind] = {
    "stdio": "stdio", "http": "http", "streamable-http": "http", "streamable_http": "http", "streamablehttp": "http",
    "sse": "sse",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """One server as it was written down; variables stand as they were written until `filled`.

    `source` is the file that names it, `held` why a person must agree to it first. `trust` is the person's
    word that its hints about its tools are true. Times are in seconds: `timeout` is how long a call may be
    silent, `connect_timeout` how long a start may take. `include` and `exclude` are the names of its tools,
    as it calls them; * stands for any text. `may` is what it may ask of us.
    """

    name: str
    kind: Kind
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: str = ""
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    auth: Any = None
    timeout: float = DEFAULT_TIMEOUT_S
    connect_timeout: float = CONNECT_TIMEOUT_S
    enabled: bool = True
    trust: bool = False
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    may: Permissions = ASKING
    source: str = ""
    held: str = ""

    @property
    def identity(self) -> str:
        """Which server this is, whatever it is called: a hash of its command line or URL as written."""
        words = (self.url,) if self.url else (self.command, *self.args, self.cwd)
        return hashlib.sha256("\0".join(words).encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def where(self) -> str:
        """The command line or the URL, for people."""
        return self.url or " ".join((self.command, *self.args))

    @property
    def folder(self) -> str:
        """Where the program is started."""
        return os.path.abspath(self.cwd)

    def filled(self, variables: Mapping[str, str]) -> ServerSettings:
        """The same with `${NAME}` and `${NAME:-default}` replaced. Raises `UsageError` naming what isn't set."""
        fill = _Filler(self.name, variables)
        return ServerSettings(
            **{
                **{name: getattr(self, name) for name in self.__slots__},
                "command": fill(self.command, "command"),
                "args": tuple(fill(a, "args") for a in self.args),
                "env": {k: fill(v, f"env.{k}") for k, v in self.env.items()},
                "cwd": os.path.expanduser(fill(self.cwd, "cwd")),
                "url": fill(self.url, "url"),
                "headers": {k: fill(v, f"headers.{k}") for k, v in self.headers.items()},
                "auth": _filled_auth(self.auth, fill),
            }
        )


class _Filler:
    """Replaces variables in the texts of one server."""

    def __init__(self, server: str, variables: Mapping[str, str]) -> None:
        self._server, self._variables = server, variables

    def __call__(self, text: str, place: str) -> str:
        return _VARIABLE.sub(lambda found: self._value(found, place), text)

    def _value(self, found: re.Match[str], place: str) -> str:
        name, default = found.groups()
        value = self._variables.get(name)
        if value or (value is not None and default is None):
            return value
        if default is not None:
            return default
        raise UsageError(
            f"MCP server {self._server!r}: {place} needs the variable {name}, which isn't set",
            f"set {name}, or write ${{{name}:-default}}",
        )


def _filled_auth(auth: Any, fill: _Filler) -> Any:
    if not isinstance(auth, Mapping):
        return auth
    return {k: fill(v, f"auth.{k}") if isinstance(v, str) else v for k, v in auth.items()}


# ------------------------------------------------------------------------------------------- reading

Check: TypeAlias = Callable[[Any], bool]


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(v, str) for v in value)


def _is_plain(value: Any) -> bool:
    """A mapping from names to texts, or to what is written as text: 8080, true."""
    return isinstance(value, dict) and all(
        isinstance(k, str) and isinstance(v, (str, int, float)) for k, v in value.items()
    )


def _is_seconds(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value <= MOST_TIMEOUT_S


_GRANTS: Mapping[str, frozenset[str]] = {
    "authorization_code": frozenset(),
    "client_credentials": frozenset({"client_id"}),
    "identity_assertion": frozenset(
        {"client_id", "client_secret", "issuer", "id_token", "idp_token_endpoint", "idp_client_id"}
    ),
}
_AUTH_TEXTS = _GRANTS["identity_assertion"] | {
    "grant", "scope", "client_metadata_url", "private_key", "algorithm", "token_endpoint_auth_method",
}  # fmt: skip
AUTH_WORDS = f"oauth, none, or a mapping of {', '.join(sorted(_AUTH_TEXTS))} and origins that its grant needs"


def fits_auth(value: Any) -> bool:
    """Whether this says how a server is logged in to."""
    if not isinstance(value, dict):
        return value in (None, "oauth", "none")
    texts = {key: said for key, said in value.items() if key != "origins"}
    needed = _GRANTS.get(value.get("grant", "authorization_code"))
    is_program = value.get("grant") == "client_credentials"
    return (
        needed is not None
        and texts.keys() <= _AUTH_TEXTS
        and all(isinstance(said, str) for said in texts.values())
        and _is_texts(value.get("origins", []))
        and needed <= texts.keys()
        and (not is_program or "client_secret" in texts or "private_key" in texts)
    )


_FIELDS: Mapping[str, tuple[Check, str]] = {
    "command": (_is_text, "text"),
    "args": (_is_texts, "a list of texts"),
    "env": (_is_plain, "a mapping of names to texts"),
    "cwd": (_is_text, "text"),
    "url": (_is_text, "text"),
    "headers": (_is_plain, "a mapping of names to texts"),
    "auth": (fits_auth, AUTH_WORDS),
    "timeout": (_is_seconds, f"seconds, more than 0 and at most {MOST_TIMEOUT_S:g}"),
    "connect_timeout": (_is_seconds, f"seconds, more than 0 and at most {MOST_TIMEOUT_S:g}"),
    "enabled": (lambda v: isinstance(v, bool), "true or false"),
    "trust": (lambda v: isinstance(v, bool), "true or false"),
    "tools": (lambda v: isinstance(v, dict), "a mapping with include and exclude"),
    "transport": (lambda v: v in _TRANSPORTS, f"one of {', '.join(_TRANSPORTS)}"),
    **permissions.FIELDS,
}


def problem_with_servers(servers: Mapping[Any, Any]) -> str | None:
    """What is wrong with the mapping under `mcp_servers`, in words, or None."""
    return next((said for name, entry in servers.items() if (said := _problem(name, entry))), None)


def _problem(name: Any, entry: Any) -> str | None:
    place = f"mcp_servers.{name}"
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        return f"mcp_servers: expected a name, got {name!r}"
    if not isinstance(entry, dict):
        return f"{place}: expected a mapping with command or url, got {entry!r}"
    for key, value in entry.items():
        if key not in _FIELDS:
            near = near_names(str(key), _FIELDS)
            return f"{place}: unknown key {key!r}; " + (f"did you mean {near[0]}?" if near else _KNOWN)
        fits, words = _FIELDS[key]
        if not fits(value):
            return f"{place}.{key}: expected {words}, got {value!r}"
    if bool(entry.get("command")) == bool(entry.get("url")):
        return f"{place}: needs either a command (a program on this machine) or a url"
    return _problem_with_filter(place, entry.get("tools") or {})


_KNOWN = f"there are {', '.join(_FIELDS)}"


def _problem_with_filter(place: str, said: Mapping[Any, Any]) -> str | None:
    for key, value in said.items():
        if key not in ("include", "exclude") or not _is_texts(value):
            return f"{place}.tools: expected include and exclude, lists of names, got {key!r}: {value!r}"
    return None


def masked(servers: Mapping[str, Any]) -> dict[str, Any]:
    """Entries as they may be shown: what isn't a reference to a variable may be a secret."""
    return {name: {k: _masked(v) if k in _SECRET else v for k, v in entry.items()} for name, entry in servers.items()}


_SECRET = ("env", "headers")


def _masked(said: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value if "${" in str(value) else "***" for name, value in said.items()}


def read_servers(servers: Mapping[str, Any], source: str = "") -> tuple[ServerSettings, ...]:
    """The settings of each server in a mapping that `problem_with_servers` finds nothing wrong with."""
    return tuple(_read(name, entry, source) for name, entry in servers.items())


def _read(name: str, entry: Mapping[str, Any], source: str) -> ServerSettings:
    chosen = entry.get("tools") or {}
    return ServerSettings(
        name=name,
        kind=_TRANSPORTS[entry.get("transport") or ("http" if entry.get("url") else "stdio")],
        command=entry.get("command", ""),
        args=tuple(entry.get("args", ())),
        env=_texts(entry.get("env")),
        cwd=entry.get("cwd", ""),
        url=entry.get("url", ""),
        headers=_texts(entry.get("headers")),
        auth=entry.get("auth"),
        timeout=float(entry.get("timeout", DEFAULT_TIMEOUT_S)),
        connect_timeout=float(entry.get("connect_timeout", CONNECT_TIMEOUT_S)),
        enabled=entry.get("enabled", True),
        trust=entry.get("trust", False),
        include=tuple(chosen.get("include", ())),
        exclude=tuple(chosen.get("exclude", ())),
        may=permissions.read_permissions(entry),
        source=source,
    )


def _texts(said: Mapping[str, Any] | None) -> dict[str, str]:
    return {k: str(v).lower() if isinstance(v, bool) else str(v) for k, v in (said or {}).items()}
