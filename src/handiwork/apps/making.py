"""New plugins from a template: a tool in one file, or a package with a context, each with a test that passes."""

from __future__ import annotations

import keyword
import os
import re
from collections.abc import Mapping

from ..backends.trust.projects import ProjectTrust
from ..core.errors import UsageError
from .house import House

_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")

_TOOL = '''\
from handiwork import tool


@tool(toolset="{name}", traits={{"read_only": True}})
def {name}(text: str, times: int = 1) -> str:
    """Repeat a text, for what must be said more than once; gives the whole line.

    Args:
        text: what to say
        times: how often
    """
    return " ".join([text] * times)
'''
_PACKAGE = '''\
from handiwork import tool


def register(ctx):
    ctx.register_hook("post_tool_call", look)


@tool(toolset="{name}", traits={{"read_only": True}})
def {name}(text: str, times: int = 1) -> str:
    """Repeat a text, for what must be said more than once.  text: what to say  times: how often"""
    return " ".join([text] * times)


def look(tool_name, status, duration_ms):
    """Called after every call of any tool."""
'''
_MANIFEST = """\
name: {name}
version: 0.1.0
description: One tool and one hook.
"""
_TEST = """\
from handiwork import handle_function_call


def test_{name}():
    assert handle_function_call("{name}", {{"text": "hi", "times": "2"}}) == "hi hi"
"""
TOOL: Mapping[str, str] = {"{name}.py": _TOOL, "tests/test_{name}.py": _TEST}
PACKAGE: Mapping[str, str] = {
    "{name}/__init__.py": _PACKAGE,
    "{name}/plugin.yaml": _MANIFEST,
    "tests/test_{name}.py": _TEST,
}


def make_plugin(house: House, name: str, files: Mapping[str, str], *, for_project: bool) -> list[str]:
    """Write the *files* of a new plugin; their paths. Nothing is written over.

    In a project's folder the person trusts it with that, unless there is something else that they don't trust yet.
    Raises `UsageError` for a name that is taken, or that can't be one.
    """
    _check_name(house, name)
    folder = house.project_plugins if for_project else os.path.join(house.home, "plugins")
    if not folder:
        raise UsageError("this is no project", "go into one, or leave --project out")
    paths = {os.path.join(folder, path.format(name=name)): text.format(name=name) for path, text in files.items()}
    rivals = [*paths, os.path.join(folder, name), os.path.join(folder, f"{name}.py")]
    if taken := [path for path in rivals if os.path.lexists(path)]:
        raise UsageError(f"{taken[0]} is there already", "choose another name, or remove it")
    vouched = for_project and _is_vouched(house, folder)
    for path, text in paths.items():
        _write(path, text)
    if vouched:
        trust = ProjectTrust(house.home)
        trust.trust(trust.folder(folder))
    return list(paths)


def _check_name(house: House, name: str) -> None:
    if not _NAME.fullmatch(name) or keyword.iskeyword(name):
        raise UsageError(f"{name!r} can't be a plugin's name", "use small letters, digits and _, a letter first")
    entry = house.registry.get(name)
    if entry is not None:
        raise UsageError(f"a tool named {name} is there already, from {entry.origin}", "choose another name")


def _is_vouched(house: House, folder: str) -> bool:
    """Whether all that is in a project's folder is trusted, or there is nothing."""
    if not os.path.isdir(folder) or not os.listdir(folder):
        return True
    trust = ProjectTrust(house.home)
    return trust.holds(trust.folder(folder))


def _write(path: str, text: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "x", encoding="utf-8") as file:
        file.write(text)
