"""Looks that reach the network, for `--online` alone: each bounded in time, all at once."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from ....core.errors import HandiworkError
from ....core.loading import Late
from ...house import House
from .finding import Finding

models = Late("handiwork.apps.chosen_model")
httpx = Late("httpx")
GROUP = "online"
MOST_S = 10.0
_MODEL_S = 5.0


def look(house: House) -> Iterator[Finding]:
    """The model's endpoint, the MCP servers, and where packages come from."""
    asked: list[Callable[[], Finding]] = [partial(_model, house), _packages]
    host = house.servers.host
    asked += [partial(_server, host, name) for name in host.servers] if host else []
    try:
        with ThreadPoolExecutor(len(asked)) as pool:
            yield from pool.map(lambda ask: ask(), asked)
    finally:
        house.servers.close()


def _model(house: House) -> Finding:
    try:
        model: Any = models.choose_model(house, None)
    except HandiworkError as error:
        return Finding(GROUP, "model", "warning", str(error), error.hint)
    endpoint = getattr(model, "endpoint", None)
    if endpoint is None:
        return Finding(GROUP, "model", "ok", f"{model.name} needs no network")
    try:
        status = httpx.get(endpoint.url("/models"), headers=dict(model.headers()), timeout=_MODEL_S).status_code
    except httpx.HTTPError as error:
        said = f"{endpoint.where} doesn't answer: {error or type(error).__name__}"
        return Finding(
            GROUP, "model", "problem", said, "start it, or correct base_url: handiwork config set base_url URL"
        )
    if status in (401, 403):
        return Finding(GROUP, "model", "problem", f"{endpoint.where} doesn't take the key (HTTP {status})", _KEY)
    return Finding(GROUP, "model", "ok", f"{endpoint.where} answers (HTTP {status})")


_KEY = "set the right key in the environment; see docs/models.md"


def _server(host: Any, name: str) -> Finding:
    if host.servers[name].held or not host.servers[name].enabled:
        return Finding(GROUP, f"MCP server {name}", "ok", "isn't asked: it may not run here")
    host.check([name], MOST_S)
    state = host.state(name)
    said = f"{state.name}{f': {state.reason}' if state.reason else ''}"
    if state.name == "connected":
        return Finding(GROUP, f"MCP server {name}", "ok", said)
    return Finding(GROUP, f"MCP server {name}", "warning", said, state.fix or f"handiwork mcp logs {name}")


def _packages() -> Finding:
    """Whether extras could be installed: asked by the client that would install them, with its own settings."""
    words = [sys.executable, "-m", "pip", "index", "versions", "pip", "--disable-pip-version-check"]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=MOST_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return Finding(GROUP, "packages", "warning", f"no answer: {error}", "look at the network, or at pip's settings")
    if done.returncode == 0:
        return Finding(GROUP, "packages", "ok", "pip reaches where packages come from")
    said = next(iter(done.stderr.strip().splitlines()[-1:]), f"exit code {done.returncode}")
    return Finding(GROUP, "packages", "warning", f"pip can't ask: {said}", "look at the network, or at pip's settings")
