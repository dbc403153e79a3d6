"""A loopback endpoint that answers as it is told, and the local weights where they are."""

from __future__ import annotations

import hashlib
import json
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest


@dataclass
class Answer:
    """One answer of the endpoint. With `cut` the connection is reset after the pieces; `pause_s` is before each."""

    pieces: list[bytes]
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False
    pause_s: float = 0.0


class LoopbackEndpoint:
    """Gives the answers one by one; the last one again and again. `bodies` are the requests, `raw` their bytes."""

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.bodies: list[dict[str, Any]] = []
        self.raw: list[bytes] = []
        self.headers: list[dict[str, str]] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def will_answer(self, body: bytes | str, **fields: Any) -> None:
        """Adds an answer with one body."""
        self.answers.append(Answer([body.encode() if isinstance(body, str) else body], **fields))

    def will_stream(self, *chunks: dict[str, Any], done: bool = True, **fields: Any) -> None:
        """Adds an answer that streams chat completion chunks."""
        pieces = [f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks]
        pieces += [b"data: [DONE]\n\n"] if done else []
        self.answers.append(Answer(pieces, headers={"content-type": "text/event-stream"}, **fields))

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _next(self) -> Answer:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                endpoint.raw.append(body)
                endpoint.bodies.append(json.loads(body))
                self._answer()

            def do_GET(self) -> None:
                self._answer()

            def _answer(self) -> None:
                endpoint.headers.append({k.lower(): v for k, v in self.headers.items()})
                answer = endpoint._next()
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("transfer-encoding", "chunked")
                self.end_headers()
                for piece in answer.pieces:
                    time.sleep(answer.pause_s)
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                    self.wfile.flush()
                if answer.cut:
                    self.connection.shutdown(socket.SHUT_RDWR)
                    self.close_connection = True
                else:
                    self.wfile.write(b"0\r\n\r\n")

            def log_message(self, *args: Any) -> None:
                """The test's output is not the place for an access log."""

        return Handler


@pytest.fixture
def endpoint() -> Iterator[LoopbackEndpoint]:
    server = LoopbackEndpoint()
    yield server
    server.close()


@pytest.fixture
def closed_port() -> int:
    """A port on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _skip(reason: str) -> None:
    if os.environ.get("HANDIWORK_REQUIRE_ALL") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def weights() -> Callable[[str], Path]:
    """The file of a known model: from HANDIWORK_TEST_MODELS, or from the person's own store."""
    folders = [Path(p) for p in (os.environ.get("HANDIWORK_TEST_MODELS"), Path.home() / ".handiwork/models") if p]

    def find(name: str) -> Path:
        pytest.importorskip("xllamacpp", reason="xllamacpp is not installed")
        for folder in folders:
            if (folder / f"{name}.gguf").is_file():
                return folder / f"{name}.gguf"
        _skip(f"no weights of {name}: set HANDIWORK_TEST_MODELS, or handiwork model pull {name}")
        raise AssertionError

    return find


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
