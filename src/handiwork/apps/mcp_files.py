"""Servers as other agents' files name them, in our words: Claude, Cursor, VS Code, Gemini, Codex, goose, opencode."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..core.errors import UsageError
from ..core.loading import Late
from ..sources.mcp.settings import MOST_TIMEOUT_S, problem_with_servers

yaml = Late("yaml")
Entry: TypeAlias = dict[str, Any]

# A comment, or a text, which is kept: `//` also stands in URLs. Then a comma before an end.
_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_LAST_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)
_OTHER_VARIABLES = re.compile(r"\$\{env:(\w+)\}|\{env:(\w+)\}|\$(\w+)|\$\{(\w+)\}(?!-)")
_ASKED_FOR = re.compile(r"\$\{input:[^}]*\}|\{file:[^}]*\}|\$\{command:[^}]*\}")


@dataclass(frozen=True, slots=True)
class Found:
    """The servers of one file, in our words by name, and those that stay behind, each with the reason."""

    path: str
    servers: Mapping[str, Entry]
    left: Mapping[str, str]


def read_file(path: str, folder: str = "") -> Found:
    """The servers that a file names, whosever it is; *folder* is the project they are for. Raises `UsageError`."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise UsageError(f"{path}: can't be read: {error.strerror}", "give a file that names MCP servers") from error
    return read_data(path, data, folder)


def read_data(path: str, data: bytes, folder: str = "") -> Found:
    """The servers that *data*, which was read from a file, names. Raises `UsageError`."""
    said = parse(path, data)
    servers: dict[str, Entry] = {}
    left: dict[str, str] = {}
    for name, entry in _entries(said, folder):
        try:
            servers[name] = translate(entry, folder)
        except UsageError as error:
            left[name] = str(error)
    return Found(path, servers, left)


def usual_files(folder: str) -> list[str]:
    """Files of other agents that are there, those of the project in *folder* last."""
    home = [
        "~/.claude.json", "~/.cursor/mcp.json", "~/.gemini/settings.json", "~/.codex/config.toml",
        "~/.config/goose/config.yaml", "~/.config/opencode/opencode.json", "~/.config/crush/crush.json",
        "~/.hermes/config.yaml",
    ]  # fmt: skip
    project = [".cursor/mcp.json", ".vscode/mcp.json", ".gemini/settings.json", "opencode.json", ".mcp.json"]
    paths = [*map(os.path.expanduser, home), *(os.path.join(folder, name) for name in project)]
    return [path for path in dict.fromkeys(paths) if os.path.isfile(path)]


def parse(path: str, data: bytes) -> dict[str, Any]:
    """What a file says, by the kind that its name tells. Raises `UsageError`."""
    try:
        said = _parser_of(path)(data.decode("utf-8-sig"))
    except (ValueError, yaml.YAMLError) as error:
        problem = str(error).splitlines()[0]
        raise UsageError(f"{path}: can't be read: {problem}", "correct it there") from error
    if not isinstance(said, dict):
        raise UsageError(f"{path}: names no servers", "give a file that names MCP servers")
    return said


def _parser_of(path: str) -> Callable[[str], Any]:
    if path.endswith(".toml"):
        return tomllib.loads
    if path.endswith((".yaml", ".yml")):
        parser: Callable[[str], Any] = yaml.safe_load
        return parser
    return _parse_json


def _parse_json(text: str) -> Any:
    """JSON, or what editors take for it: comments, and a comma after the last."""
    try:
        return json.loads(text)
    except ValueError:
        bare = _COMMENT.sub(lambda found: found.group(1) or "", text)
        return json.loads(_LAST_COMMA.sub(lambda found: found.group(1) or "", bare))


def _entries(data: Mapping[str, Any], folder: str) -> Iterator[tuple[str, Any]]:
    for key in ("mcpServers", "mcp_servers", "servers", "mcp", "extensions"):
        found = data.get(key)
        for name, entry in found.items() if isinstance(found, dict) else ():
            if not (key == "extensions" and isinstance(entry, dict) and entry.get("type") in _NOT_MCP):
                yield str(name), entry
    projects = data.get("projects")
    of_project = projects.get(folder) if isinstance(projects, dict) else None
    if isinstance(of_project, dict):
        yield from _entries({"mcpServers": of_project.get("mcpServers")}, "")


# What goose calls an extension and is no server.
_NOT_MCP = ("builtin", "platform", "frontend", "inline_python")


