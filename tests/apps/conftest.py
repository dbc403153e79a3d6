"""The command line, in this process with a house of its own, or as a real process."""

from __future__ import annotations

import contextlib
import io
import json
import os
import pty
import select
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from handiwork import registry as default_registry
from handiwork.apps import house
from handiwork.apps.cli.main import main

SRC = Path(__file__).parents[2] / "src"


@dataclass(frozen=True)
class Ran:
    """What a command did: exit code and both streams."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """Standard output, which must be one JSON document and nothing else."""
        assert self.out.endswith("\n") and "NaN" not in self.out
        return json.loads(self.out)


@pytest.fixture
def fresh_default(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The default house is opened anew by whoever asks first; what plugins registered is taken away again."""
    monkeypatch.setattr(house._houses, "_default", None)
    monkeypatch.setattr(default_registry, "_rejections", type(default_registry._rejections)())
    monkeypatch.setattr(default_registry, "whereabouts", [])
    monkeypatch.setattr(default_registry, "_aliases", {})
    monkeypatch.setattr(default_registry, "_announced", set())
    yield
    for entry in default_registry.entries():
        if entry.origin.startswith(("plugin:", "mcp:")):
            default_registry.deregister(entry.name)


@pytest.fixture
def cli(fresh_default: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Ran]:
    """Runs `handiwork WORDS` in this process, each time as a new one would."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)

    def run(*words: str, stdin: str = "") -> Ran:
        monkeypatch.setattr(house._houses, "_default", None)
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(list(words))
        ran = Ran(code, out.getvalue(), err.getvalue())
        assert "Traceback" not in ran.out + ran.err
        assert "\x1b" not in ran.out + ran.err
        return ran

    return run


def environment(home: Path, **variables: str) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if k in ("PATH", "LANG", "TMPDIR")}
    return {**kept, "HOME": str(home), "HANDIWORK_HOME": str(home), "PYTHONPATH": str(SRC), **variables}


@pytest.fixture
def surroundings(home: Path) -> dict[str, str]:
    """The environment of a process that has nothing of ours but its home."""
    return environment(home)


@pytest.fixture
def command(home: Path, tmp_path: Path) -> Callable[..., Ran]:
    """Runs `handiwork WORDS` as a process of its own, with nothing on standard input."""

    def run(*words: str | bytes, stdin: bytes = b"", cwd: Path = tmp_path, **variables: str) -> Ran:
        done = subprocess.run(
            [sys.executable, "-m", "handiwork", *words],
            input=stdin,
            capture_output=True,
            cwd=cwd,
            timeout=60,
            check=False,
            env=environment(home, **variables),
        )
        ran = Ran(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))
        assert "Traceback" not in ran.out + ran.err
        return ran

    return run


@pytest.fixture
def script(tmp_path: Path) -> Callable[..., str]:
    """A model string for a model that says the given replies."""

    def write(*replies: Any) -> str:
        path = tmp_path / "script.json"
        path.write_text(json.dumps(replies))
        return f"scripted:{path}"

    return write


@pytest.fixture
def plugin(home: Path) -> Callable[[str, str], Path]:
    """Writes a file into the person's plugin folder."""

    def write(name: str, text: str) -> Path:
        path = home / "plugins" / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return path

    return write


@pytest.fixture
def configure(home: Path) -> Callable[[str], Path]:
    """Writes the person's configuration."""

    def write(text: str | bytes) -> Path:
        path = home / "config.yaml"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return write


@pytest.fixture
def endpoint() -> Iterator[Callable[..., str]]:
    """A loopback server; the given function answers each request. Gives the base URL."""
    servers: list[ThreadingHTTPServer] = []

    def open_server(answer: Callable[[BaseHTTPRequestHandler], None]) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                with contextlib.suppress(ConnectionError):
                    answer(self)

            def log_message(self, *_: Any) -> None:
                """Nothing is logged: standard error is looked at."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        servers.append(server)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}/v1"

    yield open_server
    for server in servers:
        server.shutdown()
        server.server_close()


class Terminal:
    """`handiwork WORDS` on a terminal of its own; `seen` is what it has shown."""

    def __init__(self, words, env, cwd, stdout=None):
        self._master, slave = pty.openpty()
        self.child = subprocess.Popen(
            [sys.executable, "-m", "handiwork", *words],
            stdin=slave, stdout=stdout or slave, stderr=slave, env={"TERM": "xterm", **env}, cwd=cwd,
            start_new_session=True,
        )  # fmt: skip
        os.close(slave)
        self.seen = ""

    def until(self, text, after="", seconds=15, times=1):
        """Read until *text* was shown so many *times*, *after* another."""
        end = time.monotonic() + seconds
        while (self.seen.partition(after)[2] if after else self.seen).count(text) < times:
            assert time.monotonic() < end, f"{text!r} didn't come; shown: {self.seen!r}"
            if not self._read():
                break
        assert text in self.seen, self.seen

    def type(self, text):
        os.write(self._master, text.encode())

    def end(self, seconds=15):
        """Read to the end; the exit code."""
        end = time.monotonic() + seconds
        while self._read() or self.child.poll() is None:
            assert time.monotonic() < end, f"doesn't end; shown: {self.seen!r}"
        return self.child.wait(5)

    def close(self):
        self.child.kill()
        self.child.wait()
        os.close(self._master)

    def _read(self):
        if not select.select([self._master], [], [], 0.1)[0]:
            return True
        try:
            part = os.read(self._master, 65536)
        except OSError:  # the other side is closed
            return False
        self.seen += part.decode("utf-8", "replace").replace("\r\n", "\n")
        return bool(part)


@pytest.fixture
def terminal(surroundings, tmp_path):
    opened = []

    def begin(*words, stdout=None, **variables):
        opened.append(Terminal(words, surroundings | variables, tmp_path, stdout))
        return opened[-1]

    yield begin
    for one in opened:
        one.close()


@pytest.fixture
def eventually():
    """Waits until a condition holds."""

    def wait(condition, seconds=15):
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, "waited in vain"
            time.sleep(0.02)

    return wait
