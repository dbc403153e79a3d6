"""Our host as the client of the official conformance suite: `conformance_client.py SOCKET legacy|auto`."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp.shared.auth import AuthorizationCodeResult

from handiwork.catalog.store import ToolRegistry
from handiwork.core.types import ToolCall
from handiwork.pipeline.line import Pipeline
from handiwork.sources.mcp import supervisor  # noqa: F401 - loaded once, for all forks
from handiwork.sources.mcp.auth import ways  # noqa: F401
from handiwork.sources.mcp.host import Host
from handiwork.sources.mcp.settings import problem_with_servers, read_servers

DOCUMENT = "https://conformance-test.local/client-metadata.json"


class Visitor:
    """Agrees to every place, and logs in at once."""

    redirect_uri = "http://127.0.0.1:3000/callback"

    async def approves(self, origin: str, /) -> bool:
        return True

    async def visits(self, url: str, /) -> AuthorizationCodeResult:
        async with httpx2.AsyncClient() as client:
            response = await client.get(url)
        said = parse_qs(urlsplit(response.headers["location"]).query)
        return AuthorizationCodeResult(**{k: said[k][0] for k in ("code", "state", "iss") if k in said})


def issuer_of(url: str) -> str:
    """Whose word the server takes: the person would have it from whoever runs the server."""
    parts = urlsplit(url)
    about = f"{parts.scheme}://{parts.netloc}/.well-known/oauth-protected-resource{parts.path}"
    issuer: str = httpx2.get(about).json()["authorization_servers"][0]
    return issuer


def auth_of(scenario: str, facts: dict[str, Any], url: str) -> dict[str, Any]:
    """What a person would write under `auth` for a scenario."""
    if scenario == "auth/cross-app-access-complete-flow":
        return {
            "grant": "identity_assertion",
            **{key: facts[key] for key in ("client_id", "client_secret", "idp_client_id", "idp_token_endpoint")},
            "id_token": facts["idp_id_token"],
            "issuer": issuer_of(url),
        }
    if "client-credentials" in scenario:
        said = {"grant": "client_credentials", "client_id": facts["client_id"]}
        if "private_key_pem" in facts:
            return said | {"private_key": facts["private_key_pem"], "algorithm": facts["signing_algorithm"]}
        return said | {"client_secret": facts["client_secret"]}
    if "client_id" in facts:
        return {"client_id": facts["client_id"], "client_secret": facts["client_secret"]}
    return {"client_metadata_url": DOCUMENT}


def arguments_of(schema: dict[str, Any]) -> dict[str, Any]:
    plain = {"number": 2, "integer": 2, "string": "x", "boolean": True}
    return {name: plain.get(said.get("type")) for name, said in schema.get("properties", {}).items()}


def play(mode: str, scenario: str, facts: dict[str, Any], url: str) -> tuple[int, str]:
    """Connect, call every tool once; the exit code, and what was seen."""
    auth = {"auth": auth_of(scenario, facts, url)} if scenario.startswith("auth/") else {}
    servers = {"s": {"url": url, "elicitation": "on", "timeout": 20, **auth}}
    assert problem_with_servers(servers) is None, problem_with_servers(servers)
    registry = ToolRegistry()
    with tempfile.TemporaryDirectory() as home:
        settings = read_servers(servers)
        if mode == "legacy":
            Path(home, "mcp").mkdir()
            Path(home, "mcp", "eras.json").write_text(json.dumps({settings[0].identity: time.time()}))
        host = Host(registry, settings, home=home, person=Visitor())
        host.check(["s"])
        seen = [str(host.state("s"))]
        for definition in host.offering.shelf("s").offered.values():
            call = ToolCall(definition.name, arguments_of(definition.parameters))
            seen.append(f"{definition.name}: {Pipeline(registry).run(call).content}")
        works = host.state("s").name in ("connected", "degraded")
        host.close()
    return (0 if works else 1), "\n".join(seen)


def serve(path: str, mode: str) -> None:
    """Play each scenario in a fork of its own: starting Python anew takes longer than most of them."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(path)
        door.listen(64)
        while True:
            line, _ = door.accept()
            if os.fork() == 0:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                with line:
                    scenario, context, url = json.loads(line.makefile().readline())
                    code, seen = play(mode, scenario, json.loads(context), url)
                    line.sendall(f"{code}\n{seen}\n".encode())
                os._exit(0)
            line.close()


if __name__ == "__main__":
    serve(*sys.argv[1:])
