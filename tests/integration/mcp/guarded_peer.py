"""A web service behind a login, and the service that the login is made at: two servers on this machine."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

TOOLS = [{"name": name, "description": name, "inputSchema": {"type": "object"}} for name in ("plain", "wide")]


@dataclass
class Guarded:
    """What both servers do and have seen. `lifetime` is that of an access token, in seconds."""

    url: str = ""
    issuer: str = ""
    lifetime: int = 3600
    refresh_status: int = 200
    slow_s: float = 0.0
    named_issuer: str = ""
    redirect: str = ""
    given: list[str] = field(default_factory=list)
    seen: list[tuple[str, str, dict[str, str], str]] = field(default_factory=list)
    scopes: dict[str, str] = field(default_factory=dict)

    def paths(self, place: str = "") -> list[str]:
        return [path for where, path, _, _ in self.seen if where.startswith(place)]

    def grants(self, kind: str) -> int:
        return sum(f"grant_type={kind}" in body for _, path, _, body in self.seen if path == "/token")

    def revoke(self) -> None:
        self.scopes.clear()

    def token(self, scope: str) -> dict[str, Any]:
        access = f"at-{len(self.given)}-{'x' * 20}"
        self.given.append(access)
        self.scopes[access] = scope
        return {"access_token": access, "token_type": "Bearer", "expires_in": self.lifetime, "scope": scope}


class _Handler(BaseHTTPRequestHandler):
    place = ""
    guarded: Guarded
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        return

    def answer(self, status: int, body: Any = None, **headers: str) -> None:
        data = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(data)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def take(self) -> str:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        self.guarded.seen.append((self.place, urlsplit(self.path).path, dict(self.headers), body))
        return body


class Service(_Handler):
    """The MCP server, in the words of 2025."""

    place = "service"

    def do_GET(self) -> None:
        self.take()
        guarded = self.guarded
        if urlsplit(self.path).path.startswith("/.well-known/oauth-protected-resource"):
            issuers = [guarded.named_issuer or guarded.issuer]
            return self.answer(200, {"resource": guarded.url, "authorization_servers": issuers})
        return self.answer(405 if self.path == "/mcp" else 404)

    def do_DELETE(self) -> None:
        self.take()
        self.answer(200)

    def do_POST(self) -> None:
        body, guarded = self.take(), self.guarded
        if guarded.redirect:
            return self.answer(307, Location=guarded.redirect)
        granted = guarded.scopes.get(self.headers.get("Authorization", "").removeprefix("Bearer "))
        if granted is None:
            where = f"{guarded.url.removesuffix('/mcp')}/.well-known/oauth-protected-resource/mcp"
            return self.answer(401, WWW_Authenticate=f'Bearer resource_metadata="{where}", scope="read"')
        message = json.loads(body)
        if "id" not in message:
            return self.answer(202)
        if message.get("params", {}).get("name") == "wide" and "write" not in granted:
            return self.answer(403, WWW_Authenticate='Bearer error="insufficient_scope", scope="write"')
        return self.answer(200, {"jsonrpc": "2.0", "id": message["id"], **_said(message)})


def _said(message: dict[str, Any]) -> dict[str, Any]:
    about = {
        "protocolVersion": "2025-11-25",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "g", "version": "1"},
    }
    done = {"content": [{"type": "text", "text": "done"}]}
    results = {"initialize": about, "tools/list": {"tools": TOOLS}, "tools/call": done}
    if message["method"] in results:
        return {"result": results[message["method"]]}
    return {"error": {"code": -32601, "message": "Method not found"}}


class Issuer(_Handler):
    """Where the login is made."""

    place = "issuer"

    def do_GET(self) -> None:
        self.take()
        guarded, parts = self.guarded, urlsplit(self.path)
        if parts.path == "/.well-known/oauth-authorization-server":
            about = {f"{n}_endpoint": f"{guarded.issuer}/{p}" for n, p in ENDPOINTS.items()}
            return self.answer(200, {"issuer": guarded.issuer, **about, "code_challenge_methods_supported": ["S256"]})
        if parts.path == "/authorize":
            said = {key: values[0] for key, values in parse_qs(parts.query).items()}
            back = urlencode({"code": f"code {said.get('scope', '')}", "state": said["state"]})
            return self.answer(302, Location=f"{said['redirect_uri']}?{back}")
        return self.answer(404)

    def do_POST(self) -> None:
        body, guarded = self.take(), self.guarded
        if self.path == "/register":
            return self.answer(201, {**json.loads(body), "client_id": "c1"})
        said = {key: values[0] for key, values in parse_qs(body).items()}
        if said["grant_type"] == "refresh_token":
            time.sleep(guarded.slow_s)
            known = said["refresh_token"] == "rt-1"
            if guarded.refresh_status != 200 or not known:
                return self.answer(guarded.refresh_status if known else 400, {"error": "invalid_grant"})
            return self.answer(200, guarded.token("read"))
        return self.answer(200, {**guarded.token(said["code"].removeprefix("code ")), "refresh_token": "rt-1"})


ENDPOINTS = {"authorization": "authorize", "token": "token", "registration": "register"}


@contextmanager
def guarded_service(**more: Any) -> Iterator[Guarded]:
    """Both servers, as long as the block lasts."""
    guarded = Guarded(**more)
    servers = []
    for kind in (Service, Issuer):
        handler = type(kind.__name__, (kind,), {"guarded": guarded})
        servers.append(ThreadingHTTPServer(("127.0.0.1", 0), handler))
    guarded.url = f"http://127.0.0.1:{servers[0].server_port}/mcp"
    guarded.issuer = f"http://127.0.0.1:{servers[1].server_port}"
    for server in servers:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    try:
        yield guarded
    finally:
        for server in servers:
            server.shutdown()
            server.server_close()
