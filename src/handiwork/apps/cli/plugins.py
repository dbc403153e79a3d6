"""`handiwork plugins`: what was found in the plugin folder, and what became of it."""

from __future__ import annotations

import os
from argparse import Namespace
from typing import Any

from ...core.errors import UnknownNameError
from ...sources.modules import Loaded
from ..config_file import set_value
from ..house import House, default
from .output import Output, columns
from .parsing import Parser, add_verbs

EXAMPLES = """\
  handiwork plugins list
  handiwork plugins disable dice
"""


def configure(parser: Parser) -> None:
    """The verbs of `handiwork plugins`."""
    name: Any = lambda p: p.add_argument("name")  # noqa: E731
    add_verbs(
        parser,
        {
            "list": ("plugins, their tools, and what went wrong", lambda _: None),
            "enable": ("load a plugin again", name),
            "disable": ("don't load a plugin", name),
        },
        EXAMPLES,
    )


def run(said: Namespace, out: Output) -> int:
    """Run one verb."""
    return {"list": _list, "enable": _enable, "disable": _disable}[said.verb](default(), said, out)


def _list(house: House, said: Namespace, out: Output) -> int:
    folder = os.path.join(house.home, "plugins")
    rows = [_row(f.name, "failed" if f.error else "loaded", f.path, f.tools, f.error) for f in _plugins(house)]
    rows += [_row(f.name, "registers nothing", f.path) for f in house.harvest.silent if f.path.startswith(folder)]
    rows += [_row(name, "disabled") for name in house.config.plugins_disabled]
    table = [[r["name"], r["state"], r["error"] or ", ".join(r["tools"]) or r["path"] or ""] for r in rows]
    out.show({"folder": folder, "plugins": rows}, columns(table) or [f"no plugins in {folder}"])
    return 0


def _plugins(house: House) -> list[Loaded]:
    return [f for f in house.harvest.loaded if f.origin.startswith("plugin:")]


def _row(name: str, state: str, path: str = "", tools: tuple[str, ...] = (), error: str = "") -> dict[str, Any]:
    return {"name": name, "state": state, "tools": list(tools), "path": path or None, "error": error or None}


def _enable(house: House, said: Namespace, out: Output) -> int:
    _check_known(house, said.name)
    left = tuple(n for n in house.config.plugins_disabled if n != said.name)
    return _store(house, out, left, f"{said.name} is enabled")


def _disable(house: House, said: Namespace, out: Output) -> int:
    _check_known(house, said.name)
    names = tuple(dict.fromkeys((*house.config.plugins_disabled, said.name)))
    return _store(house, out, names, f"{said.name} is disabled")


def _check_known(house: House, name: str) -> None:
    loaded = [f.name for f in _plugins(house)]
    known = (*loaded, *house.config.plugins_disabled)
    if name not in known:
        raise UnknownNameError("plugin", name, known, "see `handiwork plugins list`")


def _store(house: House, out: Output, names: tuple[str, ...], message: str) -> int:
    if names == house.config.plugins_disabled:
        out.show({"plugins_disabled": names, "file": None}, [f"{message} (as it was)"])
        return 0
    path = set_value(house.home, "plugins_disabled", list(names))
    out.show({"plugins_disabled": names, "file": path}, [f"{message} ({path})"])
    return 0
