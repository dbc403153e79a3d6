"""`handiwork config`: read and change the configuration."""

from __future__ import annotations

import os
from argparse import Namespace
from dataclasses import asdict
from typing import Any

from ...core.config import KEYS, Config, home_folder
from ...core.errors import UnknownNameError
from ...core.loading import Late
from ...core.wire import dumps
from ...guard.workspace import find_workspace
from ..config_file import config_paths, load_config, read_value, set_value
from .output import Output, columns
from .parsing import Parser, add_verbs

mcp_settings = Late("handiwork.sources.mcp.settings")
EXAMPLES = """\
  handiwork config show
  handiwork config set model local/qwen2.5-coder-1.5b
  handiwork config get max_steps
"""


def configure(parser: Parser) -> None:
    """The verbs of `handiwork config`."""
    add_verbs(
        parser,
        {
            "show": ("everything that holds now", lambda _: None),
            "get": ("one value", _configure_key),
            "set": ("change one value in your own file", _configure_set),
            "path": ("the files that are read", lambda _: None),
        },
        EXAMPLES,
    )


def _configure_key(parser: Parser) -> None:
    parser.add_argument("key")


def _configure_set(parser: Parser) -> None:
    parser.add_argument("key")
    parser.add_argument("value", help="read as YAML: 5, [a, b], text")


def run(said: Namespace, out: Output) -> int:
    """Run one verb."""
    home, project = home_folder(), find_workspace(os.getcwd())
    match said.verb:
        case "path":
            paths = config_paths(home, project)
            out.show({"files": paths}, paths or [f"none; {os.path.join(home, 'config.yaml')} would be read"])
        case "set":
            value = read_value(said.value)
            path = set_value(home, said.key, value)
            out.show({"key": said.key, "value": value, "file": path}, [f"{said.key}: {dumps(value)} ({path})"])
        case _:
            _print(load_config(home, project), getattr(said, "key", None), out)
    return 0


def _print(config: Config, key: str | None, out: Output) -> None:
    values: dict[str, Any] = asdict(config)
    if values["mcp_servers"]:
        values["mcp_servers"] = mcp_settings.masked(values["mcp_servers"])
    if key is None:
        out.show(values, columns([[k, dumps(v)] for k, v in values.items()]))
    elif key not in KEYS:
        raise UnknownNameError("configuration key", key, KEYS)
    else:
        out.show({"key": key, "value": values[key]}, [dumps(values[key]).strip('"')])
