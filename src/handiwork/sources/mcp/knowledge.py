"""What is remembered of a server from its last connection, so that its tools are known before the next one."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .definitions import Definition, Refused
from .names import server_part
from .states import State

_VERSION = 1


@dataclass(frozen=True, slots=True)
class Known:
    """How a server was when it was last asked; `speaks` is the version of the protocol, `about` its own name."""

    identity: str
    state: State
    tools: tuple[Definition, ...] = ()
    refused: tuple[Refused, ...] = ()
    speaks: str = ""
    about: str = ""


@dataclass(frozen=True, slots=True)
class Knowledge:
    """A folder with a file a server. What can't be read or written is only not remembered."""

    folder: str

    def recall(self, server: str, identity: str) -> Known | None:
        """What is known of a server; nothing where the name now stands for another one."""
        try:
            with open(self._path(server), encoding="utf-8") as file:
                said = json.load(file)
            known = _read(said) if said.get("version") == _VERSION else None
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return None
        return known if known and known.identity == identity else None

    def keep(self, server: str, known: Known) -> None:
        """Remember it."""
        if not self.folder:
            return
        path = self._path(server)
        temporary = f"{path}.{os.getpid()}"
        try:
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
            with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
                json.dump(_plain(known), file, ensure_ascii=True)
            os.replace(temporary, path)
        except OSError:
            return

    def forget(self, server: str) -> None:
        """Remember nothing of it any more."""
        try:
            os.unlink(self._path(server))
        except OSError:
            return

    def _path(self, server: str) -> str:
        return os.path.join(self.folder, f"{server_part(server)}.json")


def _plain(known: Known) -> dict[str, Any]:
    return {
        "version": _VERSION,
        "identity": known.identity,
        "state": [known.state.name, known.state.reason, known.state.since, known.state.fix],
        "tools": [_plain_tool(definition) for definition in known.tools],
        "refused": [[r.tool, r.reason] for r in known.refused],
        "speaks": known.speaks,
        "about": known.about,
    }


def _plain_tool(definition: Definition) -> dict[str, Any]:
    return {name: getattr(definition, name) for name in Definition.__slots__}


def _read(said: Mapping[str, Any]) -> Known:
    return Known(
        identity=said["identity"],
        state=State(*said["state"]),
        tools=tuple(Definition(**{**tool, "notes": tuple(tool["notes"])}) for tool in said["tools"]),
        refused=tuple(Refused(*pair) for pair in said["refused"]),
        speaks=said["speaks"],
        about=said["about"],
    )
