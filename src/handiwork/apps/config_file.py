"""Read and change the configuration files. A fault is told with file, line and column."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from ..core.config import KEYS, Config, CustomToolset, as_field, problem_with
from ..core.errors import ConfigError, UnknownNameError, UsageError, near_names
from ..core.loading import Late
from .audit import put_decision
from .tightening import OF_PROJECTS, overlaid

yaml = Late("yaml")
hook_config = Late("handiwork.apps.hook_config")
mcp_settings = Late("handiwork.sources.mcp.settings")
rule_files = Late("handiwork.apps.rule_files")
profiles = Late("handiwork.apps.profiles")
own_programs = Late("handiwork.apps.own_programs")

_TOOLSET_KEYS = {f.name for f in fields(CustomToolset)}
# A project's files come with a cloned repository: they may narrow what an agent does there, but not choose
# who gets the conversation and the key, who is asked, or which plugins watch.
_OF_PROJECTS = frozenset(
    {
        "version",
        "toolsets",
        "disabled_toolsets",
        "custom_toolsets",
        "context_tokens",
        "tools_budget_tokens",
        "max_result_chars",
        "turn_result_chars",
        "result_chars",
        "fail_fast",
        "max_steps",
        "max_seconds",
        "max_tokens",
        "max_cost",
        "mode",
        "sandbox",
        "policy",
    }
)
LOCAL = "config.local.yaml"


def load_config(home: str, project: str = "") -> Config:
    """The person's configuration, overlaid by the project's. Absent files say nothing.

    Raises `ConfigError` with the place for what can't be read, is unknown, of the wrong kind, or not
    for a project to say.
    """
    merged: dict[str, Any] = {}
    for path in config_paths(home, project):
        of_project = path != _own_file(home)
        merged = overlaid(merged, _read(path, of_project=of_project), of_project=of_project)
    return Config(**{key: as_field(key, value) for key, value in merged.items()})


def config_paths(home: str, project: str = "") -> list[str]:
    """The files that are read, the later ones winning."""
    return [path for path in possible_paths(home, project) if os.path.exists(path)]


def possible_paths(home: str, project: str = "") -> list[str]:
    """The files that would be read if they were there: the person's, the project's, the person's for the project."""
    paths = [_own_file(home)]
    if project and os.path.join(project, ".handiwork") != home:
        paths += [os.path.join(project, ".handiwork", name) for name in ("config.yaml", LOCAL)]
    return paths


def _own_file(home: str) -> str:
    return os.path.join(home, "config.yaml")


def _read(path: str, *, of_project: bool = False) -> dict[str, Any]:
    return parse(path, text_of(path), of_project=of_project)


def text_of(path: str) -> str:
    """The text of a configuration file. Raises `ConfigError`."""
    try:
        with open(path, "rb") as file:
            raw = file.read()
        return raw.decode("utf-8-sig").replace("\r\n", "\n")
    except OSError as error:
        raise ConfigError(f"{path}: can't be read: {error.strerror}", "mend or remove it") from error
    except UnicodeDecodeError as error:
        line, column = raw.count(b"\n", 0, error.start) + 1, error.start - raw.rfind(b"\n", 0, error.start)
        raise ConfigError(f"{path}:{line}:{column}: not UTF-8 text", "save the file as UTF-8") from error


def parse(path: str, text: str, *, of_project: bool = False) -> dict[str, Any]:
    """What a configuration file says. Raises `ConfigError` with the place."""
    try:
        document = yaml.compose(text, Loader=yaml.SafeLoader)
        data = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}:{_place_of(error)}: {_problem_of(error)}", "correct the YAML there") from error
    except (ValueError, RecursionError) as error:  # a date that isn't one, a number without end, a pit of brackets
        raise ConfigError(f"{path}:1:1: can't be read: {error}", "put such values in quotes") from error
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise ConfigError(f"{path}:1:1: expected a mapping of keys, got {type(data).__name__}", "write `key: value`")
    _check(path, data, _places(document), of_project=of_project)
    return data


def _check(path: str, data: Mapping[Any, Any], places: Mapping[str, str], *, of_project: bool) -> None:
    for key, value in data.items():
        place = f"{path}:{places.get(str(key), '1:1')}"
        if key not in KEYS:
            near = near_names(str(key), KEYS)
            hint = f"did you mean {near[0]}?" if near else f"known keys: {', '.join(KEYS)}"
            raise ConfigError(f"{place}: unknown key {key!r}", hint)
        problem = _problem_of_value(key, value)
        if problem:
            raise ConfigError(f"{place}: {problem}", "correct the value there")
        is_yolo = value == "yolo" or (key == "policy" and value.get("defaultMode") == "yolo")
        if of_project and (key not in _OF_PROJECTS or is_yolo):
            hint = "take it out there; for yourself: " + (
                "handiwork hooks import FILE" if key == "hooks" else f"handiwork config set {key} ..."
            )
            raise ConfigError(f"{place}: {key}: not for a project to say", hint)
        if of_project and key == "sandbox" and (loose := sorted(set(value) - OF_PROJECTS)):
            hint = f"take it out there; a project may say {', '.join(sorted(OF_PROJECTS))}"
            raise ConfigError(f"{place}: sandbox.{loose[0]}: not for a project to say", hint)


def _problem_of_value(key: str, value: Any) -> str | None:
    problem = problem_with(key, value)
    look = _LOOKS.get(key)
    return look(value) if look and not problem else problem


def _policy_problem(policy: Mapping[Any, Any]) -> str | None:
    problem: str | None = rule_files.problem_with_policy(policy)
    return problem


