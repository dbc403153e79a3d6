"""`handiwork plugins`: what was found, what became of it, and the switches; `trusting` holds one more verb."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Iterator
from typing import Any

from ...core.errors import UnknownNameError
from ...core.loading import Late
from ...sources.modules import Loaded
from ..config_file import set_value
from ..house import House, default
from .output import Output, columns, printable
from .parsing import Parser, add_verbs

making = Late("handiwork.apps.making")
trusting = Late("handiwork.apps.cli.trusting")

EXAMPLES = """\
  handiwork plugins list --why
  handiwork plugins new greeter
  handiwork plugins disable dice
  handiwork plugins trust
"""
_WAITS = "waits for trust"


def configure(parser: Parser) -> None:
    """The verbs of `handiwork plugins`."""
    name: Any = lambda p: p.add_argument("name")  # noqa: E731
    add_verbs(
        parser,
        {
            "list": ("plugins, their tools, and what went wrong", _configure_list),
            "enable": ("load a plugin again", name),
            "disable": ("don't load a plugin", name),
            "trust": ("see what this project's plugins would run, and let them", trusting.configure),
            "new": ("write a package with a tool, a hook and a test", configure_new),
            "reload": ("load all plugins anew, and tell what became of them", _configure_list),
        },
        EXAMPLES,
    )


def _configure_list(parser: Parser) -> None:
    parser.add_argument("--why", action="store_true", help="the whole story of what went wrong")


def configure_new(parser: Parser) -> None:
    """The flags of `plugins new` and `tools new`."""
    parser.add_argument("name", help="small letters, digits and _")
    parser.add_argument("--project", action="store_true", help="put it into this project, not into your home")


def run(said: Namespace, out: Output) -> int:
    """Run one verb."""
    verbs = {"list": _list, "enable": _enable, "disable": _disable, "reload": _reload, "new": _new}
    verb = trusting.trust if said.verb == "trust" else verbs[said.verb]
    code: int = verb(default(), said, out)
    return code


# ---------------------------------------------------------------------------------------------- list


def _list(house: House, said: Namespace, out: Output) -> int:
    rows = [*_rows(house)]
    folder = os.path.join(house.home, "plugins")
    table = [[r["name"], r["state"], _about(r)] for r in rows]
    lines = columns(table)
    if said.why:
        lines = [part for line, row in zip(lines, rows, strict=True) for part in (line, *_story(row))]
    document = {"folder": folder, "plugins": rows}
    out.show(document, [printable(line) for line in lines] or [f"no plugins in {folder}"])
    return 0


def _reload(house: House, said: Namespace, out: Output) -> int:
    """Load everything anew, from its source; 1 where something failed."""
    house.plugins.refresh(everything=True)
    _list(house, said, out)
    return int(any(loaded.error for loaded in _plugins(house)))


def _rows(house: House) -> Iterator[dict[str, Any]]:
    refused: dict[str, list[str]] = {}
    for rejection in house.registry.rejections():
        refused.setdefault(rejection.origin, []).append(str(rejection))
    for loaded in _plugins(house):
        row = _row(loaded.name, "failed" if loaded.error else "loaded", loaded.path)
        told = {"tools": list(loaded.tools), "error": f"{loaded.place}: {loaded.error}" if loaded.error else None}
        yield row | told | {"story": loaded.story or None, "refused": refused.get(loaded.origin, [])}
    for found in house.plugins.silent:
        yield _row(found.name, "registers nothing", found.path)
    if waiting := house.plugins.waiting:
        for found in waiting.found:
            yield _row(found.name, _WAITS, found.path) | {"error": waiting.reason or None}
    yield from (_row(name, "disabled") for name in house.config.plugins_disabled)


def _plugins(house: House) -> list[Loaded]:
    return [f for f in house.harvest.loaded if f.origin.startswith("plugin:")]


def _row(name: str, state: str, path: str = "") -> dict[str, Any]:
    return {
        "name": name,
        "state": state,
        "tools": [],
        "path": path or None,
        "error": None,
        "story": None,
        "refused": [],
    }


def _about(row: dict[str, Any]) -> str:
    if row["error"]:
        return str(row["error"])
    if row["state"] == _WAITS:
        return f"{row['path']} (handiwork plugins trust)"
    return ", ".join(row["tools"]) or row["path"] or ""


def _story(row: dict[str, Any]) -> Iterator[str]:
    yield from (f"  {line}" for line in (row["story"] or "").splitlines())
    yield from (f"  refused: {reason}" for reason in row["refused"])


# ------------------------------------------------------------------------------------------ switches


def _enable(house: House, said: Namespace, out: Output) -> int:
    _check_known(house, said.name)
    left = tuple(n for n in house.config.plugins_disabled if n != said.name)
    return _store(house, out, left, f"{said.name} is enabled")


def _disable(house: House, said: Namespace, out: Output) -> int:
    _check_known(house, said.name)
    names = tuple(dict.fromkeys((*house.config.plugins_disabled, said.name)))
    return _store(house, out, names, f"{said.name} is disabled")


def _check_known(house: House, name: str) -> None:
    known = {row["name"] for row in _rows(house)}
    if name not in known:
        raise UnknownNameError("plugin", name, known, "see `handiwork plugins list`")


def _store(house: House, out: Output, names: tuple[str, ...], message: str) -> int:
    if names == house.config.plugins_disabled:
        out.show({"plugins_disabled": names, "file": None}, [f"{message} (as it was)"])
        return 0
    path = set_value(house.home, "plugins_disabled", list(names))
    out.show({"plugins_disabled": names, "file": path}, [f"{message} ({path})"])
    return 0


# ----------------------------------------------------------------------------------------------- new


def _new(house: House, said: Namespace, out: Output) -> int:
    return show_made(making.make_plugin(house, said.name, making.PACKAGE, for_project=said.project), out)


def new_tool(house: House, said: Namespace, out: Output) -> int:
    """`handiwork tools new`: a tool in one file."""
    return show_made(making.make_plugin(house, said.name, making.TOOL, for_project=said.project), out)


def show_made(paths: list[str], out: Output) -> int:
    """Say what was written, and how it is tried."""
    out.show({"files": paths}, [*paths, f"try it: python -m pytest {paths[-1]}"])
    return 0
