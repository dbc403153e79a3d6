"""Every place for commands that works here, each opened by one line and closed by the test."""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from handiwork.backends.environment import table
from handiwork.backends.environment.docker import DockerEnvironment
from handiwork.backends.environment.local import LocalEnvironment
from handiwork.backends.environment.sandboxed import SandboxEnvironment
from handiwork.backends.environment.shell import ShellEnvironment
from handiwork.backends.environment.ssh import SshEnvironment
from handiwork.backends.environment.territory import Person
from handiwork.core.types import Command, SandboxPolicy

PLACES = ("local", *table.LAUNCHERS, "ssh", "docker")
CONTAINER = "HANDIWORK_TEST_CONTAINER"


@pytest.fixture(scope="session")
def there(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, ...]]:
    """Options for an ssh client to which the host `there` is this machine."""
    if problem := _missing():
        pytest.skip(problem)
    with sshd(tmp_path_factory.mktemp("sshd")) as options:
        yield options


@pytest.fixture
def person(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Person:
    """Somebody with a home of their own, with keys in it, and programs on PATH."""
    folder = tmp_path / "person"
    (folder / ".ssh").mkdir(parents=True)
    (folder / ".ssh" / "id_ed25519").write_text("canary-key")
    (folder / ".netrc").write_text("canary-netrc")
    (folder / "notes.txt").write_text("canary-notes")
    (home / "config.yaml").write_text("mode: ask\n")
    monkeypatch.setenv("HOME", str(folder))
    return Person(own=str(home), results=str(home / "results"))


@pytest.fixture
def room(tmp_path: Path) -> Path:
    """The workspace."""
    folder = tmp_path / "room"
    folder.mkdir()
    return folder


@pytest.fixture
def open_place(
    person: Person, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[Callable[..., ShellEnvironment]]:
    """Opens a place by its name; a sandbox with the policy that the keywords tell."""
    opened: list[ShellEnvironment] = []

    def open_one(name: str, **policy: Any) -> ShellEnvironment:
        results = tmp_path / "results"
        if name == "ssh":
            place: ShellEnvironment = SshEnvironment("there", results, request.getfixturevalue("there"))
        elif name == "docker":
            place = DockerEnvironment(_container(), results)
        elif name == "local":
            place = LocalEnvironment(results)
        else:
            if problem := why_not(name):
                wanted = "installed" in problem and os.environ.get("HANDIWORK_REQUIRE_ALL") == "1"
                (pytest.fail if wanted else pytest.skip)(problem)
            place = SandboxEnvironment(table.LAUNCHERS[name](SandboxPolicy(**policy), person), results)
        opened.append(place)
        return place

    yield open_one
    for place in opened:
        place.close()


def why_not(name: str, known: dict[str, str] = {}) -> str:  # noqa: B006 - one probe for all tests
    if name not in known:
        known[name] = table.why_not(name)
    return known[name]


def _container() -> str:
    """The container that CI or a person gives us: none is made here, for that needs an image."""
    name = os.environ.get(CONTAINER, "")
    if not name:
        pytest.skip(f"no container: name a running one in {CONTAINER}")
    return name


@pytest.fixture
def command(room: Path) -> Callable[..., Command]:
    """A command in the workspace."""

    def make(text: str, **more: Any) -> Command:
        return Command(text, **{"cwd": str(room), "workspace": str(room), "timeout_s": 20.0, **more})

    return make


# ------------------------------------------------------------------------------------------------ sshd


def _missing() -> str:
    """Why there can't be one here; empty where there can."""
    for program in ("ssh", "ssh-keygen"):
        if not shutil.which(program):
            return f"{program} isn't installed"
    return "" if _server() else "sshd isn't installed"


def _server() -> str:
    return shutil.which("sshd") or shutil.which("sshd", path="/usr/sbin:/usr/local/sbin") or ""


@contextmanager
def sshd(folder: Path) -> Iterator[tuple[str, ...]]:
    """Starts it, gives the options for the client, ends it."""
    for name in ("host", "key"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True)
    (folder / "allowed").write_bytes((folder / "key.pub").read_bytes())
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    kind, key, *_ = (folder / "host.pub").read_text().split()
    (folder / "known").write_text(f"[127.0.0.1]:{port} {kind} {key}\n")
    lines = {
        "ListenAddress": f"127.0.0.1:{port}",
        "HostKey": folder / "host",
        "AuthorizedKeysFile": folder / "allowed",
        "PidFile": "none",
        "StrictModes": "no",
        "UsePAM": "no",
        "PasswordAuthentication": "no",
        "PermitRootLogin": "yes",
        "SetEnv": "SHLVL=5",  # else bash reads the start-up file of whoever runs the tests, which may take long
    }
    (folder / "sshd_config").write_text("".join(f"{name} {value}\n" for name, value in lines.items()))
    (folder / "ssh_config").write_text(
        f"Host there\n  HostName 127.0.0.1\n  Port {port}\n  User {getpass.getuser()}\n"
        f"  IdentityFile {folder / 'key'}\n  IdentitiesOnly yes\n  UserKnownHostsFile {folder / 'known'}\n"
    )
    Path("/run/sshd").mkdir(exist_ok=True)
    log = (folder / "log").open("wb")
    running = subprocess.Popen([_server(), "-D", "-e", "-f", folder / "sshd_config"], stderr=log)
    try:
        _await(port, running, folder / "log")
        yield ("-F", str(folder / "ssh_config"))
    finally:
        running.terminate()
        running.wait(10)
        log.close()


def _await(port: int, running: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(200):
        if running.poll() is not None:
            raise RuntimeError(log.read_text())
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise RuntimeError("sshd doesn't answer")