def _profiles_problem(said: Mapping[Any, Any]) -> str | None:
    problem: str | None = profiles.problem_with_profiles(said)
    return problem


def _hooks_problem(hooks: Mapping[Any, Any]) -> str | None:
    return _told(hook_config.read_hooks, hooks, "hooks: ")


def _programs_problem(programs: Mapping[Any, Any]) -> str | None:
    return _told(own_programs.read_own_programs, programs)


def _told(read: Callable[[Any], object], said: Any, where: str = "") -> str | None:
    """What is said against what is read, with the advice; None where nothing is."""
    try:
        read(said)
    except UsageError as error:
        return f"{where}{error}" + (f" ({error.hint})" if error.hint else "")
    return None


def _toolset_problem(toolsets: Mapping[Any, Any]) -> str | None:
    for name, entry in toolsets.items():
        if not isinstance(name, str) or not isinstance(entry, (dict, type(None))) or set(entry or {}) - _TOOLSET_KEYS:
            return f"custom_toolsets.{name}: expected a mapping with {', '.join(sorted(_TOOLSET_KEYS))}"
        for key, value in (entry or {}).items():
            if not (isinstance(value, str) if key == "description" else _is_names(value)):
                kind = "text" if key == "description" else "a list of names"
                return f"custom_toolsets.{name}.{key}: expected {kind}, got {value!r}"
    return None


def _servers_problem(servers: Mapping[Any, Any]) -> str | None:
    said: str | None = mcp_settings.problem_with_servers(servers)
    return said


_LOOKS: Mapping[str, Callable[[Mapping[Any, Any]], str | None]] = {
    "custom_toolsets": _toolset_problem,
    "hooks": _hooks_problem,
    "policy": _policy_problem,
    "profiles": _profiles_problem,
    "programs": _programs_problem,
    "mcp_servers": _servers_problem,
}


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(v, str) for v in value)


def _places(document: Any) -> dict[str, str]:
    """`line:column` of each top-level key."""
    pairs = document.value if document is not None and isinstance(document.value, list) else []
    marks = {key.value: key.start_mark for key, _ in pairs}
    return {str(name): f"{mark.line + 1}:{mark.column + 1}" for name, mark in marks.items()}


def _place_of(error: Any) -> str:
    mark = getattr(error, "problem_mark", None)
    return f"{mark.line + 1}:{mark.column + 1}" if mark else "1:1"


def _problem_of(error: Any) -> str:
    return str(getattr(error, "problem", None) or error).splitlines()[0]


# ------------------------------------------------------------------------------------------- changing


def set_value(home: str, key: str, value: Any) -> str:
    """Write one key into the person's file, everything else kept, comments too; the file's path.

    Raises `UsageError` for a wrong value, `ConfigError` for a file that is damaged or can't be changed safely.
    """
    if key not in KEYS:
        raise UnknownNameError("configuration key", key, KEYS)
    problem = _problem_of_value(key, value)
    if problem:
        raise UsageError(problem)
    path = _own_file(home)
    text = text_of(path) if os.path.lexists(path) else ""
    wanted = {**parse(path, text), key: value}  # a file that is damaged is not written over
    changed = _replaced(text, key, value, wanted)
    if not says(changed, wanted):
        raise ConfigError(f"{path}: {key} can't be changed without harm to the rest", "change it with an editor")
    before = load_config(home)
    write_text(os.path.realpath(path), changed)  # a link to a file elsewhere stays one
    facts = {"key": key, "was": getattr(before, key), "is": value, "file": path}
    put_decision(home, before, "configuration changed", facts)
    return path


def read_value(text: str) -> Any:
    """A value as it is written on a command line: YAML. Raises `UsageError`."""
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise UsageError(f"not a value: {text!r}: {_problem_of(error)}", "put text with signs in quotes") from error


def says(text: str, wanted: Mapping[str, Any]) -> bool:
    """Whether *text* is YAML that means *wanted*."""
    try:
        return bool(yaml.safe_load(text) == wanted)
    except yaml.YAMLError:
        return False


def _replaced(text: str, key: str, value: Any, whole: Mapping[str, Any]) -> str:
    """*text* with what is said of *key* exchanged; the rest stays as it was written."""
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    if root is not None and root.flow_style:
        return _yaml(whole)
    new = _yaml({key: value}, flow=isinstance(value, list))
    pairs = [(k, v) for k, v in (root.value if root is not None else ()) if k.value == key]
    if not pairs:
        return (text if not text or text.endswith("\n") else text + "\n") + new + "\n"
    start, end = pairs[-1][0].start_mark.index, _end_of(pairs[-1][1])
    old = text[start:end]
    return text[:start] + new + text[start + len(old.rstrip()) :]


def _yaml(value: Mapping[str, Any], *, flow: bool = False) -> str:
    written: str = yaml.safe_dump(
        dict(value), default_flow_style=None if flow else False, allow_unicode=True, width=10**6, sort_keys=False
    )
    return written.strip("\n")


def _end_of(node: Any) -> int:
    """Where a value ends in the text: a block ends with its last part, not where the next thing begins."""
    if isinstance(node.value, list) and node.value and not node.flow_style:
        last = node.value[-1]
        return _end_of(last[1] if isinstance(last, tuple) else last)
    end: int = node.end_mark.index
    return end


def write_text(path: str, text: str) -> None:
    """Put *text* in the place of what the file holds, at once; a new file is its owner's alone."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    temporary = f"{path}.{os.getpid()}"
    mode = os.stat(path).st_mode & 0o777 if os.path.exists(path) else 0o600
    with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)
