"""`handiwork toolsets`: groups of tools."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from ...core.errors import UsageError
from ..config_file import set_value
from ..house import House, default
from .output import Output, columns
from .parsing import Parser, add_verbs, names_of

EXAMPLES = """\
  handiwork toolsets list
  handiwork toolsets show debugging
  handiwork toolsets create research --includes web,file --description "Read and look up"
"""


def configure(parser: Parser) -> None:
    """The verbs of `handiwork toolsets`."""
    add_verbs(
        parser,
        {
            "list": ("all toolsets with their tools", lambda _: None),
            "show": ("one toolset", _configure_name),
            "create": ("make one in the configuration", _configure_create),
        },
        EXAMPLES,
    )


def _configure_name(parser: Parser) -> None:
    parser.add_argument("name")


def _configure_create(parser: Parser) -> None:
    parser.add_argument("name")
    parser.add_argument("--description", default="")
    parser.add_argument("--tools", metavar="A,B", default="")
    parser.add_argument("--includes", metavar="C,D", default="")


def run(said: Namespace, out: Output) -> int:
    """Run one verb."""
    return {"list": _list, "show": _show, "create": _create}[said.verb](default(), said, out)


def _list(house: House, said: Namespace, out: Output) -> int:
    rows = [_row(house, name) for name in house.toolsets.names()]
    table = [
        [r["name"], r["kind"], "yes" if r["available"] else "no", f"{len(r['tools'])} tools", r["description"]]
        for r in rows
    ]
    out.show({"toolsets": rows}, columns([["TOOLSET", "KIND", "AVAILABLE", "", ""], *table]))
    return 0


def _row(house: House, name: str) -> dict[str, Any]:
    expansion = house.toolsets.expand((name,))
    composite = next((t for t in house.toolsets.composites() if t.name == name), None)
    atomic = bool(house.registry.members(name))
    tools = sorted(expansion.tools)
    return {
        "name": name,
        "kind": "composite" if composite else "atomic" if atomic else "all",
        "description": composite.description if composite else "",
        "tools": tools,
        "includes": list(composite.includes) if composite else [],
        "missing": sorted(expansion.missing),
        "available": any(t in house.supply.view((name,)).names for t in tools),
        "aliases": sorted(a for a, target in house.registry.aliases().items() if target == name),
    }


def _show(house: House, said: Namespace, out: Output) -> int:
    house.toolsets.resolve(said.name)
    row = _row(house, house.toolsets.canonical(said.name))
    lines = [f"{row['name']} ({row['kind']}) {row['description']}".rstrip()]
    lines += [f"  {key}: {', '.join(row[key])}" for key in ("includes", "tools", "missing", "aliases") if row[key]]
    out.show(row, lines)
    return 0


def _create(house: House, said: Namespace, out: Output) -> int:
    tools, includes = names_of(said.tools) or (), names_of(said.includes) or ()
    if not tools and not includes:
        raise UsageError("a toolset holds something", "give --tools or --includes")
    for name in includes:
        house.toolsets.resolve(name)
    if house.registry.members(said.name):
        raise UsageError(f"{said.name!r} is the toolset of tools that are here", "choose another name")
    house.toolsets.create(said.name, said.description, tools, includes)
    unknown = sorted(set(tools) - set(house.registry.names()))
    kept = {
        name: {"description": t.description, "tools": list(t.tools), "includes": list(t.includes)}
        for name, t in house.config.custom_toolsets.items()
    }
    kept[said.name] = {"description": said.description, "tools": list(tools), "includes": list(includes)}
    path = set_value(house.home, "custom_toolsets", kept)
    if unknown:
        out.note(f"warning: not registered now: {', '.join(unknown)}")
    out.show({"name": said.name, "file": path}, [f"{said.name} is defined in {path}"])
    return 0
