"""Our host as the client of the official conformance suite: `conformance_client.py legacy|auto URL`.

The scenario and its facts come in `MCP_CONFORMANCE_SCENARIO` and `MCP_CONFORMANCE_CONTEXT`.
"""

from __future__ import annotations

import json
import os
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


def auth_of(scenario: str, facts: dict[str, Any]) -> dict[str, Any]:
    """What a person would write under `auth` for a scenario."""
    if scenario == "auth/cross-app-access-complete-flow":
        return {
            "grant": "identity_assertion",
            **{key: facts[key] for key in ("client_id", "client_secret", "idp_client_id", "idp_token_endpoint")},
            "id_token": facts["idp_id_token"],
            "issuer": facts.get("auth_server_url") or os.environ["CONFORMANCE_ISSUER"],
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
    return {name: plain.get(said.get("type"), None) for name, said in schema.get("properties", {}).items()}


def main(mode: str, url: str) -> int:
    scenario = os.environ["MCP_CONFORMANCE_SCENARIO"]
    facts = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
    auth = {"auth": auth_of(scenario, facts)} if scenario.startswith("auth/") else {}
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
        print(host.state("s"), file=sys.stderr)
        for definition in host.offering.shelf("s").offered.values():
            arguments = arguments_of(definition.parameters)
            print(definition.name, Pipeline(registry).run(ToolCall(definition.name, arguments)).content, file=sys.stderr)
        works = host.state("s").name in ("connected", "degraded")
        host.close()
    return 0 if works else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