def translate(entry: Any, folder: str = "") -> Entry:
    """One server in our words. Raises `UsageError` for what can't be said in them."""
    if not isinstance(entry, dict):
        raise UsageError(f"no server: {entry!r}")
    ours = _known_words(entry)
    _add_login(entry, ours)
    filled: Entry = _with_our_variables(ours, folder)
    problem = problem_with_servers({"it": filled})
    if problem:
        raise UsageError(problem.replace("mcp_servers.it", "it"))
    return filled


def _known_words(entry: Mapping[str, Any]) -> Entry:
    ours: Entry = {}
    command = entry.get("command") or entry.get("cmd")
    args = list(entry.get("args") or ())
    if isinstance(command, list):
        command, args = command[0], [*command[1:], *args]
    if command:
        ours |= {"command": command, **({"args": [str(a) for a in args]} if args else {})}
    url = entry.get("httpUrl") or entry.get("url") or entry.get("uri") or entry.get("serverUrl")
    if url:
        ours["url"] = url
    if url and (entry.get("type") == "sse" or entry.get("transport") == "sse" or _is_gemini_sse(entry)):
        ours["transport"] = "sse"
    for key, others in _SYNONYMS.items():
        value = next((entry[o] for o in others if entry.get(o) not in (None, {}, [])), None)
        if value is not None:
            ours[key] = value
    return ours | _limits(entry) | _choices(entry)


_SYNONYMS = {
    "env": ("env", "envs", "environment"),
    "headers": ("headers", "http_headers"),
    "cwd": ("cwd",),
    "trust": ("trust",),
    "sampling": ("sampling",),
    "elicitation": ("elicitation",),
    "roots": ("roots",),
    "auth": ("auth",),
}


def _is_gemini_sse(entry: Mapping[str, Any]) -> bool:
    """Gemini's `url` is an old server's, its `httpUrl` a new one's; only its entries have these words."""
    return not entry.get("httpUrl") and any(key in entry for key in ("includeTools", "excludeTools"))


def _limits(entry: Mapping[str, Any]) -> Entry:
    """Times in seconds; more than a minute of thousands is written in milliseconds."""
    said = {
        "timeout": entry.get("timeout") or entry.get("tool_timeout_sec"),
        "connect_timeout": entry.get("connect_timeout") or entry.get("startup_timeout_sec"),
    }
    numbers = {k: v for k, v in said.items() if isinstance(v, (int, float)) and v > 0}
    return {k: min(v / 1000 if v >= _SURELY_MS else v, MOST_TIMEOUT_S) for k, v in numbers.items()}


_SURELY_MS = 1000


def _choices(entry: Mapping[str, Any]) -> Entry:
    enabled = entry.get("enabled", not entry.get("disabled", False))
    tools = dict(entry["tools"]) if isinstance(entry.get("tools"), dict) else {}
    for key, others in (("include", _INCLUDES), ("exclude", _EXCLUDES)):
        names = next((entry[o] for o in others if isinstance(entry.get(o), list) and entry[o]), None)
        tools |= {key: names} if names else {}
    tools = {k: v for k, v in tools.items() if k in ("include", "exclude")}
    return ({} if enabled else {"enabled": False}) | ({"tools": tools} if tools else {})


_INCLUDES = ("includeTools", "enabled_tools", "available_tools", "allowedTools")
_EXCLUDES = ("excludeTools", "disabled_tools", "disabledTools")


def _add_login(entry: Mapping[str, Any], ours: Entry) -> None:
    """Names of variables that hold a login or a key, as references to them."""
    headers = dict(ours.get("headers") or {})
    if bearer := entry.get("bearer_token_env_var"):
        headers["Authorization"] = f"Bearer ${{{bearer}}}"
    for header, variable in (entry.get("env_http_headers") or {}).items():
        headers[header] = f"${{{variable}}}"
    if headers:
        ours["headers"] = headers
    passed = [*(entry.get("env_keys") or ()), *(entry.get("env_vars") or ())]
    if passed:
        ours["env"] = {**{name: f"${{{name}}}" for name in passed}, **(ours.get("env") or {})}


def _with_our_variables(value: Any, folder: str) -> Any:
    if isinstance(value, dict):
        return {k: _with_our_variables(v, folder) for k, v in value.items()}
    if isinstance(value, list):
        return [_with_our_variables(v, folder) for v in value]
    if not isinstance(value, str):
        return value
    if asked := _ASKED_FOR.search(value):
        raise UsageError(f"it asks for {asked.group()}, which is known only there")
    for place in ("${workspaceFolder}", "${workspaceRoot}"):
        value = value.replace(place, folder)
    return _OTHER_VARIABLES.sub(lambda found: f"${{{next(filter(None, found.groups()))}}}", value)
